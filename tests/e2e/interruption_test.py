"""Bytes depend neither on threads nor on interruptions, and nothing half-written ever bears the final name."""

import os
import random
import signal
import subprocess
import sys
import time
import unittest

from headroom_test import BAD_INPUT, EXAMPLES, INTERRUPTED, SIM, EndToEnd

# Enough runs, each long enough, that a kill falls between two of them.
SWEEP = """
name: many
params: {slots: 2}
cluster: {slots: $slots}
work:
  - generate: {name: g, count: 10000, arrivals: {poisson: {rate: 100/h}}, runtime: {exponential: {mean: 60s}}}
policies: [default, sjf]
sweep: {replications: 5, vary: {params.slots: [2, 3]}}
"""


class Bytes(EndToEnd):
    def run_to(self, workload, name, *options):
        self.sim("-w", workload, "-o", name, "--format", "quiet", *options)
        return (self.dir / name).read_bytes()

    def test_one_thread_and_two_give_the_same_bytes(self):
        for workload in (EXAMPLES / "hold_vs_race.yaml", self.write("many.yaml", SWEEP.replace("10000", "500"))):
            self.assertEqual(self.run_to(workload, "one.h5", "-j1", "--force"), self.run_to(workload, "two.h5", "-j2", "--force"))

    def test_the_same_command_gives_the_same_bytes_a_second_later(self):
        first = self.run_to(EXAMPLES / "catch_up.yaml", "a.h5")
        time.sleep(1.1)
        self.assertEqual(self.run_to(EXAMPLES / "catch_up.yaml", "b.h5"), first)

    def test_nothing_is_left_beside_the_results(self):
        self.run_to(EXAMPLES / "catch_up.yaml", "a.h5")
        self.assertLessEqual({path.name for path in self.dir.iterdir()}, {"a.h5", "a.h5.perf.json"})


class Killed(EndToEnd):
    def setUp(self):
        super().setUp()
        self.workload = self.write("many.yaml", SWEEP)

    def kill_after_some_runs(self, how, name="cut.h5"):
        """Starts the sweep, sends the signal once a few runs are done. Returns the status."""
        process = subprocess.Popen([SIM, "-w", self.workload, "-o", self.dir / name, "-j2", "--format", "quiet"],
                                   cwd=self.dir, stderr=subprocess.DEVNULL)
        part = self.dir / f"{name}.part"
        deadline = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < deadline:
            # What is still being written has a temporary name; beside the runs there is what says which study they are of.
            if part.is_dir() and sum(1 for path in part.iterdir() if path.suffix != ".tmp") >= 6:
                process.send_signal(how)
                break
            time.sleep(0.005)
        return process.wait(timeout=120)

    def test_killed_it_leaves_nothing_under_the_final_name_and_resumes_to_the_same_bytes(self):
        self.sim("-w", self.workload, "-o", "whole.h5", "-j2", "--format", "quiet")
        self.assertEqual(self.kill_after_some_runs(signal.SIGKILL), -signal.SIGKILL, "the sweep was over before it was killed")
        self.assertFalse((self.dir / "cut.h5").exists())
        self.assertTrue((self.dir / "cut.h5.part").is_dir())
        self.sim("-w", self.workload, "-o", "cut.h5", "--resume", "-j1", "--format", "quiet")
        self.assertEqual((self.dir / "cut.h5").read_bytes(), (self.dir / "whole.h5").read_bytes())
        self.assertFalse((self.dir / "cut.h5.part").exists())

    def test_an_interrupt_keeps_the_finished_runs_and_is_130(self):
        self.assertEqual(self.kill_after_some_runs(signal.SIGINT), INTERRUPTED)
        self.assertFalse((self.dir / "cut.h5").exists())
        self.assertTrue((self.dir / "cut.h5.part").is_dir())

    def test_parts_of_another_configuration_are_not_resumed(self):
        self.assertEqual(self.kill_after_some_runs(signal.SIGKILL), -signal.SIGKILL)
        self.sim("-w", self.workload, "-o", "cut.h5", "--resume", "--seed", "99", status=BAD_INPUT)

    def test_two_at_once_on_one_results_file_do_not_mix(self):
        first = subprocess.Popen([SIM, "-w", self.workload, "-o", self.dir / "r.h5", "-j1", "--format", "quiet"], stderr=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + 60
            while not (self.dir / "r.h5.part").is_dir() and time.monotonic() < deadline:
                time.sleep(0.005)
            second = subprocess.run([SIM, "-w", self.workload, "-o", self.dir / "r.h5", "-j1", "--resume", "--format", "quiet"],
                                    capture_output=True, text=True, check=False, timeout=60)
            self.assertNotEqual(second.returncode, 0)
            self.assertNotEqual(second.stderr, "")
        finally:
            first.kill()
            first.wait()


class KilledAtRandom(EndToEnd):
    """At whatever moment it is killed, a sweep can be taken up again, and nobody can tell from the results."""

    KILLS = 20
    SMALL = SWEEP.replace("10000", "1500")  # short runs, so that kills fall on every part of the work

    def test_twenty_kills_at_random_moments_leave_no_trace(self):
        seed = int(os.environ.get("HEADROOM_SEED", time.time_ns() % 1_000_000))
        print(f"HEADROOM_SEED={seed} gives these moments again", file=sys.stderr)
        random_moment = random.Random(seed)
        workload = self.write("many.yaml", self.SMALL)
        began = time.monotonic()
        self.sim("-w", workload, "-o", "whole.h5", "-j2", "--format", "quiet")
        length = time.monotonic() - began
        whole = (self.dir / "whole.h5").read_bytes()
        struck, study, resume = 0, 0, []
        while struck < self.KILLS:
            name = f"cut{study}.h5"
            moment = random_moment.uniform(0, 1.1 * length)
            process = subprocess.Popen([SIM, "-w", workload, "-o", name, "-j2", "--format", "quiet", *resume],
                                       cwd=self.dir, stderr=subprocess.PIPE)
            try:
                process.wait(timeout=moment)
            except subprocess.TimeoutExpired:
                process.kill()
            complaint = process.communicate()[1].decode()
            with self.subTest(seed=seed, study=study, struck=struck, moment=moment):
                if process.returncode == -signal.SIGKILL:
                    struck += 1
                    # The last thing that happens is that the results get their name: until then nothing bears it.
                    if (self.dir / name).exists():
                        self.assertEqual((self.dir / name).read_bytes(), whole)
                        study, resume = study + 1, []
                        continue
                    resume = ["--resume"]
                    if random_moment.random() < 0.5:
                        continue  # and killed again while it resumes
                    self.sim("-w", workload, "-o", name, "-j2", "--format", "quiet", "--resume")
                else:
                    self.assertEqual(process.returncode, 0, complaint)
                self.assertEqual((self.dir / name).read_bytes(), whole)
                self.assertFalse((self.dir / f"{name}.part").exists())
            study, resume = study + 1, []


if __name__ == "__main__":
    unittest.main()
