#!/usr/bin/python3
"""Draws makespans, or another metric, over a swept parameter: one line a policy.

Several replications are shown as points behind the line of their means. Reads the table of runs only.
"""

import argparse
import sys

import numpy
import results
import style
from style import plt

EXAMPLE = "example: makespan.py build/results/hold_vs_race.h5 -o makespan.svg; makespan.py r.h5 --metric wait_time_mean -o w.pdf"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLE)
    parser.add_argument("results", metavar="RESULTS")
    parser.add_argument("-o", "--out", required=True, metavar="FILE", help="FILE.svg, FILE.pdf or FILE.png")
    parser.add_argument("--metric", default="makespan", metavar="NAME", help="a column of /runs; default makespan")
    parser.add_argument("--by", metavar="AXIS", help="the swept parameter along x; default: the only one")
    return parser.parse_args()


def read_runs(path, metric, axis):
    """The table of runs, the axis, the metric's unit, the title of the results."""
    with results.open_results(path) as file:
        runs = file["runs"]
        axes = results.axes_of(file)
        if axis is None and len(axes) == 1:
            axis = axes[0]
        if axis not in axes:
            found = f"'{axis}' is not one of them" if axis else "say which with --by" if axes else "nothing was swept"
            sys.exit(f"{path}: swept are {', '.join(axes) or 'no parameters'}; {found}")
        if metric not in runs:
            sys.exit(f"{path}: there is no metric '{metric}' in /runs; it has {', '.join(sorted(runs))}")
        others = [other for other in axes if other != axis]
        title = results.text(file.attrs.get("title", ""))
        frame = results.table(file, "runs", ["policy", "replication", axis, metric, *others])
        unit = results.text(runs[metric].attrs.get("units", ""))
    for other in others:
        frame["policy"] = [f"{p}, {other.split('.')[-1]} {v}" for p, v in zip(frame["policy"], frame[other])]
    return frame, axis, unit, title


def positions(values):
    """Where the values of the axis stand: numbers as they are, words side by side. Returns {value: x} and whether numbers."""
    try:
        return {value: float(value) for value in values}, True
    except ValueError:
        return {value: float(i) for i, value in enumerate(dict.fromkeys(values))}, False


def main():
    options = parse_arguments()
    frame, axis, unit, title = read_runs(options.results, options.metric, options.by)
    frame = frame[numpy.isfinite(frame[options.metric].astype(float))]
    if frame.empty:
        sys.exit(f"{options.results}: '{options.metric}' is undefined in every run")
    size, unit = style.time_unit(frame[options.metric].max()) if unit == "s" else (1.0, "" if unit == "1" else unit)
    x_of, numeric = positions(frame[axis])
    policies = list(dict.fromkeys(frame["policy"]))

    figure, axes = plt.subplots(figsize=(4.6, 3.0))
    figure.subplots_adjust(left=0.13, right=0.97, bottom=0.16, top=0.9)
    for index, policy in enumerate(policies):
        of_policy = frame[frame["policy"] == policy]
        color, marker = style.COLORS[index % len(style.COLORS)], style.MARKERS[index % len(style.MARKERS)]
        x = numpy.array([x_of[value] for value in of_policy[axis]])
        y = of_policy[options.metric].to_numpy() / size
        mean_x = numpy.unique(x)
        means = [y[x == at].mean() for at in mean_x]
        if len(x) > len(mean_x):
            axes.plot(x, y, linestyle="none", marker=marker, markersize=3, color=color, alpha=0.35, markeredgewidth=0, zorder=2)
        # Where two policies agree, both markers must show: each later one is smaller.
        axes.plot(mean_x, means, color=color, linestyle=style.DASHES[index % len(style.DASHES)], linewidth=1.6, marker=marker,
                  markersize=max(3.5, 7.5 - 2 * index), markeredgecolor="white", markeredgewidth=0.6, label=policy, zorder=3 + index)
    axes.set_ylim(bottom=0)
    axes.margins(x=0.06)
    ticks = sorted(set(x_of.values()))
    if not numeric:
        axes.set_xticks(ticks, list(dict.fromkeys(frame[axis])))
    elif len(ticks) <= 12:
        axes.set_xticks(ticks)
    axes.grid(axis="y", color="#dddddd", linewidth=0.5, zorder=0)
    axes.set_xlabel(axis.split(".")[-1].replace("_", " "))
    name = options.metric.replace("_", " ")
    axes.set_ylabel(f"{name} ({unit})" if unit else name)
    axes.set_title(title, loc="left", fontweight="bold")
    axes.legend(loc="best", ncol=1 if len(policies) < 4 else 2)
    style.save(figure, options.out)


if __name__ == "__main__":
    main()
