"""What the end-to-end tests share: the program, a folder of their own, and the rule about skipping.

Used as `from headroom_test import *` by the *_test.py files beside it, which CTest runs one by one.
"""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("HEADROOM_ROOT", pathlib.Path(__file__).resolve().parents[2]))
SIM = os.environ.get("HEADROOM_SIM", str(ROOT / "build/release/bin/sim"))
TRACES = pathlib.Path(os.environ.get("HEADROOM_TRACES", ROOT / "../shared/traces"))
EXAMPLES = ROOT / "workloads/examples"
HOUR = 3600.0

# Exit statuses of the command line.
OK, RUN_FAILED, USAGE, SAID_NO = 0, 1, 2, 3
BAD_INPUT, NO_INPUT, CANNOT_CREATE, IO_ERROR, INTERRUPTED = 65, 66, 73, 74, 130


def skip_or_fail(test, why):
    """Skips, unless HEADROOM_NO_SKIP is set: then what is missing is a failure."""
    if os.environ.get("HEADROOM_NO_SKIP"):
        test.fail(f"{why} (and HEADROOM_NO_SKIP is set)")
    test.skipTest(why)


class EndToEnd(unittest.TestCase):
    """A test with a folder of its own, `self.dir`, in which `sim` is run."""

    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="headroom-e2e-")
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def sim(self, *arguments, status=OK, stdin=None, timeout=240):
        """Runs sim, checks its exit status, returns the finished process (text)."""
        command = [SIM, *map(str, arguments)]
        done = subprocess.run(
            command, cwd=self.dir, input=stdin, capture_output=True, text=True, timeout=timeout, check=False
        )
        self.assertEqual(
            done.returncode, status, f"{' '.join(command)}\nstdout: {done.stdout[-3000:]}\nstderr: {done.stderr[-3000:]}"
        )
        return done

    def sim_json(self, *arguments, **options):
        """The one object of --format json."""
        return json.loads(self.sim(*arguments, "--format", "json", **options).stdout)

    def write(self, name, text):
        path = self.dir / name
        path.write_text(text, encoding="utf-8")
        return path


def strings(dataset):
    """A string column, or a column of codes with `flag_meanings`, as a list of str."""
    if "flag_meanings" in dataset.attrs:
        meanings = dataset.attrs["flag_meanings"]
        words = (meanings.decode() if isinstance(meanings, bytes) else str(meanings)).split()
        values = [int(value) for value in dataset.attrs["flag_values"]]
        return [words[values.index(int(code))] for code in dataset[()]]
    return [value.decode() if isinstance(value, bytes) else str(value) for value in dataset[()]]


def rows(group, *columns):
    """Rows of a table as tuples, strings decoded."""
    loaded = []
    for name in columns:
        dataset = group[name]
        is_text = dataset.dtype.kind in "OS" or "flag_meanings" in dataset.attrs
        loaded.append(strings(dataset) if is_text else [value.item() for value in dataset[()]])
    return list(zip(*loaded))
