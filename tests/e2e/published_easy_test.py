"""EASY backfilling on the KTH SP2 log gives the published numbers to their last printed digit.

Source of the numbers: E. Gaussier, D. Glesser, V. Reis, D. Trystram, "Improving backfilling by using machine learning to
predict running times", SC15; data files of the study, repository jad-darrous/predictsim, experiments/data/KTH-SP2.
They rest on the conventions of the simulator used there (`simultaneous: pyss`), on dropping jobs of run time 0 and on
killing jobs at their request. Sums of turnaround are the integers behind the printed means.
"""

import unittest

import h5py
from headroom_test import TRACES, EndToEnd, skip_or_fail

LOG = TRACES / "swf" / "KTH-SP2-1996-2.swf"
JOBS = 28481

# (policy, estimates): mean turnaround, largest, mean bounded slowdown, largest, root mean square; sum of turnarounds
PUBLISHED = {
    ("easy", "requested"): ("15696.7981812436", "309231", "92.5765397336295", "14805.2", "476.260314538994", 447060509),
    ("easy_sjbf", "requested"): ("14764.0026684456", "372238", "69.4054005803035", "14805.2", "427.204830733767", 420493560),
    ("easy", "exact"): ("15187.6077033812", "356843", "71.7223851124418", "10017.2", "368.666676974225", 432558255),
    ("easy_sjbf", "exact"): ("14295.9468417542", "335193", "49.8477189313406", "9941.7", "326.20971934787", 407162862),
}
METRICS = ["turnaround_time_mean", "turnaround_time_max", "bounded_slowdown_mean", "bounded_slowdown_max", "bounded_slowdown_rms"]


class PublishedEasy(EndToEnd):
    def test_kth_sp2_to_the_last_printed_digit(self):
        if not LOG.is_file():
            skip_or_fail(self, f"no log at {LOG}")
        for estimates in ("requested", "exact"):
            workload = self.write("kth.yaml", f"""
scheduler: {{simultaneous: pyss}}
work: [{{trace: {{swf: '{LOG.resolve()}', zero_run: drop, estimates: {estimates}}}}}]
""")
            summary = self.sim_json("-w", workload, "-p", "easy,easy_sjbf", "-o", "r.h5", "--force")
            with h5py.File(self.dir / "r.h5", "r") as file:
                table = file["workflows"]
                run, turnaround = table["run"][:], table["finished_at"][:] - table["submitted_at"][:]
            for index, row in enumerate(summary["runs"]):
                with self.subTest(f"{row['policy']}, {estimates} estimates"):
                    *published, total = PUBLISHED[row["policy"], estimates]
                    self.assertEqual(row["metrics"]["n_finished"], JOBS)
                    # R prints 15 significant digits and no zeros behind them, as %.15g does.
                    self.assertEqual([f"{row['metrics'][name]:.15g}" for name in METRICS], published)
                    self.assertEqual(sum(int(seconds) for seconds in turnaround[run == index]), total)

    def test_what_is_dropped_is_said(self):
        if not LOG.is_file():
            skip_or_fail(self, f"no log at {LOG}")
        workload = self.write("kth.yaml", f"work: [{{trace: {{swf: '{LOG.resolve()}', zero_run: drop}}}}]\n")
        done = self.sim("-w", workload, "-p", "easy", "-o", "r.h5")
        self.assertIn("run time 0", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
