"""Which lanes of a Gantt chart each bar takes. Results say on which node a stage ran, not on which of its cores: lanes
are given out here, lowest free one first, neighbours where that can be."""

import re

import numpy


def natural(name):
    """A sort key by which cpu[9] comes before cpu[10]."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", str(name)) if part]


def neighbours(free, count, want):
    """`want` lanes out of the rising list `free`, beside each other if that can be; new ones from `count` on if need be."""
    for at in range(len(free) - want + 1):
        if free[at + want - 1] - free[at] == want - 1:
            return free[at : at + want]
    chosen = free[:want]
    return chosen + list(range(count, count + want - len(chosen)))


def assign(starts, ends, nodes, cores):
    """The lanes of each bar (a rising list), the first lane of each node in natural order, and how many lanes in all."""
    order = numpy.lexsort((numpy.arange(len(starts)), ends, starts))
    busy_until = {}
    taken = [[] for _ in starts]
    for row in order:
        until = busy_until.setdefault(nodes[row], [])
        free = [lane for lane, end in enumerate(until) if end <= starts[row]]
        taken[row] = neighbours(free, len(until), max(1, int(cores[row])))
        until.extend([0.0] * (taken[row][-1] + 1 - len(until)))
        for lane in taken[row]:
            until[lane] = ends[row]
    first, total = {}, 0
    for node in sorted(busy_until, key=natural):
        first[node] = total
        total += len(busy_until[node])
    return [[first[nodes[row]] + lane for lane in lanes] for row, lanes in enumerate(taken)], first, total


def blocks(lanes):
    """(first lane, how many) of each run of neighbouring lanes."""
    found = []
    for lane in lanes:
        if found and found[-1][0] + found[-1][1] == lane:
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append((lane, 1))
    return found
