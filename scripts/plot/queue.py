#!/usr/bin/python3
"""Draws the queue over time: how many stages of each tenant, class or item of work wait, stacked.

One panel a run. A stage waits from the instant it is eligible to its start, again for each further try. What is at most
one stage high over the whole run would not be seen: it is drawn as a line below the axis from its beginning to its end.
"""

import argparse
import sys

import numpy
import panels
import results
import style
from style import plt

EXAMPLE = "example: queue.py build/results/headroom.h5 --by item --run 2 --run 18 -o queue.svg"
KINDS = ("user", "account", "organization", "class", "item")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLE)
    panels.add_arguments(parser)
    parser.add_argument("--by", choices=KINDS, default="user", help="what a stage is coloured by; default user")
    return parser.parse_args()


def waits(file, run, kind):
    """{name: (from, to)} in seconds; what never started waits to the end of the run."""
    stages = results.table_of_run(file, "stages", run, ["workflow", "eligible_at", "started_at", "finished_at", "canceled_at"])
    column = "name" if kind == "item" else kind
    workflows = results.table_of_run(file, "workflows", run, ["workflow", column]).set_index("workflow")[column]
    names = [] if kind == "item" else results.column(file[f"names/{kind}"])
    last = stages[["eligible_at", "started_at", "finished_at"]].to_numpy()
    end = float(numpy.nanmax(last)) if numpy.isfinite(last).any() else 0.0
    stages = stages[numpy.isfinite(stages["eligible_at"])].copy()
    left = stages["started_at"].fillna(stages["canceled_at"]) if "canceled_at" in stages else stages["started_at"]
    stages["left_at"] = left.fillna(end)
    found = stages["workflow"].map(workflows).to_numpy()
    if kind == "item":
        stages["name"] = [results.item_of(name) for name in found]
    else:
        stages["name"] = [names[code] if 0 <= code < len(names) else "(none)" for code in found]
    return {name: (rows["eligible_at"].to_numpy(), rows["left_at"].to_numpy()) for name, rows in stages.groupby("name", sort=False)}


def lengths(begin, end, at):
    """How many of the intervals [begin, end) hold each instant."""
    return numpy.searchsorted(numpy.sort(begin), at, side="right") - numpy.searchsorted(numpy.sort(end), at, side="right")


def main():
    options = parse_arguments()
    with results.open_results(options.results) as file:
        if "stages" not in file:
            sys.exit(f"{options.results}: stages were not recorded; run it with 'record: {{stages: true}}'")
        runs = panels.runs_of(file, options)
        title = results.text(file.attrs.get("title", ""))
        of_runs = {number: waits(file, number, options.by) for number, _ in runs}
    names = list(dict.fromkeys(name for of_run in of_runs.values() for name in of_run))
    if not names:
        sys.exit(f"{options.results}: nothing was ever eligible")
    span = max(end.max() for of_run in of_runs.values() for _, end in of_run.values())
    size, unit = style.time_unit(span)
    tops = {name: max(lengths(*of_run[name], of_run[name][0]).max() for of_run in of_runs.values() if name in of_run) for name in names}
    highest = max(tops.values())
    small = [name for name in names if tops[name] <= 1 and highest >= 20]
    large = [name for name in names if name not in small]

    figure, axes = panels.grid(len(runs), height=1.8)
    for axis, (number, label) in zip(axes, runs):
        axis.set_title(label, loc="left", fontsize=8.5)
        of_run = of_runs[number]
        at = numpy.unique(numpy.concatenate([[0.0], *[numpy.concatenate(interval) for interval in of_run.values()]]))
        below = numpy.zeros(len(at))
        for name in large:
            height = lengths(*of_run[name], at) if name in of_run else numpy.zeros(len(at))
            index = names.index(name)
            axis.fill_between(at / size, below, below + height, step="post", facecolor=style.COLORS[index % len(style.COLORS)],
                              edgecolor="white", linewidth=0.4, zorder=3)
            below = below + height
        for k, name in enumerate(small):
            for begin, end in zip(*of_run.get(name, ((), ()))):
                index = names.index(name)
                axis.plot([begin / size, end / size], [-0.05 * highest * (k + 1)] * 2, color=style.COLORS[index % len(style.COLORS)],
                          linewidth=3, marker="|", markersize=7, solid_capstyle="butt", zorder=4)
        if small:
            axis.axhline(0, color=style.FAINT, linewidth=0.6, zorder=5)
    axes[0].set_ylim(bottom=-0.05 * highest * (len(small) + 1) if small else 0)
    for axis in axes:
        axis.set_yticks([tick for tick in axis.get_yticks() if tick >= 0])
    handles = [plt.Rectangle((0, 0), 1, 1, color=style.COLORS[names.index(name) % len(style.COLORS)], label=name) if name in large else
               plt.Line2D([], [], color=style.COLORS[names.index(name) % len(style.COLORS)], linewidth=3, marker="|", label=f"{name} waits")
               for name in names]
    panels.head(figure, title, handles)
    panels.name_axes(figure, f"time ({unit})", "stages that wait")
    style.save(figure, options.out)


if __name__ == "__main__":
    main()
