"""Shards of a sweep on one machine: by hand, by xargs and GNU parallel, killed and resumed; merged to the same bytes."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest

import h5py
import numpy

from headroom_test import BAD_INPUT, CANNOT_CREATE, EXAMPLES, INTERRUPTED, IO_ERROR, NO_INPUT, SAID_NO, SIM, USAGE, EndToEnd, skip_or_fail

SWEEP = """
name: many
params: {slots: 2}
cluster: {slots: $slots}
work:
  - generate: {name: g, count: 800, arrivals: {poisson: {rate: 100/h}}, runtime: {exponential: {mean: 60s}}}
policies: [default, sjf]
sweep: {replications: 5, vary: {params.slots: [2, 3]}}
"""


class Sharded(EndToEnd):
    def setUp(self):
        super().setUp()
        self.workload = self.write("many.yaml", SWEEP)

    def whole(self):
        self.sim("-w", self.workload, "-o", "whole.h5", "-j2", "--format", "quiet")
        return (self.dir / "whole.h5").read_bytes()

    def shell(self, command):
        environment = {**os.environ, "PATH": f"{os.path.dirname(os.path.realpath(SIM))}:{os.environ['PATH']}"}
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=self.dir, env=environment, capture_output=True, text=True, check=False, timeout=240)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_xargs_runs_the_shards(self):
        self.shell("seq 0 7 | xargs -P 2 -I{} sim -w many.yaml -o r.h5 --shard {}/8 -j 1\nsim merge r.h5.shard-*-of-8.part -o r.h5")
        self.assertEqual((self.dir / "r.h5").read_bytes(), self.whole())

    def test_gnu_parallel_runs_the_shards(self):
        if not shutil.which("parallel"):
            skip_or_fail(self, "GNU parallel is not installed")
        self.shell("seq 0 7 | parallel -j 2 sim -w many.yaml -o r.h5 --shard {}/8 -j 1\nsim merge r.h5.shard-*-of-8.part -o r.h5")
        self.assertEqual((self.dir / "r.h5").read_bytes(), self.whole())

    def test_the_index_may_come_from_slurm(self):
        os.environ["SLURM_ARRAY_TASK_ID"] = "1"
        self.addCleanup(os.environ.pop, "SLURM_ARRAY_TASK_ID", None)
        said = self.sim("-w", self.workload, "-o", "r.h5", "--shard", "auto/3").stdout
        self.assertEqual(said, "shard 1/3 of many: 7 of 20 runs in 'r.h5.shard-1-of-3.part'\n")
        self.assertIn("from 0 to 0", self.sim("-w", self.workload, "-o", "r.h5", "--shard", "auto/1", status=USAGE).stderr)
        del os.environ["SLURM_ARRAY_TASK_ID"]
        self.assertIn("SLURM_ARRAY_TASK_ID", self.sim("-w", self.workload, "-o", "r.h5", "--shard", "auto/3", status=USAGE).stderr)

    def test_statuses_are_those_of_the_command_line(self):
        for wrong in ("3/3", "-1/3", "1", "a/3", "1/0", "1/", "auto", "0/9999999"):
            self.sim("-w", self.workload, "--shard", wrong, status=USAGE)
        for shard in range(2):
            self.sim("-w", self.workload, "-o", "r.h5", "--shard", f"{shard}/2", "--format", "quiet")
        self.sim("-w", self.workload, "-o", "r.h5", "--shard", "0/2", status=CANNOT_CREATE)
        self.sim("merge", "r.h5.shard-0-of-2.part", "-o", "m.h5", status=BAD_INPUT)
        self.sim("merge", "r.h5.shard-0-of-2.part", "nowhere", "-o", "m.h5", status=NO_INPUT)
        self.sim("merge", "-o", "m.h5", status=USAGE)
        self.sim("merge", "r.h5.shard-0-of-2.part", status=USAGE)
        self.sim("merge", "r.h5.shard-0-of-2.part", "r.h5.shard-1-of-2.part", "-o", "none/m.h5", status=CANNOT_CREATE)
        self.assertFalse((self.dir / "m.h5").exists())
        self.sim("merge", "r.h5.shard-0-of-2.part", "r.h5.shard-1-of-2.part", "-o", "m.h5")
        self.sim("merge", "r.h5.shard-0-of-2.part", "r.h5.shard-1-of-2.part", "-o", "m.h5", status=CANNOT_CREATE)
        self.sim("-w", self.workload, "-o", "r.h5", "--shard", "0/2", "--resume", "--seed", "9", status=BAD_INPUT)

    def test_a_dry_run_says_what_a_shard_would_do(self):
        said = self.sim_json("-w", self.workload, "-o", "r.h5", "--shard", "1/3", "--dry-run")
        self.assertEqual((said["runs"], said["runs_of_the_shard"], said["shard"], said["shards"], said["excluded"]), (20, 7, 1, 3, 0))
        self.assertEqual(said["results"], "r.h5.shard-1-of-3.part")
        self.assertEqual(sorted(path.name for path in self.dir.iterdir()), ["many.yaml"])

    def test_a_full_disk_is_74_and_leaves_the_parts(self):
        if os.geteuid() != 0:
            skip_or_fail(self, "a file system of its own needs root")
        for shard in range(2):
            self.sim("-w", self.workload, "-o", "r.h5", "--shard", f"{shard}/2", "--format", "quiet")
        small = self.dir / "small"
        small.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", small], capture_output=True, check=False).returncode != 0:
            skip_or_fail(self, "a tmpfs cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", small], check=False)
        self.sim("merge", "r.h5.shard-0-of-2.part", "r.h5.shard-1-of-2.part", "-o", "small/m.h5", status=IO_ERROR)
        self.assertEqual(list(small.iterdir()), [])
        self.sim("merge", "r.h5.shard-0-of-2.part", "r.h5.shard-1-of-2.part", "-o", "m.h5")

    def test_twenty_kills_at_random_moments_leave_no_trace(self):
        seed = int(os.environ.get("HEADROOM_SEED", time.time_ns() % 1_000_000))
        print(f"HEADROOM_SEED={seed} gives these moments again", file=sys.stderr)
        random_moment = random.Random(seed)
        whole = self.whole()
        began = time.monotonic()
        self.sim("-w", self.workload, "-o", "probe.h5", "--shard", "0/2", "--format", "quiet")
        length = time.monotonic() - began
        struck = study = 0
        while struck < 20:
            name = f"cut{study}.h5"
            for shard in (0, 1):
                for _ in range(random_moment.randint(1, 3)):
                    process = subprocess.Popen([SIM, "-w", self.workload, "-o", name, "--shard", f"{shard}/2", "--resume", "-j2", "--format", "quiet"],
                                               cwd=self.dir, stderr=subprocess.DEVNULL)
                    try:
                        process.wait(timeout=random_moment.uniform(0, 1.1 * length))
                    except subprocess.TimeoutExpired:
                        process.kill()
                    process.wait()
                    struck += process.returncode == -signal.SIGKILL
                self.sim("-w", self.workload, "-o", name, "--shard", f"{shard}/2", "--resume", "--format", "quiet")
            self.sim("merge", f"{name}.shard-0-of-2.part", f"{name}.shard-1-of-2.part", "-o", name)
            self.assertEqual((self.dir / name).read_bytes(), whole, f"seed {seed}, study {study}")
            study += 1

    def test_sigterm_twice_still_keeps_the_finished_runs(self):
        self.workload.write_text(SWEEP.replace("800", "100000"))
        process = subprocess.Popen([SIM, "-w", self.workload, "-o", "r.h5", "--shard", "0/2", "-j1", "--format", "quiet"], cwd=self.dir, stderr=subprocess.DEVNULL)
        part = self.dir / "r.h5.shard-0-of-2.part"
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and not list(part.glob("run-*.part")):
            time.sleep(0.005)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=60), INTERRUPTED)
        self.assertTrue(list(part.glob("run-*.part")))


class Rerun(EndToEnd):
    def test_results_say_enough_of_themselves(self):
        self.sim("-w", EXAMPLES / "hold_vs_race.yaml", "-o", "r.h5", "--format", "quiet")
        self.assertIn("the same bytes: 8 runs", self.sim("rerun", "r.h5").stdout)
        self.assertEqual(sorted(path.name for path in self.dir.iterdir()), ["r.h5", "r.h5.perf.json"])

    def test_what_the_command_line_said_is_said_again(self):
        workload = self.write("many.yaml", SWEEP)
        policy = self.write("mine.yaml", "policy: mine\nties: [largest]\n")
        self.sim("-w", workload, "-o", "r.h5", "-p", "mine.yaml,race", "-p", "expr:workflow.priority",
                 "--set", "work.g.count=50", "--seed", "7", "--replications", "2", "--format", "quiet")
        self.assertIn("the same bytes", self.sim("rerun", "r.h5").stdout)
        policy.write_text("policy: mine\nties: [smallest]\n")
        self.assertIn("mine.yaml: is not the file that was read then", self.sim("rerun", "r.h5", status=BAD_INPUT).stderr)
        policy.unlink()
        self.sim("rerun", "r.h5", status=NO_INPUT)

    def test_a_trace_is_looked_for_and_looked_at(self):
        (self.dir / "there").mkdir()
        trace = "; MaxProcs: 2\n1 0 0 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n2 5 0 10 2 -1 -1 2 20 -1 1 2 1 1 1 1 -1 -1\n"
        (self.dir / "there/t.swf").write_text(trace)
        self.write("there/w.yaml", "work: [{trace: {swf: t.swf}}]\n")
        for workload in ("there/w.yaml", "there/t.swf"):
            self.sim("-w", workload, "-o", "r.h5", "--force", "--format", "quiet")
            self.assertIn("t.swf: is not there", self.sim("rerun", "r.h5", status=NO_INPUT).stderr)
            self.assertIn("the same bytes", self.sim("rerun", "r.h5", "--inputs", "there").stdout)
            (self.dir / "there/t.swf").write_text(trace.replace("2 5 0", "2 6 0"))
            self.assertIn("is not the file that was read then", self.sim("rerun", "r.h5", "--inputs", "there", status=BAD_INPUT).stderr)
            (self.dir / "there/t.swf").write_text(trace)

    def test_the_first_difference_is_named(self):
        self.sim("-w", EXAMPLES / "hold_vs_race.yaml", "-o", "r.h5", "--format", "quiet")
        with h5py.File(self.dir / "r.h5", "r+") as file:
            file["stages/started_at"][7] += 1
            run = file["stages/run"][7]
        said = self.sim("rerun", "r.h5", status=SAID_NO).stdout
        self.assertIn(f"not the same: run {run}, /stages/started_at row 7: was ", said)
        with h5py.File(self.dir / "r.h5", "r+") as file:
            file["runs/decision_hash"][3] = b"0123456789abcdef"
        self.assertIn("not the same: run 3, /runs/decision_hash row 3: was '0123456789abcdef'", self.sim("rerun", "r.h5", status=SAID_NO).stdout)

    def test_what_are_no_results_is_refused(self):
        self.sim("rerun", "nowhere.h5", status=NO_INPUT)
        self.write("text.h5", "hello")
        self.sim("rerun", "text.h5", status=BAD_INPUT)


class Grid(EndToEnd):
    SWEEP = """
