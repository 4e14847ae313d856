"""What the program says and with which status it ends."""

import json
import os
import unittest

import h5py
from headroom_test import BAD_INPUT, CANNOT_CREATE, EXAMPLES, NO_INPUT, OK, RUN_FAILED, SAID_NO, USAGE, EndToEnd

EXAMPLE = EXAMPLES / "duration_and_hold.yaml"
ONE_JOB = "work: [{workflow: a, stages: [{name: s, runtime: 1s}]}]\n"


class Statuses(EndToEnd):
    def test_a_finished_run_is_0_and_its_results_lie_where_the_caller_is(self):
        self.sim("--workload", EXAMPLE, "--policy", "default")
        self.assertTrue((self.dir / "duration_and_hold.h5").is_file())

    def test_usage_is_2_and_writes_nothing(self):
        for arguments in ([], ["--no-such-option"], ["-w", EXAMPLE, "-j", "0"], ["-w", EXAMPLE, "--format", "xml"], ["nonsense"]):
            done = self.sim(*arguments, status=USAGE)
            self.assertNotEqual(done.stderr, "", arguments)
        self.assertEqual(list(self.dir.iterdir()), [])

    def test_a_missing_workload_is_66(self):
        self.assertIn("nowhere.yaml", self.sim("-w", "nowhere.yaml", status=NO_INPUT).stderr)

    def test_an_unknown_policy_names_the_nearest_one(self):
        done = self.sim("-w", EXAMPLE, "-p", "defualt", status=USAGE)
        self.assertIn("did you mean 'default'", done.stderr)

    def test_results_are_never_overwritten_unless_that_is_asked_for(self):
        self.write("r.h5", "precious")
        self.sim("-w", EXAMPLE, "-o", "r.h5", status=CANNOT_CREATE)
        self.assertEqual((self.dir / "r.h5").read_text(), "precious")
        self.sim("-w", EXAMPLE, "-o", "r.h5", "--force")
        with h5py.File(self.dir / "r.h5", "r") as file:
            self.assertEqual(float(file["runs/makespan"][0]), 4.204)

    def test_a_folder_that_is_not_there_is_73(self):
        done = self.sim("-w", EXAMPLE, "-o", "no/such/r.h5", status=CANNOT_CREATE)
        self.assertIn("no/such", done.stderr)

    def test_a_stalled_run_is_1_and_says_what_waits_for_what(self):
        workload = self.write(
            "w.yaml", "work: [{workflow: a, plan: {steps: [{name: use, runtime: 1s, inputs: [nobody.json]}]}}]\n")
        done = self.sim("-w", workload, "-o", "r.h5", status=RUN_FAILED)
        self.assertIn("nobody.json", done.stdout + done.stderr)
        with h5py.File(self.dir / "r.h5", "r") as file:
            self.assertTrue(any(b"nobody.json" in text for text in file["warnings/text"][:]))

    def test_strict_turns_a_warning_into_3(self):
        # Stopped after ten hours most of the cohort has not started: censored (W03).
        stopped = ("-w", EXAMPLES / "catch_up.yaml", "--set", "measure.give_up=10h", "-o", "r.h5", "--force")
        self.assertIn("W03", self.sim(*stopped).stdout)
        self.sim(*stopped, "--strict", status=SAID_NO)

    def test_the_summary_goes_to_stdout_and_all_else_to_stderr(self):
        done = self.sim("-w", EXAMPLE, "--format", "quiet")
        self.assertEqual(done.stdout, "")
        done = self.sim("-w", EXAMPLE, "-o", "2.h5")
        self.assertIn("4.204", done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100)
        json.loads(self.sim("-w", EXAMPLE, "-o", "3.h5", "--format", "json").stdout)

    def test_nothing_to_write_to_is_reported_not_ignored(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        import subprocess

        from headroom_test import SIM

        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([SIM, "-w", EXAMPLE, "-o", self.dir / "r.h5"], stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 74, done.stderr)

    def test_version_and_help(self):
        self.assertIn("0.1.0", self.sim("--version").stdout)
        for command in ([], ["run"], ["check"], ["policies"], ["export"]):
            self.assertIn("sim", self.sim(*command, "--help").stdout)


class Options(EndToEnd):
    def test_set_changes_one_value_and_the_file_stays(self):
        summary = self.sim_json("-w", EXAMPLE, "-p", "race", "-o", "r.h5", "--set", "cluster.slots=5")
        self.assertEqual(summary["runs"][0]["metrics"]["makespan"], 4.104)

    def test_set_of_a_key_that_is_not_there_is_an_error(self):
        done = self.sim("-w", EXAMPLE, "--set", "cluster.slotz=5", status=BAD_INPUT)
        self.assertIn("slots", done.stderr)

    def test_set_of_a_swept_path_is_an_error(self):
        self.sim("-w", EXAMPLES / "hold_vs_race.yaml", "--set", "params.slots=3", status=BAD_INPUT)

    def test_policies_stand_side_by_side(self):
        summary = self.sim_json("-w", EXAMPLE, "-p", "default,race", "-p", "declaration", "-o", "r.h5")
        self.assertEqual([run["policy"] for run in summary["runs"]], ["default", "race", "declaration"])

    def test_replications_of_what_is_not_random_are_refused(self):
        done = self.sim("-w", EXAMPLE, "--replications", "3", status=BAD_INPUT)
        self.assertIn("random", done.stderr)

    def test_the_seed_decides_and_replications_differ(self):
        workload = self.write("w.yaml", "work: [{generate: {name: g, count: 50, arrivals: {poisson: {rate: 1/min}}, "
                              "runtime: {exponential: {mean: 50s}}}}]\n")
        def makespans(*options):
            self.sim("-w", workload, "-o", "r.h5", "--force", "--format", "quiet", *options)
            with h5py.File(self.dir / "r.h5", "r") as file:
                return list(file["runs/makespan"][:])
        first = makespans("--seed", "7", "--replications", "3")
        self.assertEqual(len(set(first)), 3)
        self.assertEqual(makespans("--seed", "7", "--replications", "3"), first)
        self.assertEqual(makespans("--seed", "7"), first[:1])
        self.assertNotEqual(makespans("--seed", "8"), first[:1])

    def test_a_dry_run_says_what_it_would_do_and_writes_nothing(self):
        done = self.sim("-w", EXAMPLES / "hold_vs_race.yaml", "-o", "r.h5", "--dry-run")
        self.assertIn("8", done.stdout)
        self.assertEqual(list(self.dir.iterdir()), [])

    def test_a_workload_from_stdin(self):
        self.sim("-w", "-", "-o", "r.h5", stdin=ONE_JOB)
        self.assertTrue((self.dir / "r.h5").is_file())

    def test_a_trace_is_seen_from_its_content(self):
        self.sim("-w", EXAMPLES / "small.swf", "-p", "easy", "-o", "r.h5")
        with h5py.File(self.dir / "r.h5", "r") as file:
            self.assertEqual(int(file["runs/n"][0]), 10)


class Check(EndToEnd):
    def test_good_files_are_said_to_be_good(self):
        self.sim("check", *sorted(EXAMPLES.glob("*.yaml")), status=OK)

    def test_all_errors_of_a_file_at_once_with_line_column_and_caret(self):
        self.write("bad.yaml", "cluster: {slotz: 3}\nwork:\n  - workflow: a\n    at: -5s\n    stages:\n"
                               "      - {name: s, runtime: 1s, needs: [t]}\n")
        done = self.sim("check", "bad.yaml", status=BAD_INPUT)
        text = done.stdout + done.stderr
        for place in ("bad.yaml:1:11:", "bad.yaml:4:9:", "bad.yaml:6:"):
            self.assertIn(place, text)
        self.assertIn("did you mean 'slots'", text)
        self.assertIn("^", text)

    def test_a_run_of_a_bad_file_writes_nothing(self):
        self.write("bad.yaml", "work: 3\n")
        self.sim("-w", "bad.yaml", "-o", "r.h5", status=BAD_INPUT)
        self.assertEqual([path.name for path in self.dir.iterdir()], ["bad.yaml"])

    def test_what_a_later_version_brings_is_refused_by_name(self):
        self.write("later.yaml", ONE_JOB + "actions: [{at: 1s, by: root, stop: {workflow: a}}]\n")
        done = self.sim("check", "later.yaml", status=BAD_INPUT)
        self.assertIn("actions", done.stdout + done.stderr)

    def test_policies_are_listed_with_how_their_order_is_kept(self):
        text = self.sim("policies").stdout
        for name in ("default", "no_aging", "race", "priority", "tail_time", "declaration", "fcfs", "easy", "easy_sjbf",
                     "conservative", "sjf", "ljf", "random"):
            self.assertRegex(text, rf"(?m)^\s*{name}\b")
        self.assertIn("static", self.sim("policies", "default").stdout)


if __name__ == "__main__":
    unittest.main()
