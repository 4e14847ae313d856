#!/usr/bin/env python3
"""Whole runs of `sim` on the four reference workloads beside bare loops that give the same schedules, alternately.

    experiments/speed/measure.py [--sim build/release/bin/sim] [--data DIR] [--sizes 100000,1000000] [--repeats 5]

Prints a Markdown table of ratios of medians, the growth from one size to ten times it, user + sys of the whole process
less that of --dry-run, peak memory, and what a tick costs. Compare ratios of one run only: machines are noisy.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from reference_traces import SLOTS, TENANTS, layered_graph, trace

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
KINDS = {
    "w1": ("independent jobs, fcfs", "fcfs"),
    "w2": ("four tenants, priority", "priority"),
    "w3": ("layered graph, tail_time", "tail_time"),
    "w4": ("rigid jobs, easy", "easy"),
}


def write_if_missing(path, text):
    if not path.exists():
        partial = path.with_suffix(path.suffix + ".tmp")
        partial.write_text(text(), encoding="utf-8")
        partial.replace(path)


def edges_of(graph):
    """The graph as the bare loop reads it: numbers of tasks and edges, run times, pairs of parent and child."""
    workflow = json.loads(graph)["workflow"]
    tasks = workflow["specification"]["tasks"]
    pairs = [f"{task['id'][1:]} {child[1:]}" for task in tasks for child in task["children"]]
    times = [str(task["runtimeInSeconds"]) for task in workflow["execution"]["tasks"]]
    return "\n".join([f"{len(tasks)} {len(pairs)}", *times, *pairs]) + "\n"


def prepare(data, kind, size):
    """The workload file for sim and the input of the bare loop."""
    name = f"{kind}-{size}"
    workload = data / f"{name}.yaml"
    if kind == "w3":
        graph, bare = data / f"{name}.json", data / f"{name}.edges"
        write_if_missing(graph, lambda: layered_graph(size, 3))
        write_if_missing(bare, lambda: edges_of(graph.read_text(encoding="utf-8")))
        workload.write_text(f"name: {name}\ncluster: {{slots: 64}}\nwork: [{{trace: {{wfformat: {graph.name}}}}}]\n")
        return workload, bare
    bare = data / f"{name}.swf"
    load, seed = {"w1": (0.95, 1), "w2": (1.30, 2), "w4": (0.85, 4)}[kind]
    write_if_missing(bare, lambda: trace(size, load, seed, rigid=kind == "w4", tenants=kind == "w2"))
    tenants = TENANTS if kind == "w2" else ""
    users = ", users: {1: a, 2: b, 3: c, 4: d}" if kind == "w2" else ""
    workload.write_text(f"name: {name}\ncluster: {{slots: {SLOTS}}}\n{tenants}work: [{{trace: {{swf: {bare.name}{users}}}}}]\n")
    return workload, bare


def prepared(*what):
    """In a process of its own: what this one holds would count as peak memory of every process that it starts."""
    with concurrent.futures.ProcessPoolExecutor(1) as other:
        return other.submit(prepare, *what).result()


class Measured:
    """One process: its output, CPU seconds, wall seconds, peak memory in MB."""

    def __init__(self, command):
        began = os.times().elapsed
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.out = child.stdout.read().decode()
        error = child.stderr.read().decode()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))} ended with {child.returncode}: {error}")
        self.wall = os.times().elapsed - began
        self.cpu = usage.ru_utime + usage.ru_stime
        self.peak = usage.ru_maxrss / 1024


def simulate(sim, workload, policy, *more):
    with tempfile.TemporaryDirectory() as folder:
        command = [sim, "-w", str(workload), "-p", policy, "-o", f"{folder}/r.h5", "--format", "json", *more]
        return Measured(command)


def simulated(run):
    return json.loads(run.out)["runs"][0]["metrics"]


def check_answers(metrics, bare, workload):
    """The schedules have to be the same before their speed is of interest."""
    _, wait, makespan = bare.out.split()
    first = 0 if "w3" in workload.name else metrics["first"]
    if abs(metrics["wait_time_mean"] - float(wait)) > 1e-5 and "w3" not in workload.name:
        sys.exit(f"{workload.name}: mean wait {metrics['wait_time_mean']} here, {wait} by the bare loop")
    if abs(metrics["makespan"] + first - float(makespan)) > 1e-6:
        sys.exit(f"{workload.name}: makespan {metrics['makespan'] + first} here, {makespan} by the bare loop")


def first_submission(bare, kind):
    if kind == "w3":
        return 0
    with open(bare, encoding="utf-8") as lines:
        return next(int(line.split()[1]) for line in lines if not line.startswith(";"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sim", default=str(ROOT / "build/release/bin/sim"))
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "headroom-speed")
    parser.add_argument("--sizes", default="100000,1000000")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--kinds", default="w1,w2,w3,w4")
    arguments = parser.parse_args()
    arguments.data.mkdir(parents=True, exist_ok=True)
    loops = arguments.data / "bare_loops"
    subprocess.run(["g++", "-O3", "-march=native", "-std=c++20", str(HERE / "bare_loops.cc"), "-o", str(loops)], check=True)
    without = ("--set", "record.stages=false")

    print("| workload | size | bare loop | simulation and metrics | ratio | CPU less --dry-run | peak |")
    print("|---|---|---|---|---|---|---|")
    medians = {}
    for kind in arguments.kinds.split(","):
        label, policy = KINDS[kind]
        for size in map(int, arguments.sizes.split(",")):
            workload, input_of_bare = prepared(arguments.data, kind, size)
            loop, walls, cpus, dry, peak = [], [], [], [], 0.0
            for _ in range(arguments.repeats):
                bare = Measured([str(loops), kind, str(input_of_bare)])
                run = simulate(arguments.sim, workload, policy, *without)
                metrics = simulated(run)
                metrics["first"] = first_submission(input_of_bare, kind)
                check_answers(metrics, bare, workload)
                loop.append(float(bare.out.split()[0]))
                walls.append(metrics["wall_time"])
                cpus.append(run.cpu)
                dry.append(Measured([arguments.sim, "-w", str(workload), "-p", policy, "--dry-run"]).cpu)
                peak = max(peak, run.peak)
            wall = medians[kind, size] = statistics.median(walls)
            print(f"| {label} | {size} | {statistics.median(loop):.3f} s | {wall:.3f} s "
                  f"| {wall / statistics.median(loop):.1f} | {statistics.median(cpus) - statistics.median(dry):.2f} s "
                  f"| {peak:.0f} MB |", flush=True)

    for (kind, size), wall in medians.items():
        if (kind, 10 * size) in medians:
            print(f"\n{KINDS[kind][0]}: ten times as many take {medians[kind, 10 * size] / wall:.1f} times as long", end="")
    print()
    sizes = [size for kind, size in medians if kind == "w2"]
    if sizes:
        workload, _ = prepared(arguments.data, "w2", sizes[-1])
        ticks, none = [], []
        for _ in range(arguments.repeats):
            none.append(simulated(simulate(arguments.sim, workload, "priority", *without))["wall_time"])
            tick = simulate(arguments.sim, workload, "priority", *without, "--set", "scheduler.tick=1s")
            ticks.append(simulated(tick)["wall_time"])
        print(f"a tick of 1 s: {statistics.median(ticks) / statistics.median(none):.2f} times no tick (four tenants)")
    if "w1" in arguments.kinds:
        _, swf = prepared(arguments.data, "w1", int(arguments.sizes.split(",")[-1]))
        for label, more in (("without stages", without), ("every stage recorded", ("--set", "record.stages=true"))):
            runs = [simulate(arguments.sim, swf, "fcfs", *more) for _ in range(arguments.repeats)]
            print(f"whole process on {swf.name}, {label}: {statistics.median(r.wall for r in runs):.2f} s, "
                  f"{max(r.peak for r in runs):.0f} MB")


if __name__ == "__main__":
    main()
