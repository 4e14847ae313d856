"""A sweep as an array job of a real Slurm: killed, requeued, canceled, merged, and the bytes of a local run."""

import os
import pathlib
import re
import signal
import subprocess
import unittest

import slurm_cluster
from headroom_test import ROOT, SIM, EndToEnd, skip_or_fail

SUBMIT = ROOT / "scripts/slurm/submit"
TASKS = 8

# Long enough runs that a task can be met in the middle of its work; each is a part file of its own.
SWEEP = """
name: arrayed
params: {slots: 2}
cluster: {slots: $slots}
work:
  - generate: {name: g, count: 60000, arrivals: {poisson: {rate: 100/h}}, runtime: {exponential: {mean: 60s}}}
policies: [default, sjf]
sweep: {replications: 8, vary: {params.slots: [2, 3]}}
record: {stages: true}
"""


class Slurm(EndToEnd):

    def setUp(self):
        super().setUp()
        if lacking := slurm_cluster.missing():
            skip_or_fail(self, lacking)
        folder = self.dir / "slurm"
        folder.mkdir()
        self.cluster = slurm_cluster.Cluster(folder)
        self.addCleanup(self.cluster.stop)
        self.cluster.start()
        self.workload = self.write("arrayed.yaml", SWEEP)

    def submit(self, *options):
        said = self.cluster.run(SUBMIT, self.workload, "--tasks", TASKS, "-o", "r.h5", "--sim", SIM, *options, cwd=self.dir)
        return re.fullmatch(r"array (\d+), merge (\d+)\n", said).groups()

    def log(self, job):
        return "\n".join(path.read_text() for path in sorted(self.dir.glob(f"r.h5.slurm-{job}*.log")))

    def part(self, task):
        return self.dir / f"r.h5.shard-{task}-of-{TASKS}.part"

    def runs_of(self, task):
        return len(list(self.part(task).glob("run-*.part"))) if self.part(task).is_dir() else 0

    def in_the_middle(self, array, other_than=()):
        """A task that runs and has finished a run, but not all."""
        found = []

        def look():
            states = self.cluster.states(array)
            found[:] = [int(task) for task, state in states.items() if state == "RUNNING" and int(task) not in other_than
                        and 1 <= self.runs_of(int(task)) <= 2 and not (self.part(int(task)) / "finished").exists()]
            return bool(found) or all(state == "COMPLETED" for state in states.values())

        self.cluster.wait_for(look, 120, "a task in the middle of its work")
        self.assertTrue(found, "every task was over before it could be met in the middle of its work")
        return found[0]

    def sim_of(self, task):
        """The process of the program that does a task."""
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
                environment = (process / "environ").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[0] == os.fsencode(os.path.realpath(SIM)) and f"SLURM_ARRAY_TASK_ID={task}".encode() in environment \
                    and os.fsencode(f"SLURM_CONF={self.cluster.env['SLURM_CONF']}") in environment:
                return int(process.name)
        return None

    def test_an_array_in_which_tasks_are_killed_and_requeued_gives_the_bytes_of_a_local_run(self):
        array, merge = self.submit()
        killed = self.in_the_middle(array)
        os.kill(self.sim_of(killed), signal.SIGKILL)
        requeued = self.in_the_middle(array, other_than=(killed,))
        kept = self.runs_of(requeued)
        self.cluster.run("scontrol", "requeue", f"{array}_{requeued}")
        self.cluster.wait_for(lambda: "COMPLETED" in self.cluster.states(merge).values() or "FAILED" in self.cluster.states(merge).values(),
                              240, "the merge")
        self.assertEqual(set(self.cluster.states(array).values()), {"COMPLETED"}, self.log(array))
        self.assertEqual(set(self.cluster.states(merge).values()), {"COMPLETED"}, self.log(merge))
        self.assertIn(f"shard {killed}/{TASKS} ended with status 137; it is requeued", self.log(f"{array}_{killed}"))
        self.assertGreaterEqual(self.runs_of(requeued), kept)
        self.sim("-w", self.workload, "-o", "local.h5", "-j2", "--format", "quiet")
        self.assertEqual((self.dir / "r.h5").read_bytes(), (self.dir / "local.h5").read_bytes())

    def test_a_canceled_task_is_not_sent_again_and_the_merge_does_not_wait_for_it(self):
        array, merge = self.submit()
        victim = self.in_the_middle(array)
        self.cluster.run("scancel", f"{array}_{victim}")
        self.cluster.wait_for(lambda: not {"PENDING", "RUNNING", "COMPLETING"} & {*self.cluster.states(array).values(), *self.cluster.states(merge).values()},
                              240, "the array to end")
        self.assertEqual(self.cluster.states(array)[str(victim)], "CANCELLED", self.log(array))
        self.assertEqual(set(self.cluster.states(merge).values()), {"CANCELLED"})
        self.assertIn("interrupted", self.log(f"{array}_{victim}"))
        # Part of the array is sent again, and then merged by hand.
        again = self.cluster.run("sbatch", "--parsable", f"--array={victim}", f"--output={self.dir}/again.log", ROOT / "scripts/slurm/sweep.sbatch",
                                 os.path.realpath(SIM), self.workload, self.dir / "r.h5", TASKS).strip()
        self.cluster.wait_for(lambda: set(self.cluster.states(again).values()) == {"COMPLETED"}, 120, "the task that was sent again")
        parts = [self.part(task) for task in range(TASKS)]
        self.sim("merge", *parts, "-o", "r.h5")
        self.sim("-w", self.workload, "-o", "local.h5", "-j2", "--format", "quiet")
        self.assertEqual((self.dir / "r.h5").read_bytes(), (self.dir / "local.h5").read_bytes())

    def test_a_wrong_workload_is_found_before_anything_is_sent(self):
        self.workload.write_text(SWEEP.replace("params.slots:", "params.slotz:"))
        done = subprocess.run([SUBMIT, self.workload, "--tasks", "2", "--sim", SIM], cwd=self.dir, env=self.cluster.env,
                              capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, 65)
        self.assertIn("did you mean '$slots'", done.stderr)
        self.assertEqual(self.cluster.run("squeue", "-h"), "")


if __name__ == "__main__":
    unittest.main()
