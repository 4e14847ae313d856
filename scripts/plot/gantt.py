#!/usr/bin/python3
"""Draws who ran where and when: one panel a run, slots as lanes, stages as bars, plans hatched, holds above them.

Reads results whose stages are recorded. Several files may be named; their runs are drawn below each other.
"""

import argparse
import dataclasses
import re
import sys

import lanes
import numpy
import pandas
import results
import style
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import MaxNLocator
from style import plt

EXAMPLE = "example: gantt.py build/results/duration_and_hold.h5 -o gantt.svg; gantt.py sweep.h5 --run 4 --until 2h -o g.pdf"
MAX_LANES, MAX_BARS, MAX_PANELS = 1024, 20000, 6
SHADES = ["#0072B2", "#56B4E9", "#3A8FBF", "#8CC8EA", "#1F5F87"]  # of bars that no colour has to tell apart
BAD_ENDS = ("failed", "timed_out", "canceled")
HOLD_TRACK = 0.9  # in lanes
UNITS = {"ms": 1e-3, "s": 1, "": 1, "min": 60, "h": 3600, "d": 86400}


@dataclasses.dataclass
class Panel:
    title: str
    stages: pandas.DataFrame
    holds: pandas.DataFrame
    end: float  # the makespan on the axis of time; nan if there is none
    makespan: float
    lanes: list = None
    first_lane: list = None  # of each node
    nodes: list = None  # their names
    total: int = 0
    labelled: set = dataclasses.field(default_factory=set)

    @property
    def height_in_lanes(self):
        return self.total + (HOLD_TRACK if len(self.holds) else 0)


def duration(text):
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|min|h|d|)", text)
    if not match:
        raise argparse.ArgumentTypeError(f"'{text}' is not a duration such as 90s, 13min, 2h, 7d")
    return float(match[1]) * UNITS[match[2]]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLE)
    parser.add_argument("results", nargs="+", metavar="RESULTS")
    parser.add_argument("-o", "--out", required=True, metavar="FILE", help="FILE.svg, FILE.pdf or FILE.png")
    parser.add_argument("--run", type=int, action="append", metavar="N",
                        help=f"draw this run; repeatable; default: all of a file, at most {MAX_PANELS}")
    parser.add_argument("--from", dest="start", type=duration, default=0.0, metavar="T", help="left edge; default 0")
    parser.add_argument("--until", type=duration, metavar="T", help="right edge; default: the last end")
    parser.add_argument("--color", choices=["stage", "workflow"], help="what colours tell apart; default: what there is")
    return parser.parse_args()


# ---- what is drawn

def read_panel(file, run, title):
    columns = ["workflow", "name", "kind", "node", "nodes", "cores", "started_at", "finished_at", "state"]
    stages = results.table_of_run(file, "stages", run, columns)
    workflows = results.table_of_run(file, "workflows", run, ["workflow", "name", "submitted_at"])
    names = dict(zip(workflows["workflow"], workflows["name"]))
    stages = stages[numpy.isfinite(stages["started_at"].astype(float))].reset_index(drop=True)
    if len(stages) == 0:
        sys.exit(f"run {run} ('{title}') started nothing; there is nothing to draw")
    stages["workflow"] = [names.get(workflow, str(workflow)) for workflow in stages["workflow"]]
    ends = stages["finished_at"].astype(float)
    stages["finished_at"] = ends.where(numpy.isfinite(ends), ends.max())
    makespan = float(results.value_of_run(file, "makespan", run))
    panel = Panel(title, stages, results.table_of_run(file, "holds", run, ["from", "to"]),
                  makespan + workflows["submitted_at"].min(), makespan)
    # A job's only stage is called main: its workflow's name says more.
    stages["name"] = [w if name == "main" else name for name, w in zip(stages["name"], stages["workflow"])]
    panel.nodes, sizes = nodes_of(file, run)
    panel.lanes, panel.first_lane, panel.total = lanes.assign(
        *(stages[key].to_numpy() for key in ("started_at", "finished_at", "nodes", "node", "cores")), sizes)
    if panel.total > MAX_LANES:
        sys.exit(f"run {run} keeps {panel.total} slots busy at once; a figure can show {MAX_LANES}")
    return panel


def nodes_of(file, run):
    """The names of the run's nodes and how many lanes each has: its cores, or 0 (as many as are ever busy) where a figure
    cannot show them all."""
    classes = results.table_of_run(file, "node_classes", run, ["name", "count", "cores"])
    several = classes["count"].sum() > 1
    names, sizes = [], []
    for name, count, cores in classes.itertuples(index=False):
        names += [f"{name}[{i}]" if several else name for i in range(count)]
        sizes += [int(cores)] * count
    return names, sizes if sum(sizes) <= MAX_LANES else [0] * len(sizes)


