"""Which lanes of a Gantt chart each bar takes.

Results name the first node of a stage, not its cores nor its further nodes. Cores are given out here, lowest free one
first, neighbours where that can be; further nodes are those next in file order that have room, as the simulator takes them.
"""

import re

import numpy


def natural(name):
    """A sort key by which cpu[9] comes before cpu[10]."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", str(name)) if part]


def neighbours(free, want):
    """`want` lanes out of the rising list `free`, beside each other if that can be; fewer if there are not so many."""
    for at in range(len(free) - want + 1):
        if free[at + want - 1] - free[at] == want - 1:
            return free[at : at + want]
    return free[:want]


class Node:
    """Until when each of a node's lanes is taken. A node of unknown size grows as needed."""

    def __init__(self, cores):
        self.until = [-numpy.inf] * cores

    def free(self, at):
        return [lane for lane, end in enumerate(self.until) if end <= at]

    def take(self, want, start, end, grow):
        lanes = neighbours(self.free(start), want)
        if grow:
            new = range(len(self.until), len(self.until) + want - len(lanes))
            self.until.extend(end for _ in new)
            lanes = [*lanes, *new]
        for lane in lanes:
            self.until[lane] = end
        return lanes


def spread(cluster, first, cores, nodes, start, end):
    """[(node, lane)] of a stage on several nodes: the same on each where that fits, else as much as each has."""
    share = cores // nodes if cores % nodes == 0 else 0
    chosen = [n for n in range(first, len(cluster)) if share and len(cluster[n].free(start)) >= share][:nodes]
    even = len(chosen) == nodes
    taken, left = [], cores
    for n in chosen if even else range(first, len(cluster)):
        lanes = cluster[n].take(share if even else min(left, len(cluster[n].free(start))), start, end, grow=False)
        taken += [(n, lane) for lane in lanes]
        left -= len(lanes)
        if left == 0:
            break
    return taken + [(first, lane) for lane in cluster[first].take(left, start, end, grow=True)] if left else taken


def assign(starts, ends, nodes, first_nodes, cores, sizes):
    """The lanes of each bar (a rising list), the first lane of each node, and how many lanes in all.

    `sizes`: cores of each node, 0 for a node that shows as many lanes as were ever busy.
    """
    cluster = [Node(size) for size in sizes]
    cluster += [Node(0) for _ in range(len(sizes), int(max(first_nodes, default=-1)) + 1)]
    taken = [[] for _ in starts]
    for row in numpy.lexsort((numpy.arange(len(starts)), ends, starts)):
        first, want = int(first_nodes[row]), max(1, int(cores[row]))
        if nodes[row] > 1 and all(sizes):
            taken[row] = spread(cluster, first, want, int(nodes[row]), starts[row], ends[row])
        else:
            taken[row] = [(first, lane) for lane in cluster[first].take(want, starts[row], ends[row], grow=True)]
    offsets = numpy.cumsum([0] + [len(node.until) for node in cluster])
    return ([sorted(int(offsets[node]) + lane for node, lane in lanes) for lanes in taken],
            [int(at) for at in offsets[:-1]], int(offsets[-1]))


def blocks(lanes, edges=()):
    """(first lane, how many) of each run of neighbouring lanes; none reaches over an edge between nodes."""
    found = []
    for lane in lanes:
        if found and found[-1][0] + found[-1][1] == lane and lane not in edges:
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append((lane, 1))
    return found
