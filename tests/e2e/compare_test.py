"""sim compare: what a policy changes, as a review and a policy repository's CI read it."""

import json
import unittest

from headroom_test import BAD_INPUT, EXAMPLES, NO_INPUT, SAID_NO, USAGE, EndToEnd

QUEUE = """
name: queue
cluster: {slots: 1}
work:
  - generate: {name: small, count: 300, arrivals: {poisson: {rate: 50/h}}, runtime: {exponential: {mean: 60s}}}
policies: [fcfs, sjf, ljf]
sweep: {replications: 20}
compare: {baseline: fcfs, primary: wait_time_mean, margin: 1%}
"""


class Compare(EndToEnd):
    def run_it(self, text, out="r.h5", *more):
        self.sim("-w", self.write("w.yaml", text), "-o", out, "--format", "quiet", "--force", *more)
        return out

    def test_the_table_says_the_verdict_first_and_fits_a_terminal(self):
        self.run_it(QUEUE)
        out = self.sim("compare", "r.h5").stdout
        lines = out.splitlines()
        self.assertEqual(lines[0], "queue: policy sjf, ljf beside fcfs")
        self.assertIn("20 replications, paired", lines[1])
        self.assertIn("primary: wait_time_mean, margin 1%", out)
        self.assertRegex(out, r"sjf beside fcfs: better by more than 1% \(p [<=] [0-9.]+ by Holm\)")
        self.assertRegex(out, r"ljf beside fcfs: worse by more than 1%")
        self.assertLess(max(map(len, lines)), 101)

    def test_without_a_primary_metric_there_are_no_verdicts(self):
        self.run_it(QUEUE.replace("compare: {baseline: fcfs, primary: wait_time_mean, margin: 1%}", ""))
        out = self.sim("compare", "r.h5").stdout
        self.assertIn("chosen afterwards", out)
        for word in ("better by", "worse by", "equivalent", "undecided"):
            self.assertNotIn(word, out)

    def test_the_section_is_found_in_the_file_after_set(self):
        self.run_it(QUEUE, "r.h5", "--set", "compare.baseline=ljf")
        answer = json.loads(self.sim("compare", "r.h5", "--format", "json").stdout)
        self.assertEqual(answer["baseline"], "ljf")
        self.assertEqual([v["verdict"] for v in answer["primary"]["verdicts"]], ["better", "better"])
        row = answer["rows"][0]
        self.assertEqual((row["metric"], row["n"]), ("wait_time_mean", 20))
        self.assertLess(row["interval"][0], row["difference"])
        self.assertLess(row["difference"], row["interval"][1])

    def test_gates_answer_with_the_exit_status(self):
        self.run_it(QUEUE)
        self.sim("compare", "r.h5", "--fail-if", "wait_time_mean > +500%")
        failed = self.sim("compare", "r.h5", "--fail-if", "wait_time_mean > +5%", status=SAID_NO)
        self.assertIn("shown: wait_time_mean > +5%, policy ljf beside fcfs", failed.stderr)
        self.assertNotIn("sjf beside", failed.stderr)
        missed = self.sim("compare", "r.h5", "--require", "wait_time_mean < -1s", status=SAID_NO)
        self.assertIn("not shown: wait_time_mean < -1s, policy ljf beside fcfs", missed.stderr)
        self.sim("compare", "r.h5", "--require", "utilization <= 1", "--require", "makespan < 24h")
        # What is neither shown nor refuted fails no --fail-if and passes no --require.
        for gate in ("makespan < -1ms", "makespan > +1ms"):
            self.sim("compare", "r.h5", "--fail-if", gate)
            self.sim("compare", "r.h5", "--require", gate, status=SAID_NO)

    def test_one_replication_shows_nothing(self):
        self.run_it(QUEUE, "r.h5", "--replications", "1")
        self.assertIn("one replication: there is no interval", self.sim("compare", "r.h5").stdout)
        refused = self.sim("compare", "r.h5", "--fail-if", "wait_time_mean > +5%", status=USAGE)
        self.assertIn("nothing can be shown of sjf by one replication", refused.stderr)

    def test_what_is_not_random_is_exact(self):
        self.sim("-w", EXAMPLES / "hold_vs_race.yaml", "-o", "h.h5", "--format", "quiet")
        out = self.sim("compare", "h.h5", "--require", "makespan > +10%").stdout
        self.assertIn("nothing is random here: differences are exact", out)
        self.assertIn("makespan of workflows, race / default (above 1: holding helped)", out)
        self.assertIn("1.4275", out)  # three slots: 6.001 / 4.204
        markdown = self.sim("compare", "h.h5", "--format", "markdown").stdout
        self.assertIn("| params.slots | policy | default | race | difference | relative | 95 % interval |", markdown)

    def test_forced_equality_is_said(self):
        self.run_it(QUEUE.replace("{exponential: {mean: 60s}}", "60s"))
        out = self.sim("compare", "r.h5").stdout
        self.assertIn("mean wait cannot differ", out)
        self.assertRegex(out, r"equivalent within 1%")
        self.run_it(QUEUE)
        self.assertNotIn("cannot differ", self.sim("compare", "r.h5").stdout)
        two = "nodes: [{name: a, cores: 1}, {name: b, cores: 1}]"
        self.run_it(QUEUE.replace("{exponential: {mean: 60s}}", "60s").replace("slots: 1", two))
        self.assertNotIn("cannot differ", self.sim("compare", "r.h5").stdout, "two slots")

    def test_who_pays(self):
        self.run_it(QUEUE)
        out = self.sim("compare", "r.h5", "--by", "user").stdout
        self.assertIn("who pays, by user: waits under sjf - under fcfs", out)
        self.assertIn("gained", out)
        by_job = json.loads(self.sim("compare", "r.h5", "--by", "job", "--format", "json").stdout)
        self.assertEqual(len(by_job["payers"]), 600)

    def test_what_is_wrong_is_said(self):
        self.run_it(QUEUE)
        for arguments, status, text in (
            (("r.h5", "--by", "polcy"), USAGE, "did you mean 'policy'"),
            (("r.h5", "--baseline", "sfj"), USAGE, "did you mean 'sjf'"),
            (("r.h5", "--metric", "makespann"), USAGE, "did you mean 'makespan'"),
            (("r.h5", "--metric", "wait_time"), USAGE, "did you mean 'wait_time_mean'"),
            (("r.h5", "--metric", "a("), USAGE, "takes a metric"),
            (("r.h5", "--fail-if", "makespan"), USAGE, "there is no <"),
            (("r.h5", "r.h5"), USAGE, "named twice"),
            (("r.h5", "b", "c"), USAGE, "unexpected argument 'c'"),
            ((), USAGE, "no results file"),
            (("none.h5",), NO_INPUT, "no such file"),
            (("w.yaml",), BAD_INPUT, "cannot be read as results"),
        ):
            with self.subTest(arguments):
                self.assertIn(text, self.sim("compare", *arguments, status=status).stderr)
        one = self.write("one.yaml", "work: [{workflow: a, stages: [{name: s, runtime: 1s}]}]\n")
        self.sim("-w", one, "-o", "one.h5", "--format", "quiet")
        self.assertIn("nothing to compare with", self.sim("compare", "one.h5", status=USAGE).stderr)


if __name__ == "__main__":
    unittest.main()
