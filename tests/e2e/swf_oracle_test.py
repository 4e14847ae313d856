"""Real logs, first come first served and EASY, against values that a stand-alone program computed: every row of the table
"SWF oracle values (ties = batch)" in the README of the trace collection, to the digits printed there."""

import collections
import re
import unittest

from headroom_test import TRACES, EndToEnd, skip_or_fail

README = TRACES / "README.md"
HEADING = "### SWF oracle values (ties = batch)"
ROWS = 52  # of the table as it was handed over; fewer are a table that was not read

Row = collections.namedtuple("Row", "file processors divisor n policy overrun wait bsld makespan utilization")


def oracle_rows(readme):
    section = readme.split(HEADING, 1)[1]
    rows = []
    for line in section.splitlines():
        cells = line.strip().strip("|").split("|")
        if line.startswith("#"):
            break
        if len(cells) == len(Row._fields) and cells[0].endswith(".swf"):
            rows.append(Row(*cells))
        elif rows:
            break
    return rows


class SwfOracle(EndToEnd):
    def test_every_row_to_its_printed_digits(self):
        if not README.is_file():
            skip_or_fail(self, f"no traces at {TRACES}")
        rows = oracle_rows(README.read_text(encoding="utf-8"))
        self.assertEqual(len(rows), ROWS)

        # One run of the program for all rows that differ in the policy only.
        groups = collections.defaultdict(list)
        for row in rows:
            groups[row._replace(policy="", wait="", bsld="", makespan="", utilization="")].append(row)
        compared = 0
        for key, members in groups.items():
            workload = self.write("w.yaml", f"""
cluster: {{slots: {key.processors}}}
scheduler: {{simultaneous: batch}}
work:
  - trace: {{swf: '{(TRACES / "swf" / key.file).resolve()}', jobs: {key.n}, overrun: {key.overrun}, divide_arrivals: {key.divisor}}}
record: {{stages: false}}
""")
            policies = ",".join(row.policy for row in members)
            summary = self.sim_json("-w", workload, "-p", policies, "-o", "r.h5", "--force")
            for row, run in zip(members, summary["runs"]):
                with self.subTest("{0.file} P={0.processors} D={0.divisor} n={0.n} {0.policy} {0.overrun}".format(row)):
                    metrics = run["metrics"]
                    self.assertEqual(run["policy"], row.policy)
                    self.assertEqual(metrics["n_finished"], int(row.n))
                    found = [f"{metrics['wait_time_mean']:.4f}", f"{metrics['bounded_slowdown_mean']:.6f}",
                             f"{metrics['makespan']:.0f}", f"{metrics['utilization']:.6f}"]
                    self.assertEqual(found, [row.wait, row.bsld, row.makespan, row.utilization])
                    self.assertEqual(metrics["makespan"], int(row.makespan))
                compared += 1
        self.assertEqual(compared, ROWS)


class Table(unittest.TestCase):
    def test_a_table_is_read_to_its_end_and_no_further(self):
        row = "|a.swf|8|1|3|fcfs|cap|1.0000|1.000000|9|0.500000|"
        text = f"|x.swf|8|1|3|fcfs|cap|1|1|9|1|\n{HEADING}\nwords\n|file|P|\n|---|---|\n{row}\n{row}\n\nmore\n{row}\n"
        self.assertEqual(len(oracle_rows(text)), 2)
        self.assertEqual(re.sub(r"[^|]", "", row).count("|"), len(Row._fields) + 1)


if __name__ == "__main__":
    unittest.main()
