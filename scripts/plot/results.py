"""Reads a results file into pandas; knows its layout and nothing about figures."""

import re
import sys

import h5py
import numpy
import pandas


def open_results(path):
    """The file, or a message and exit status 66 or 65."""
    try:
        return h5py.File(path, "r")
    except FileNotFoundError:
        print(f"{path}: no such file", file=sys.stderr)
        sys.exit(66)
    except OSError as error:
        print(f"{path}: not a results file ({error})", file=sys.stderr)
        sys.exit(65)


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def column(dataset, rows=slice(None)):
    """One column as an array; codes become the words they stand for."""
    values = dataset[rows]
    if dataset.dtype.kind in "OS":
        return numpy.array([text(value) for value in values], dtype=object)
    if "flag_meanings" in dataset.attrs:
        words = dict(zip(numpy.atleast_1d(dataset.attrs["flag_values"]), text(dataset.attrs["flag_meanings"]).split()))
        return numpy.array([words.get(value, "") for value in values], dtype=object)
    return values


def table(file, name, columns=None, rows=slice(None)):
    """A table of the file as a data frame; empty if the file does not have it."""
    if name not in file:
        return pandas.DataFrame(columns=columns or [])
    group = file[name]
    wanted = columns or [key for key in group if isinstance(group[key], h5py.Dataset)]
    return pandas.DataFrame({key: column(group[key], rows) for key in wanted if key in group})


def rows_of_run(file, name, run):
    """Where the rows of a run lie in a table that all runs share: a slice, or a mask where offsets are not stored."""
    kind = {"stages": "stage", "workflows": "workflow"}.get(name)
    offsets = file["runs"].get(f"{kind}_offset") if kind else None
    if offsets is None:
        return file[name]["run"][:] == run if name in file else slice(0)
    starts = offsets[:]
    index = int(numpy.flatnonzero(file["runs"]["run"][:] == run)[0])
    end = starts[index + 1] if index + 1 < len(starts) else file[name]["run"].shape[0]
    return slice(int(starts[index]), int(end))


def table_of_run(file, name, run, columns=None):
    if name not in file:
        return pandas.DataFrame(columns=columns or [])
    return table(file, name, columns, rows_of_run(file, name, run))


FIXED_RUN_COLUMNS = {"run", "point", "policy", "replication", "seed", "status", "decision_hash"}


def axes_of(file):
    """The names of the sweep's axes, without policy and replication."""
    if "sweep" not in file:
        return []
    return [key for key in file["sweep"] if key not in ("run", "policy", "replication") and key in file["runs"]]


def run_labels(file):
    """What tells the runs apart, one text a run: the policy, then axes and replication where there are several."""
    runs = file["runs"]
    policies = column(runs["policy"])
    labels = [str(policy) for policy in policies]
    parts = [(axis, column(runs[axis])) for axis in axes_of(file)]
    if "replication" in runs and len(set(runs["replication"][:])) > 1:
        parts.append(("replication", column(runs["replication"])))
    for name, values in parts:
        short = name.split(".")[-1]
        labels = [f"{label}, {short} {value}" for label, value in zip(labels, values)]
    return labels


def item_of(name):
    """The item of work that a workflow is of: stream[3] is of stream."""
    return re.sub(r"\[\d+\]$", "", str(name))


def value_of_run(file, name, run):
    """One column of /runs at one run; nan if there is no such column."""
    if name not in file["runs"]:
        return numpy.nan
    return file["runs"][name][int(numpy.flatnonzero(file["runs/run"][:] == run)[0])]