def read_panels(options):
    panels = []
    for path in options.results:
        with results.open_results(path) as file:
            if "stages" not in file or file["stages/run"].shape[0] == 0:
                sys.exit(f"{path}: no stages are recorded; run with record: {{stages: true}}")
            runs = [int(run) for run in file["runs/run"][:]]
            labels = dict(zip(runs, results.run_labels(file)))
            wanted = options.run if options.run is not None else runs[:MAX_PANELS]
            if options.run is None and len(runs) > MAX_PANELS:
                print(f"{path}: the first {MAX_PANELS} of {len(runs)} runs are drawn; --run picks others", file=sys.stderr)
            for run in wanted:
                if run not in labels:
                    sys.exit(f"{path}: there is no run {run}; runs are numbered {runs[0]} to {runs[-1]}")
                panels.append(read_panel(file, run, labels[run]))
    bars = sum(len(panel.stages) for panel in panels)
    if bars > MAX_BARS:
        sys.exit(f"{bars} bars are more than a figure can show ({MAX_BARS}); pick runs with --run")
    return panels


def color_bars(panels, by):
    """Adds the column `color`; returns the legend {what: colour}, empty where colours mean nothing."""
    if by is None:
        by = "workflow" if max(panel.stages["workflow"].nunique() for panel in panels) > 1 else "name"
    by = "name" if by == "stage" else by
    keys = pandas.concat([panel.stages.loc[panel.stages["kind"] != "plan", by] for panel in panels])
    distinct = sorted(keys.unique(), key=lanes.natural)
    stem = str if len(distinct) <= len(style.COLORS) else lambda name: re.sub(r"\[?\d+\]?(#\d+)?$", "", name) or name
    stems = sorted({stem(key) for key in distinct}, key=lanes.natural)
    if len(stems) == 1 or len(stems) > len(style.COLORS):
        shade = {key: SHADES[i % len(SHADES)] for i, key in enumerate(distinct)}
        legend = {}
    else:
        legend = dict(zip(stems, style.COLORS))
        shade = {key: legend[stem(key)] for key in distinct}
    for panel in panels:
        panel.stages["color"] = [shade.get(key, "#ffffff") for key in panel.stages[by]]
    return legend


# ---- drawing

def draw_bar(axes, stage, taken, edges, unit, lane_points, points_per_unit):
    """A rectangle over each block of lanes; the name in the largest, where it fits. Returns whether it did."""
    plan, bad = stage.kind == "plan", stage.state in BAD_ENDS
    start, length = stage.started_at / unit, (stage.finished_at - stage.started_at) / unit
    roomy = lane_points > 5
    inset = 0.08 if roomy else 0.0
    blocks = lanes.blocks(taken, edges)
    for lane, count in blocks:
        axes.add_patch(Rectangle((start, lane + inset), length, count - 2 * inset, zorder=3 if plan else 2,
                                 facecolor=stage.color, edgecolor=style.INK if plan or bad else "white",
                                 linewidth=0.6 if roomy else 0.15, hatch="//////" if plan else "xxxx" if bad else None))
    lane, count = max(blocks, key=lambda block: block[1])
    size = min(8.5, 0.6 * lane_points * min(count, 2))
    if plan or size < 4.5 or 0.64 * size * len(stage.name) + 4 > length * points_per_unit:
        return False
    axes.text(start + length / 2, lane + count / 2, stage.name, ha="center", va="center_baseline", fontsize=size,
              color=style.text_on(stage.color), zorder=4)
    return True


def draw_holds(axes, panel, unit, points_per_unit):
    last = panel.stages["finished_at"].max()
    for begin, end in panel.holds[["from", "to"]].itertuples(index=False):
        end = end if numpy.isfinite(end) else last
        # A hold of a millisecond is thinner than any line, so none is drawn thinner than 2.5 points.
        width = max((end - begin) / unit, 2.5 / points_per_unit)
        axes.add_patch(Rectangle((begin / unit, -0.74), width, 0.52, facecolor=style.INK, linewidth=0, zorder=4))
        if len(panel.holds) <= 3:
            axes.text(begin / unit + width, -0.48, f" held for {style.length(end - begin)}", va="center_baseline", fontsize=8, zorder=4)


