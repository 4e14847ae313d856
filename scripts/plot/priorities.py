#!/usr/bin/python3
"""Draws effective priorities over time: who is ahead of whom, and where their lines cross.

One panel a run, one line a workflow that `record: {priorities: [...]}` names; it ends where the workflow starts. Workflows
of an item that has more than three are drawn thin, the others bold.
"""

import argparse
import sys

import numpy
import panels
import results
import style
from style import plt

EXAMPLE = "example: priorities.py build/results/aging_catch_up.h5 --run 9 --run 10 --run 11 -o priorities.svg"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLE)
    panels.add_arguments(parser)
    return parser.parse_args()


def trajectories(file, run):
    """[(name, times, values)] in the order of the file, to the start of each, finite values only."""
    table = results.table_of_run(file, "priorities", run, ["time", "name", "effective_priority", "workflow"])
    workflows = results.table_of_run(file, "workflows", run, ["workflow", "started_at"]).set_index("workflow")["started_at"]
    lines = []
    for workflow, rows in table.groupby("workflow", sort=False):
        start = workflows.get(workflow, numpy.nan)
        rows = rows[numpy.isfinite(rows["effective_priority"])]
        if not numpy.isnan(start):
            rows = rows[rows["time"] <= start]
        if not rows.empty:
            lines.append((str(rows["name"].iloc[0]), rows["time"].to_numpy(), rows["effective_priority"].to_numpy(), start))
    return lines


def main():
    options = parse_arguments()
    with results.open_results(options.results) as file:
        if "priorities" not in file:
            sys.exit(f"{options.results}: no priorities were recorded; ask for them with 'record: {{priorities: [NAME, ...]}}'")
        runs = panels.runs_of(file, options)
        title = results.text(file.attrs.get("title", ""))
        lines = {number: trajectories(file, number) for number, _ in runs}
    every = [line for of_run in lines.values() for line in of_run]
    if not every:
        sys.exit(f"{options.results}: none of the recorded workflows ever waited")
    names = list(dict.fromkeys(name for name, *_ in every))
    items = list(dict.fromkeys(results.item_of(name) for name in names))
    many = {item for item in items if sum(results.item_of(name) == item for name in names) > 3}
    size, unit = style.time_unit(max(times.max() for _, times, _, _ in every))

    figure, axes = panels.grid(len(runs), height=2.3)
    for axis, (number, label) in zip(axes, runs):
        axis.set_title(label, loc="left", fontsize=8.5)
        for name, times, values, start in lines[number]:
            index = items.index(results.item_of(name))
            color, thin = style.COLORS[index % len(style.COLORS)], results.item_of(name) in many
            dash = "-" if thin else style.DASHES[index % len(style.DASHES)]
            axis.plot(times / size, values, color=color, linestyle=dash, linewidth=0.7 if thin else 2.0, zorder=2 if thin else 4)
            if not numpy.isnan(start):
                axis.plot(times[-1] / size, values[-1], color=color, marker=style.MARKERS[index % len(style.MARKERS)],
                          markersize=2.5 if thin else 6, markeredgecolor="white", markeredgewidth=0.4, zorder=3 if thin else 5)
    handles = [plt.Line2D([], [], color=style.COLORS[i % len(style.COLORS)], linestyle="-" if item in many else style.DASHES[i % len(style.DASHES)],
                          linewidth=0.7 if item in many else 2.0, marker=style.MARKERS[i % len(style.MARKERS)], markersize=4,
                          label=f"{item}, to its start") for i, item in enumerate(items)]
    panels.head(figure, title, handles)
    panels.name_axes(figure, f"time ({unit})", "effective priority")
    style.save(figure, options.out)


if __name__ == "__main__":
    main()
