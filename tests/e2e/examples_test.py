"""The example workloads give what was worked out by hand for them, in the results file and in the summary."""

import math
import unittest

import h5py
from headroom_test import EXAMPLES, HOUR, EndToEnd, rows, strings


class Example(EndToEnd):
    def run_example(self, name, *options):
        """(summary, open results) of an example."""
        summary = self.sim_json("-w", EXAMPLES / f"{name}.yaml", "-o", "r.h5", *options)
        results = h5py.File(self.dir / "r.h5", "r")
        self.addCleanup(results.close)
        self.assertTrue(all(run["status"] == "finished" for run in summary["runs"]))
        return summary, results


class DurationAndHold(Example):
    # Declarations end at 1, 2, 3 and 4 ms; the plan holds one of three slots until 4 + 100 ms. Held, all four become
    # eligible at 4 ms and the longest two start; 2.1 follows the plan at 104 ms, 2.0 follows 2.1 at 2.204 s. Raced, 2.0
    # and 2.1 start as soon as they are declared, 4.1 follows the plan, 4.0 follows 2.0 at 2.001 s. StepUp's "Duration
    # and Hold" prints the same order of starts.
    def starts(self, policy):
        summary, results = self.run_example("duration_and_hold", "-p", policy)
        started = dict(rows(results["stages"], "name", "started_at"))
        return started, summary["runs"][0]["metrics"]["makespan"]

    def test_held_the_longest_steps_go_first(self):
        started, makespan = self.starts("default")
        self.assertEqual(
            started, {"plan": 0.0, "sleep 4.1": 0.004, "sleep 4.0": 0.004, "sleep 2.1": 0.104, "sleep 2.0": 2.204}
        )
        self.assertEqual(makespan, 4.204)

    def test_raced_the_first_declared_go_first(self):
        started, makespan = self.starts("race")
        self.assertEqual(
            started, {"plan": 0.0, "sleep 2.0": 0.001, "sleep 2.1": 0.002, "sleep 4.1": 0.104, "sleep 4.0": 2.001}
        )
        self.assertEqual(makespan, 6.001)

    def test_the_hold_and_what_it_gated_are_recorded(self):
        _, results = self.run_example("duration_and_hold", "-p", "default")
        self.assertEqual(rows(results["holds"], "from", "to"), [(0.0, 0.004)])
        eligible = dict(rows(results["stages"], "name", "eligible_at"))
        declared = dict(rows(results["stages"], "name", "declared_at"))
        self.assertEqual({name: at for name, at in eligible.items() if name != "plan"}, dict.fromkeys(
            ["sleep 2.0", "sleep 2.1", "sleep 4.0", "sleep 4.1"], 0.004))
        self.assertEqual([declared[f"sleep {s}"] for s in ("2.0", "2.1", "4.0", "4.1")], [0.001, 0.002, 0.003, 0.004])
        self.assertEqual(dict(rows(results["stages"], "name", "kind"))["plan"], "plan")
        self.assertEqual(dict(rows(results["stages"], "name", "tail_time"))["sleep 4.1"], 4.1)


class HoldVsRace(Example):
    # Worked out by hand in experiments/hold_vs_race/README.md.
    MAKESPANS = {2: (6.204, 6.304), 3: (4.204, 6.001), 4: (4.104, 4.204), 5: (4.104, 4.104)}
    GAINS = {2: "1.016119", 3: "1.427450", 4: "1.024366", 5: "1.000000"}

    def test_eight_runs_have_their_makespans(self):
        summary, results = self.run_example("hold_vs_race")
        found = {(run["point"]["params.slots"], run["policy"]): run["metrics"]["makespan"] for run in summary["runs"]}
        expected = {
            (slots, policy): makespan
            for slots, pair in self.MAKESPANS.items()
            for policy, makespan in zip(("default", "race"), pair)
        }
        self.assertEqual(found, expected)
        self.assertEqual(list(results["runs/makespan"][:]), [m for pair in self.MAKESPANS.values() for m in pair])

    def test_the_gain_of_holding(self):
        summary, _ = self.run_example("hold_vs_race")
        gains = {gain["point"]["params.slots"]: f"{gain['hold_gain']:.6f}" for gain in summary["hold_gain"]}
        self.assertEqual(gains, self.GAINS)


