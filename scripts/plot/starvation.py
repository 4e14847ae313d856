#!/usr/bin/python3
"""Draws who waited how long, and for how long of it somebody younger was let past: empirical distributions by class.

One row a run: the wait on the left, the time passed over on the right. A step at x, y says that the fraction y of the
class's stages had at most x. What still waited at the end counts with what it had waited by then, and is marked.
"""

import argparse
import sys

import numpy
import panels
import results
import style
from style import plt

EXAMPLE = "example: starvation.py build/results/starvation.h5 --run 8 --run 9 --run 10 -o starvation.svg --threshold 24"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLE)
    panels.add_arguments(parser)
    parser.add_argument("--threshold", type=float, metavar="HOURS", help="what counts as starved (measure.starved), drawn as a line")
    return parser.parse_args()


def observations(file, run):
    """A table of the stages of the run that were eligible once: class, wait, passed over (s), whether it still waits."""
    stages = results.table_of_run(file, "stages", run, ["workflow", "attempt", "eligible_at", "started_at", "passed_over_time", "state"])
    stages = stages[(stages["attempt"] == 0) & numpy.isfinite(stages["eligible_at"])].copy()
    classes = results.table_of_run(file, "workflows", run, ["workflow", "class"]).set_index("workflow")["class"]
    names = results.column(file["names/class"])
    codes = stages["workflow"].map(classes).to_numpy()
    stages["class"] = [names[code] if 0 <= code < len(names) else "(none)" for code in codes]
    end = float(numpy.nanmax(results.table_of_run(file, "stages", run, ["started_at", "finished_at", "eligible_at"]).to_numpy()))
    stages["waits"] = ~numpy.isfinite(stages["started_at"])
    stages["wait"] = stages["started_at"].fillna(end) - stages["eligible_at"]
    return stages


def draw_steps(axis, values, waits, color, dash, marker, size):
    order = numpy.argsort(values, kind="stable")
    x = values[order] / size
    y = numpy.arange(1, len(x) + 1) / len(x)
    axis.plot(numpy.concatenate([[x[0]], x]), numpy.concatenate([[0], y]), color=color, linestyle=dash, linewidth=1.6,
              drawstyle="steps-post", zorder=3)
    if len(x) <= 3:  # a step of one stage is a vertical line alone, easily missed
        axis.plot(x, y, color=color, linestyle="none", marker=marker, markersize=5, markeredgecolor="white", markeredgewidth=0.4, zorder=4)
    still = waits[order]
    if still.any():
        axis.plot(x[still], y[still], color=color, linestyle="none", marker=">", markersize=4, zorder=4)


def main():
    options = parse_arguments()
    with results.open_results(options.results) as file:
        if "stages" not in file:
            sys.exit(f"{options.results}: stages were not recorded; run it with 'record: {{stages: true}}'")
        runs = panels.runs_of(file, options)
        title = results.text(file.attrs.get("title", ""))
        tables = {number: observations(file, number) for number, _ in runs}
    if all(table.empty for table in tables.values()):
        sys.exit(f"{options.results}: nothing was ever eligible")
    classes = list(dict.fromkeys(name for table in tables.values() for name in table["class"]))
    longest = max(table["wait"].max() for table in tables.values() if not table.empty)
    size, unit = style.time_unit(max(longest, (options.threshold or 0) * 3600))

    figure, axes = panels.grid(2 * len(runs), height=1.25, columns=2)
    for row, (number, label) in enumerate(runs):
        for axis, quantity, name in zip(axes[2 * row : 2 * row + 2], ("wait", "passed_over_time"), ("wait", "passed over")):
            axis.set_title(f"{label}: {name}", loc="left", fontsize=8.5)
            axis.set_ylim(0, 1.04)
            for index, klass in enumerate(classes):
                of_class = tables[number][tables[number]["class"] == klass]
                of_class = of_class[numpy.isfinite(of_class[quantity])]
                if not of_class.empty:
                    draw_steps(axis, of_class[quantity].to_numpy(), of_class["waits"].to_numpy(), style.COLORS[index % len(style.COLORS)],
                               style.DASHES[index % len(style.DASHES)], style.MARKERS[index % len(style.MARKERS)], size)
            if options.threshold:
                axis.axvline(options.threshold * 3600 / size, color=style.INK, linewidth=0.8, linestyle=(0, (2, 2)), zorder=2)
    handles = [plt.Line2D([], [], color=style.COLORS[i % len(style.COLORS)], linestyle=style.DASHES[i % len(style.DASHES)], linewidth=1.6,
                          label=klass) for i, klass in enumerate(classes)]
    if options.threshold:
        handles.append(plt.Line2D([], [], color=style.INK, linewidth=0.8, linestyle=(0, (2, 2)), label=f"starved: beyond {options.threshold:g} h"))
    if any(table["waits"].any() for table in tables.values()):
        handles.append(plt.Line2D([], [], color=style.INK, linestyle="none", marker=">", markersize=4, label="still waits"))
    panels.head(figure, title, handles)
    panels.name_axes(figure, f"time ({unit})", "fraction of the class's stages")
    style.save(figure, options.out)


if __name__ == "__main__":
    main()