def draw_panel(axes, panel, unit, left, right, lane_points):
    points_per_unit = axes.get_window_extent().width / axes.figure.dpi * 72 / (right - left)
    axes.set_xlim(left, right)
    axes.set_ylim(panel.total, -HOLD_TRACK if len(panel.holds) else 0)
    inset = 0.08 if lane_points > 5 else 0.0
    for lane in range(panel.total):
        axes.add_patch(Rectangle((left, lane + inset), right - left, 1 - 2 * inset, facecolor=style.GROUND, linewidth=0, zorder=0))
    for stage, taken in zip(panel.stages.itertuples(), panel.lanes):
        if stage.finished_at / unit >= left and stage.started_at / unit <= right:
            if draw_bar(axes, stage, taken, panel.first_lane, unit, lane_points, points_per_unit):
                panel.labelled.add(stage.name)
    draw_holds(axes, panel, unit, points_per_unit)
    axes.set_title(panel.title, loc="left", fontweight="bold", pad=4)
    if numpy.isfinite(panel.makespan):
        axes.set_title(f"makespan {style.length(panel.makespan)}", loc="right", fontsize=8.5, pad=4)
        if left <= panel.end / unit <= right:
            axes.axvline(panel.end / unit, color=style.INK, linewidth=0.9, linestyle=(0, (3, 2)), zorder=5)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 3, 4, 5, 6, 10]))
    label_lanes(axes, panel, lane_points)


def label_lanes(axes, panel, lane_points):
    edges = [*panel.first_lane, panel.total]
    if len(panel.first_lane) > 1:
        if lane_points * panel.total / len(panel.nodes) > 8:
            axes.set_yticks([(a + b) / 2 for a, b in zip(edges, edges[1:])], panel.nodes)
        else:
            axes.set_yticks([panel.total / 2], [f"{len(panel.nodes)} nodes"])
        for edge in edges[1:-1]:
            axes.axhline(edge, color=style.FAINT, linewidth=0.5, zorder=1)
    elif lane_points > 9:
        axes.set_yticks([lane + 0.5 for lane in range(panel.total)], [f"slot {lane + 1}" for lane in range(panel.total)])
    else:
        axes.set_yticks([panel.total / 2], [f"{panel.total} slots"])


def legend_handles(panels, legend):
    unlabelled = set(legend) - set.intersection(*(panel.labelled for panel in panels))
    handles = [Patch(facecolor=color, label=key) for key, color in legend.items()] if unlabelled else []
    outlined = {"facecolor": "white", "edgecolor": style.INK, "linewidth": 0.6}
    if any((panel.stages["kind"] == "plan").any() for panel in panels):
        handles.append(Patch(**outlined, hatch="//////", label="the plan, declaring stages"))
    if any(panel.stages["state"].isin(BAD_ENDS).any() for panel in panels):
        handles.append(Patch(**outlined, hatch="xxxx", label="failed"))
    if any(len(panel.holds) for panel in panels):
        handles.append(Patch(facecolor=style.INK, label="hold"))
    return handles


def main():
    options = parse_arguments()
    panels = read_panels(options)
    legend = color_bars(panels, options.color)
    until = options.until if options.until is not None else max(panel.stages["finished_at"].max() for panel in panels)
    if until <= options.start:
        sys.exit("--until must be later than --from")
    unit, unit_name = style.time_unit(until - options.start)
    right = (until + 0.008 * (until - options.start)) / unit

    lane_inches = min(0.27, 3.4 / max(panel.total for panel in panels))
    heights = [max(0.45, panel.height_in_lanes * lane_inches) for panel in panels]
    above, between, axis = 0.3, 0.42, 0.45
    below = 0.3 if legend or legend_handles(panels, {}) else 0.02
    total = above + sum(heights) + between * (len(panels) - 1) + axis + below
    figure = plt.figure(figsize=(style.WIDTH, total))
    top = total - above
    for panel, height in zip(panels, heights):
        axes = figure.add_axes([0.75 / style.WIDTH, (top - height) / total, (style.WIDTH - 0.95) / style.WIDTH, height / total])
        draw_panel(axes, panel, unit, options.start / unit, right, height / panel.height_in_lanes * 72)
        axes.tick_params(labelbottom=panel is panels[-1])
        top -= height + between
    axes.set_xlabel(f"time ({unit_name})")
    handles = legend_handles(panels, legend)
    if handles:
        figure.legend(handles=handles, loc="lower center", ncol=min(6, len(handles)), handlelength=1.6, columnspacing=1.4)
    style.save(figure, options.out)


if __name__ == "__main__":
    main()