params: {slots: 2, mean: 60s}
cluster: {slots: $slots}
work:
  - generate: {name: g, count: 20, arrivals: {poisson: {rate: 100/h}}, runtime: {exponential: {mean: $mean}}}
policies: [default, sjf]
sweep:
  replications: 2
  vary: {work.g.arrivals.poisson.rate: {linspace: [100, 200, 3], unit: /h}}
  zip: [{params.slots: [2, 3], params.mean: [60s, 90s]}]
  exclude: [{params.slots: 3, policy: sjf}]
"""

    def test_axes_are_dimensions_with_coordinates(self):
        try:
            import xarray
        except ImportError as error:
            skip_or_fail(self, str(error))
        self.write("w.yaml", self.SWEEP)
        self.sim("-w", "w.yaml", "-o", "r.h5", "--format", "quiet")
        sweep = xarray.open_dataset(self.dir / "r.h5", group="sweep", engine="h5netcdf")
        runs = xarray.open_dataset(self.dir / "r.h5", group="runs", engine="h5netcdf")
        rate = "work.g.arrivals.poisson.rate"
        self.assertEqual(dict(sweep["run"].sizes), {rate: 3, "point": 2, "policy": 2, "replication": 2})
        self.assertEqual(list(sweep[rate].values), [100, 150, 200])
        self.assertEqual(sweep[rate].attrs["units"], "/h")
        self.assertEqual(list(sweep["params.slots"].values), [2, 3])
        self.assertEqual(sweep["params.mean"].dims, ("point",))
        self.assertIn("params.slots", sweep["run"].coords)
        left_out = sweep["run"].sel(policy="sjf").isel(point=1)
        self.assertTrue(numpy.isnan(left_out.values).all())
        run = int(sweep["run"].sel({rate: 150, "policy": "default", "replication": 1}).isel(point=1).item())
        row = runs.isel(run=run)
        self.assertEqual((row[rate].item(), row["params.slots"].item(), row["replication"].item()), (150, 3, 1))
        self.assertEqual(sweep["run"].max().item(), len(runs["run"]) - 1)
        self.assertEqual(len(runs["run"]), 3 * 2 * 2 * 2 - 3 * 2)
        said = self.sim("-w", "w.yaml", "-o", "other.h5", "--dry-run").stdout
        self.assertIn("18 (6 excluded)", said)
        self.sim("verify", "r.h5")
        self.assertIn("the same bytes", self.sim("rerun", "r.h5").stdout)


if __name__ == "__main__":
    unittest.main()
