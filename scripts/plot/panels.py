"""Figures of several runs, a panel each: which runs, and the grid that they stand in. It knows nothing of what is drawn."""

import math
import sys

import results
import style
from style import plt

MOST = 12  # panels that a page holds


def add_arguments(parser):
    parser.add_argument("results", metavar="RESULTS")
    parser.add_argument("-o", "--out", required=True, metavar="FILE", help="FILE.svg, FILE.pdf or FILE.png")
    parser.add_argument("--run", type=int, action="append", metavar="N", help="one panel a run, again for more; default all of them")


def runs_of(file, options):
    """[(number, label)] of the runs asked for. Ends the program where one does not exist or a page would not hold them."""
    numbers = [int(number) for number in file["runs/run"][:]]
    labels = dict(zip(numbers, results.run_labels(file)))
    wanted = options.run or numbers
    for number in wanted:
        if number not in labels:
            sys.exit(f"{options.results}: there is no run {number}; there are {numbers[0]} to {numbers[-1]}")
    if len(wanted) > MOST:
        sys.exit(f"{options.results}: {len(wanted)} runs are more than a page holds; name up to {MOST} with --run")
    return [(number, labels[number]) for number in wanted]


def grid(count, height=1.9, columns=None, legend=True):
    """A figure and its axes in reading order. Scales are shared, so that panels can be compared at a glance."""
    columns = columns or (1 if count == 1 else 2 if count in (2, 4) else 3)
    columns = min(columns, count)
    rows = math.ceil(count / columns)
    width = 4.6 if columns == 1 else style.WIDTH
    total = 0.75 + rows * height + (0.25 if legend else 0)
    figure, axes = plt.subplots(rows, columns, figsize=(width, total), sharex=True, sharey=True, squeeze=False)
    figure.subplots_adjust(left=0.58 / width, right=1 - 0.12 / width, top=1 - (0.62 if legend else 0.42) / total, bottom=0.48 / total,
                           hspace=0.5 / height, wspace=0.12)
    flat = [axis for row in axes for axis in row]
    for axis in flat[count:]:
        axis.set_visible(False)
    for index, axis in enumerate(flat[:count]):
        axis.grid(axis="y", color="#dddddd", linewidth=0.5, zorder=0)
        if index + columns >= count:  # the lowest of its column
            axis.tick_params(labelbottom=True)
    return figure, flat[:count]


def head(figure, title, handles):
    """The title above all panels and one legend for all of them."""
    total = figure.get_size_inches()[1]
    figure.text(0.012, 1 - 0.08 / total, title, fontsize=9.5, fontweight="bold", va="top")
    if handles:
        figure.legend(handles=handles, loc="upper left", bbox_to_anchor=(0.0, 1 - 0.2 / total), ncol=min(5, len(handles)), borderaxespad=0.2)


def name_axes(figure, x, y):
    width, total = figure.get_size_inches()
    figure.text(0.5 + 0.23 / width, 0.08 / total, x, ha="center", va="bottom", fontsize=9)
    figure.text(0.06 / width, 0.5, y, rotation=90, va="center", ha="left", fontsize=9)
