"""Four synthetic traces whose exact answers are known from a bare loop written for nothing else, and for the first three
from SimGrid as well: independent jobs first come first served (W1); four tenants whose priorities age while the queue
grows (W2), where keys that tie exactly must be compared exactly (evaluated as doubles the mean would be 15860.020620);
a layered graph by tail time (W3); rigid jobs with EASY backfilling (W4). Makespans count from the first submission."""

import sys
import unittest

from headroom_test import ROOT, EndToEnd

sys.path.insert(0, str(ROOT / "experiments" / "speed"))
from reference_traces import SLOTS, TENANTS, layered_graph, trace  # noqa: E402


class ReferenceWorkloads(EndToEnd):
    def answer(self, text, policy, tenants=""):
        self.write("jobs.swf", text)
        options = "{swf: jobs.swf, users: {1: a, 2: b, 3: c, 4: d}}" if tenants else "{swf: jobs.swf}"
        workload = self.write("w.yaml", f"cluster: {{slots: {SLOTS}}}\n{tenants}work: [{{trace: {options}}}]\n")
        metrics = self.sim_json("-w", workload, "-p", policy, "-o", "r.h5", "--force")["runs"][0]["metrics"]
        return f"{metrics['wait_time_mean']:.6f}", int(metrics["makespan"])

    def test_independent_jobs_first_come_first_served(self):
        self.assertEqual(self.answer(trace(10_000, 0.95, 1), "fcfs"), ("0.000000", 623836 - 1))
        self.assertEqual(self.answer(trace(100_000, 0.95, 1), "fcfs"), ("1.665830", 623369))

    def test_four_tenants_whose_priorities_age(self):
        self.assertEqual(self.answer(trace(10_000, 1.30, 2, tenants=True), "priority", TENANTS), ("170.951400", 197246 - 3))
        self.assertEqual(self.answer(trace(100_000, 1.30, 2, tenants=True), "priority", TENANTS), ("15860.027040", 439266 - 1))

    def test_a_layered_graph_by_tail_time(self):
        for tasks, makespan in ((10_000, 17385), (100_000, 77215)):
            self.write("w3.json", layered_graph(tasks, 3))
            workload = self.write("w.yaml", "cluster: {slots: 64}\nwork: [{trace: {wfformat: w3.json}}]\n")
            runs = self.sim_json("-w", workload, "-p", "tail_time", "-o", "r.h5", "--force")["runs"]
            self.assertEqual(runs[0]["metrics"]["makespan"], makespan)

    def test_rigid_jobs_with_easy_backfilling(self):
        self.assertEqual(self.answer(trace(10_000, 0.85, 4, rigid=True), "easy"), ("1047.197900", 1052487 - 51))
        self.assertEqual(self.answer(trace(100_000, 0.85, 4, rigid=True), "easy"), ("1771.652680", 10226828 - 185))


if __name__ == "__main__":
    unittest.main()
