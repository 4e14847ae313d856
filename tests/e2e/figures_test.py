"""The figures are drawn from results alone, the same bytes each time; the committed ones are what the scripts draw now."""

import contextlib
import io
import runpy
import subprocess
import sys
import unittest
from unittest import mock

from headroom_test import EXAMPLES, ROOT, EndToEnd

# The version with which the committed figures were drawn (Debian 12); another one may draw other bytes.
MATPLOTLIB = "3.6.3"


class Figures(EndToEnd):
    def draw(self, script, *arguments, status=0):
        """Runs a script in this process (matplotlib takes a second to load); returns what it wrote to stderr."""
        path, stderr, ended = ROOT / "scripts/plot" / script, io.StringIO(), 0
        files = [str(self.dir / a) if isinstance(a, str) and "." in a else str(a) for a in arguments]
        with mock.patch.object(sys, "argv", [str(path), *files]), mock.patch.object(sys, "path", [str(path.parent), *sys.path]):
            with contextlib.redirect_stderr(stderr):
                try:
                    runpy.run_path(str(path), run_name="__main__")
                except SystemExit as end:
                    ended = end.code
        if isinstance(ended, str):  # sys.exit("why")
            stderr.write(ended + "\n")
            ended = 1
        self.assertEqual(ended, status, stderr.getvalue())
        return stderr.getvalue()

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

    def test_the_figures_of_the_experiments_on_priority(self):
        for experiment, script, options in (
            ("aging_catch_up", "priorities", ["--run", 9, "--run", 10, "--run", 11]),
            ("starvation", "starvation", ["--run", 8, "--run", 9, "--run", 10, "--run", 11, "--threshold", 23.5]),
            ("headroom", "queue", ["--by", "item", "--run", 2, "--run", 18]),
        ):
            folder = ROOT / "experiments" / experiment
            results = self.results(folder / "sweep.yaml")
            drawn = f"{script}.svg"
            self.draw(f"{script}.py", results, "-o", drawn, *options)
            self.assert_committed(drawn, folder / drawn)
            command = " ".join([f"scripts/plot/{script}.py", f"build/results/{experiment}.h5", *map(str, options)])
            readme = (folder / "README.md").read_text(encoding="utf-8")
            self.assertIn(command, readme)
            self.assertIn(f"]({drawn})", readme)

    def test_what_priorities_starvation_and_queue_cannot_draw_is_said(self):
        results = self.results(EXAMPLES / "catch_up.yaml", "--set", "record.stages=false")
        for script in ("starvation", "queue"):
            self.assertIn("record: {stages: true}", self.draw(f"{script}.py", results, "-o", "x.svg", status=1))
        results = self.results(EXAMPLES / "duration_and_hold.yaml")
        self.assertIn("no priorities were recorded", self.draw("priorities.py", results, "-o", "x.svg", status=1))
        self.assertIn("there is no run 7", self.draw("queue.py", results, "--run", 7, "-o", "x.svg", status=1))
        results = self.results(ROOT / "experiments/headroom/sweep.yaml")
        self.assertIn("64 runs are more than a page holds", self.draw("queue.py", results, "-o", "x.svg", status=1))

    def test_what_still_waits_at_the_end_is_drawn(self):
        workload = self.write("w.yaml", "cluster: {slots: 1}\nmeasure: {give_up: 90s, starved: 30s}\nrecord: {priorities: [a, b]}\nwork:\n"
                              "  - {workflow: a, stages: [{name: x, runtime: 60s}]}\n  - {workflow: b, stages: [{name: x, runtime: 60s}]}\n"
                              "  - {workflow: c, priority: -1, stages: [{name: x, runtime: 60s}]}\n")
        results = self.results(workload)
        for script in ("priorities", "starvation", "queue"):
            self.draw(f"{script}.py", results, "-o", f"{script}.png")
            self.draw(f"{script}.py", results, "-o", f"{script}2.png")
            self.assertEqual((self.dir / f"{script}.png").read_bytes(), (self.dir / f"{script}2.png").read_bytes())

    def test_the_same_results_give_the_same_bytes_in_every_format(self):
        results = self.results(EXAMPLES / "hold_vs_race.yaml")
        for script in ("gantt.py", "makespan.py"):
            for kind in ("svg", "pdf", "png"):
                for name in ("a", "b"):
                    self.draw(script, results, "-o", f"{name}.{kind}")
                self.assertEqual((self.dir / f"a.{kind}").read_bytes(), (self.dir / f"b.{kind}").read_bytes())

    def test_the_scripts_are_programs(self):
        for script in ("gantt.py", "makespan.py", "priorities.py", "starvation.py", "queue.py"):
            done = subprocess.run([sys.executable, "-B", str(ROOT / "scripts/plot" / script), "--help"], capture_output=True,
                                  text=True, check=True)
            self.assertIn("example:", done.stdout)

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
        self.assertIn("no such file", self.draw("gantt.py", "none.h5", "-o", "g.svg", status=66))
        self.write("text.h5", "no results")
        self.assertIn("not a results file", self.draw("makespan.py", "text.h5", "-o", "g.svg", status=65))
        results = self.results(EXAMPLES / "duration_and_hold.yaml")
        for script, arguments, says in (
            ("gantt.py", [results, "-o", "g.gif"], ".svg"),
            ("gantt.py", [results, "-o", "g.svg", "--run", "7"], "no run 7"),
            ("makespan.py", [results, "-o", "m.svg"], "nothing was swept"),
        ):
            stderr = self.draw(script, *arguments, status=1)
            self.assertIn(says, stderr)
            self.assertEqual(len(stderr.splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
