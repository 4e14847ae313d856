"""How Headroom's figures look, and how they are saved so that the same results give the same bytes.

Colours are those of Okabe and Ito, told apart by every common kind of colour vision; lines differ in dash and marker
too, so that a figure survives a grey printer.
"""

import math
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend must be chosen first)

COLORS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*"]
DASHES = ["-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5)), (0, (8, 2)), (0, (3, 1, 1, 1, 1, 1)), (0, (2, 2)), (0, (10, 3))]
INK, FAINT, GROUND = "#222222", "#8a8a8a", "#f2f2f2"
WIDTH = 7.0  # inches: the text width of a page

plt.rcParams.update(
    {
        "font.family": "DejaVu Sans",
        "font.size": 9,
        "axes.titlesize": 9.5,
        "axes.labelsize": 9,
        "axes.edgecolor": FAINT,
        "axes.linewidth": 0.6,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "text.color": INK,
        "axes.labelcolor": INK,
        "xtick.color": INK,
        "ytick.color": INK,
        "xtick.labelsize": 8,
        "ytick.labelsize": 8,
        "hatch.linewidth": 0.6,
        "legend.frameon": False,
        "legend.fontsize": 8,
        "figure.dpi": 100,
        "svg.hashsalt": "headroom",
        "svg.fonttype": "path",
        "pdf.fonttype": 42,
    }
)


def save(figure, path):
    """Writes the figure as its name says, without date or version in it."""
    path = pathlib.Path(path)
    metadata = {
        ".svg": {"Date": None, "Creator": None},
        ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
        ".png": {"Software": None},
    }.get(path.suffix)
    if metadata is None:
        sys.exit(f"{path}: a figure is .svg, .pdf or .png")
    try:
        figure.savefig(path, dpi=200, metadata=metadata, facecolor="white")
    except OSError as error:
        sys.exit(f"{path}: {error.strerror}")
    plt.close(figure)


def text_on(color):
    """Black or white, whichever reads better on the colour."""
    red, green, blue = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (red, green, blue)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "white" if luminance < 0.19 else "black"


def time_unit(span):
    """(seconds in the unit, its name) in which a span of time is best shown."""
    for seconds, name in ((86400.0, "d"), (3600.0, "h"), (60.0, "min")):
        if span >= 3 * seconds:
            return seconds, name
    return (1.0, "s") if span >= 0.5 or span <= 0 else (1e-3, "ms")


def number(value, digits=4):
    """A number as people write it: so many significant digits, no zeros behind them."""
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞"
    if value and not 1e-3 <= abs(value) < 1e7:
        return f"{value:.{digits - 1}e}"
    decimals = digits - 1 - int(math.floor(math.log10(abs(value)))) if value else 0
    text = f"{value:.{max(0, decimals)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def length(seconds):
    """A length of time in the unit that suits it."""
    size, name = time_unit(seconds)
    return f"{number(seconds / size)} {name}"