class CatchUp(Example):
    # bulk (base -10) and 40 hourly jobs of 1.5 h (base 0) on one slot. An hour of waiting is worth 1, so who arrives in
    # bulk's first ten hours (stream[0] to [9]; at 10 h the bases are equal and bulk was declared first) passes it: ten
    # services end at 15 h, when bulk starts.
    def setUp(self):
        super().setUp()
        self.summary, self.results = self.run_example("catch_up")
        self.run_of = {run["policy"]: run for run in self.summary["runs"]}

    def by_workflow(self, policy, *columns):
        run = self.run_of[policy]["run"]
        return {row[1]: row[2:] for row in rows(self.results["workflows"], "run", "name", *columns) if row[0] == run}

    def test_the_order_of_service(self):
        for policy, place in (("default", 10), ("no_aging", 40)):
            started = self.by_workflow(policy, "started_at")
            order = sorted(started, key=lambda name: started[name])
            expected = [f"stream[{i}]" for i in range(40)]
            expected.insert(place, "bulk")
            self.assertEqual(order, expected)
            self.assertEqual([started[name][0] for name in order], [1.5 * HOUR * i for i in range(41)])

    def test_bulk_catches_up_after_ten_hours_of_age(self):
        bulk = self.by_workflow("default", "catch_up_age", "overtaken_until", "drain_time", "started_at")["bulk"]
        self.assertEqual(bulk, (10 * HOUR, 9 * HOUR, 5 * HOUR, 15 * HOUR))

    def test_without_aging_it_never_does(self):
        age, _, drain, start = self.by_workflow("no_aging", "catch_up_age", "overtaken_until", "drain_time", "started_at")["bulk"]
        self.assertEqual((age, start), (math.inf, 60 * HOUR))
        self.assertTrue(math.isnan(drain))

    def test_what_was_passed_over(self):
        for policy, hours in (("default", 13.5), ("no_aging", 58.5)):
            run = self.run_of[policy]["run"]
            over = {r[1]: r[2] for r in rows(self.results["stages"], "run", "workflow", "passed_over_time") if r[0] == run}
            self.assertEqual(sorted(over.values()), [0.0] * 40 + [hours * HOUR])
            self.assertEqual(self.run_of[policy]["metrics"]["passed_over_time_max"], hours * HOUR)

    def test_late_starved_and_the_mean_wait_that_no_order_can_change(self):
        for policy, late in (("default", 19), ("no_aging", 16)):
            metrics = self.run_of[policy]["metrics"]
            self.assertEqual(metrics["late_count"], late)
            self.assertEqual(metrics["starved_count"], 1)
            # 41 services of 1.5 h in a row less the submissions: (1.5 * (0 + … + 40) - (0 + … + 39)) / 41 = 450 / 41 h.
            self.assertAlmostEqual(metrics["wait_time_mean"] / HOUR, 450 / 41, places=12)
            self.assertEqual(f"{metrics['wait_time_mean'] / HOUR:.4f}", "10.9756")


