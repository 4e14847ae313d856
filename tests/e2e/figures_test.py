"""The figures are drawn from results alone, the same bytes each time; the committed ones are what the scripts draw now."""

import subprocess
import sys
import unittest

from headroom_test import EXAMPLES, ROOT, EndToEnd

# The version with which the committed figures were drawn (Debian 12); another one may draw other bytes.
MATPLOTLIB = "3.6.3"


class Figures(EndToEnd):
    def draw(self, script, *arguments, status=0):
        done = subprocess.run([sys.executable, "-B", str(ROOT / "scripts/plot" / script), *map(str, arguments)],
                              cwd=self.dir, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def results(self, workload, *options):
        self.sim("-w", workload, "-o", "r.h5", "--force", "--format", "quiet", *options)
        return self.dir / "r.h5"

    def assert_committed(self, drawn, committed):
        import matplotlib

        if matplotlib.__version__ == MATPLOTLIB:
            self.assertEqual((self.dir / drawn).read_bytes(), committed.read_bytes(), f"{committed} is not what is drawn now")

    def test_the_gantt_chart_of_the_readme(self):
        results = self.results(EXAMPLES / "duration_and_hold.yaml", "-p", "default,race")
        self.draw("gantt.py", results, "-o", "g.svg")
        text = (self.dir / "g.svg").read_text(encoding="utf-8")
        self.assertIn("<svg", text)
        self.assert_committed("g.svg", ROOT / "docs/duration_and_hold.svg")

    def test_the_makespans_of_the_experiment(self):
        results = self.results(ROOT / "experiments/hold_vs_race/sweep.yaml")
        self.draw("makespan.py", results, "-o", "m.svg")
        self.assert_committed("m.svg", ROOT / "experiments/hold_vs_race/makespan.svg")

    def test_the_same_results_give_the_same_bytes_in_every_format(self):
        results = self.results(EXAMPLES / "hold_vs_race.yaml")
        for script in ("gantt.py", "makespan.py"):
            for kind in ("svg", "pdf", "png"):
                for name in ("a", "b"):
                    self.draw(script, results, "-o", f"{name}.{kind}")
                self.assertEqual((self.dir / f"a.{kind}").read_bytes(), (self.dir / f"b.{kind}").read_bytes())

    def test_every_example_that_records_stages_can_be_drawn(self):
        for name in ("catch_up", "cluster", "trace"):
            results = self.results(EXAMPLES / f"{name}.yaml")
            self.draw("gantt.py", results, "-o", f"{name}.svg")

    def test_a_sweep_with_replications(self):
        workload = self.write("w.yaml", "params: {slots: 1}\ncluster: {slots: $slots}\nwork: [{generate: {name: g, count: 20, "
                              "arrivals: {poisson: {rate: 1/min}}, runtime: {exponential: {mean: 50s}}}}]\npolicies: [fcfs, sjf]\n"
                              "sweep: {replications: 3, vary: {params.slots: [1, 2]}}\n")
        results = self.results(workload)
        self.draw("makespan.py", results, "-o", "m.png")
        self.draw("makespan.py", results, "--metric", "wait_time_mean", "-o", "w.png")

    def test_what_cannot_be_drawn_is_said_in_one_line(self):
        self.assertIn("no such file", self.draw("gantt.py", "none.h5", "-o", "g.svg", status=66).stderr)
        self.write("text.h5", "no results")
        self.assertIn("not a results file", self.draw("makespan.py", "text.h5", "-o", "g.svg", status=65).stderr)
        results = self.results(EXAMPLES / "duration_and_hold.yaml")
        for script, arguments, says in (
            ("gantt.py", [results, "-o", "g.gif"], ".svg"),
            ("gantt.py", [results, "-o", "g.svg", "--run", "7"], "no run 7"),
            ("makespan.py", [results, "-o", "m.svg"], "nothing was swept"),
        ):
            stderr = self.draw(script, *arguments, status=1).stderr
            self.assertIn(says, stderr)
            self.assertEqual(len(stderr.splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
