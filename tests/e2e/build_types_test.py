"""The unoptimised build with sanitizers and the optimised one give the same bytes: every example, and one workload under
every preset. Nothing may hang on optimisation, on uninitialised memory or on the order of evaluation."""

import pathlib
import subprocess
import unittest

from headroom_test import EXAMPLES, OK, ROOT, SIM, EndToEnd, skip_or_fail

DEBUG = ROOT / "build/dev/bin/sim"

EVERYTHING = """
cluster:
  nodes:
    - {name: cpu, count: 3, cores: 8, memory: 32GiB}
    - {name: gpu, count: 1, cores: 4, memory: 64GiB, gpus: 2}
  pools: {license: 2}
work:
  - generate: {name: small, count: 150, arrivals: {poisson: {rate: 200/h}}, runtime: {lognormal: {median: 4min, sigma: 1.1}},
               cores: {choose: {1: 0.5, 2: 0.3, 8: 0.2}}, priority: {choose: {0: 0.7, -3: 0.3}}}
  - generate: {name: even, count: 40, arrivals: {periodic: {every: 1min}}, runtime: {uniform: [1min, 9min]}}
  - generate: {name: crowd, count: 30, arrivals: {burst: {at: 5min, every: 20min, size: 10}}, runtime: {exponential: {mean: 3min}}}
  - workflow: graph
    at: 2min
    stages:
      - {name: fetch, runtime: 5min, estimate: 4min}
      - {name: solver, runtime: 20min, needs: [fetch], cores: 2, gpus: 1, walltime: 15min, retry: 1}
      - {name: shard, runtime: {lognormal: {median: 2min, sigma: 0.8}}, needs: [fetch], count: 20, nodes: 2, cores: 3}
  - workflow: build
    at: 3min
    plan:
      startup: 50ms
      declare: 1ms
      teardown: 50ms
      steps:
        - hold:
            - {name: cc, count: 60, runtime: {lognormal: {median: 30s, sigma: 0.9}}, fails: {probability: 0.05}, retry: 2}
        - {name: test, count: 60, runtime: 20s, needs: ["cc[i]"]}
policies: [POLICIES, {policy: mine, ties: [largest, shortest], placement: conservative, hold: ignore},
           {policy: yours, ties: [random], placement: easy, backfill: shortest}]
sweep: {replications: 2}
"""


class BuildTypes(EndToEnd):
    def test_both_builds_give_the_same_bytes(self):
        if not DEBUG.is_file():
            skip_or_fail(self, f"no {DEBUG.relative_to(ROOT)} to compare with")
        if DEBUG.resolve() == pathlib.Path(SIM).resolve():
            self.skipTest("this is the build that would be compared with itself")
        presets = [line.split()[0] for line in self.sim("policies").stdout.splitlines() if line[:1].isalpha()]
        self.assertIn("conservative", presets)
        everything = self.write("everything.yaml", EVERYTHING.replace("POLICIES", ", ".join(presets)))
        for workload in [everything, *sorted(EXAMPLES.glob("*.yaml"))]:
            with self.subTest(workload.name):
                self.sim("-w", workload, "-o", "release.h5", "--format", "quiet", "--force", "-j2")
                done = subprocess.run([DEBUG, "-w", workload, "-o", "debug.h5", "--format", "quiet", "--force", "-j2"],
                                      cwd=self.dir, capture_output=True, text=True, timeout=240, check=False)
                self.assertEqual(done.returncode, OK, done.stderr[-3000:])
                self.assertEqual((self.dir / "debug.h5").read_bytes(), (self.dir / "release.h5").read_bytes())


if __name__ == "__main__":
    unittest.main()