class OtherExamples(Example):
    def test_a_cluster_of_nodes_and_a_pool_finishes_under_every_policy_it_names(self):
        summary, results = self.run_example("cluster")
        self.assertEqual([run["policy"] for run in summary["runs"]], ["default", "easy"])
        for run in summary["runs"]:
            solve, check = (
                next(r for r in rows(results["stages"], "run", "name", "started_at", "finished_at") if r[:2] == (run["run"], name))
                for name in ("solve", "check")
            )
            self.assertGreaterEqual(check[2], solve[3])

    def test_a_trace_beside_the_workload(self):
        summary, results = self.run_example("trace")
        self.assertEqual([run["metrics"]["n"] for run in summary["runs"]], [10, 10, 10])
        def starts(run):
            return [row[2] for row in rows(results["workflows"], "run", "name", "started_at") if row[0] == run]

        # FCFS on 8 processors: 1 (4 wide) to 3000; 2 (all 8) to 6400; then 3, 4 and 5 (2 + 4 + 2); 6 (6 wide) when 5 has
        # ended at 6900 and 4 at 7000; 7 (1 wide) when 3 has ended at 7900.
        self.assertEqual(starts(0)[:7], [0.0, 3000.0, 6400.0, 6400.0, 6400.0, 7000.0, 7900.0])
        # EASY: 2 is reserved for 3600, when job 1 ends by its estimate, and leaves nothing spare. By then end, by their
        # estimates: 3 at 600 (2400), 5 at 1200 (2100), 7 at 1800 (2400), 9 at 2400 (3600), 10 at 3000 (3600); not 4 nor 8.
        # 1 ends at 3000, 9 at 3400: then 2 starts, before its reservation, and ends at 6800.
        by_number = dict(enumerate(starts(1), 1))
        self.assertEqual([by_number[i] for i in (1, 2, 3, 5, 7, 9, 10)], [0.0, 3400.0, 600.0, 1200.0, 1800.0, 2400.0, 3000.0])
        self.assertEqual(by_number[4], 6800.0)


class Vocabulary(Example):
    # Counts as the file gives them; a fork_join has two stages more than it is wide, a tree 1 + 2 + 4 + 8.
    WORKFLOWS = {"gaps": 30, "calm_and_busy": 30, "tails": 30, "two_kinds": 20, "absent": 0, "chain": 3, "tree": 3}
    STAGES = {"chain[0]": 4, "layered[1]": 15, "random[2]": 12, "tree[0]": 15, "diamond[1]": 16, "in_batches": 12}

    def test_there_is_as_much_of_each_as_it_says(self):
        summary, results = self.run_example("vocabulary")
        first = [row[1] for row in rows(results["workflows"], "run", "name") if row[0] == 0]
        for name, count in self.WORKFLOWS.items():
            self.assertEqual(sum(workflow.startswith(f"{name}[") for workflow in first), count, name)
        names = strings(results["workflows/name"])
        stages = [names[workflow] for run, workflow in rows(results["stages"], "run", "workflow") if run == 0]
        for name, count in self.STAGES.items():
            self.assertEqual(stages.count(name), count, name)

    def test_the_rate_of_the_load_is_said_and_stored_and_the_file_of_values_is_an_input(self):
        # 0.7 x 1 core x 5 min exp(0.9^2 / 2) + 0.3 x 9.6 cores x 20 min = 1.04746 core-hours; 0.3 of 80 cores is 24.
        work = 0.7 * 5 / 60 * math.exp(0.405) + 0.3 * 9.6 / 3
        text = f"base: load 0.3 of 80 cores is a rate of {24 / work:.6g}/h ({work:.6g} core-hours a workflow)"
        self.assertIn(text, " ".join(self.sim("-w", EXAMPLES / "vocabulary.yaml", "--dry-run").stdout.split()))
        _, results = self.run_example("vocabulary")
        self.assertEqual(results["config/arrival_rates"][()].decode(), text + "\n")
        self.assertEqual(strings(results["config/input_path"]), ["vocabulary.yaml", "gaps.txt"])

    def test_the_same_bytes_from_one_thread_and_from_two(self):
        for name, jobs in (("one.h5", "-j1"), ("two.h5", "-j2"), ("again.h5", "-j2")):
            self.sim("-w", EXAMPLES / "vocabulary.yaml", "-o", name, jobs, "--format", "quiet")
        one = (self.dir / "one.h5").read_bytes()
        self.assertEqual(one, (self.dir / "two.h5").read_bytes())
        self.assertEqual(one, (self.dir / "again.h5").read_bytes())


if __name__ == "__main__":
    unittest.main()
