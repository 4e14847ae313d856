"""Every experiment still gives what its expected.json says, and each expected value names where it comes from."""

import json
import unittest

from headroom_test import ROOT, EndToEnd

SPEED = ROOT / "experiments/speed"  # measures the machine
FOLDERS = sorted(path.parent for path in (ROOT / "experiments").glob("*/expected.json"))


class Experiments(EndToEnd):
    def test_there_are_experiments_and_each_is_whole(self):
        self.assertIn("hold_vs_race", [folder.name for folder in FOLDERS])
        self.assertEqual(FOLDERS, sorted(path for path in (ROOT / "experiments").iterdir() if path.is_dir() and path != SPEED))
        for name in ("README.md", "measure.py", "bare_loops.cc"):  # no values to expect, but answers to agree on
            self.assertTrue((SPEED / name).is_file(), name)
        for folder in FOLDERS:
            text = (folder / "README.md").read_text(encoding="utf-8")
            for part in ("**Question.**", "**Command.**", "**Answer.**"):
                self.assertIn(part, text, folder.name)

    def test_every_expected_value_names_a_source_that_is_not_us(self):
        for folder in FOLDERS:
            expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
            checks = [*expected["runs"], *expected.get("hold_gains", [])]
            self.assertGreater(len(checks), 0)
            for check in checks:
                self.assertGreater(len(check["source"]), 8, check)
                self.assertNotRegex(check["source"], r"(?i)headroom|\bsim\b|our output")

    def test_every_experiment_gives_what_is_expected(self):
        for folder in FOLDERS:
            expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
            summary = self.sim_json("-w", folder / expected["workload"], "-o", f"{folder.name}.h5")
            for check in expected["runs"]:
                with self.subTest(folder.name, check=check):
                    found = [run["metrics"][check["metric"]] for run in summary["runs"]
                             if run["policy"] == check["policy"] and check["point"].items() <= run["point"].items()]
                    self.assertEqual(len(found), 1)
                    self.assertLessEqual(abs(found[0] - check["value"]), check["tolerance"])
            for check in expected.get("hold_gains", []):
                with self.subTest(folder.name, check=check):
                    found = [gain["hold_gain"] for gain in summary["hold_gain"] if check["point"].items() <= gain["point"].items()]
                    self.assertEqual(len(found), 1)
                    self.assertLessEqual(abs(found[0] - check["value"]), check["tolerance"])


if __name__ == "__main__":
    unittest.main()
