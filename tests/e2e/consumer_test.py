"""The scheduler as an installed library: a program outside the tree finds it, links it and schedules three stages."""

import os
import shutil
import subprocess
import unittest

from headroom_test import ROOT, EndToEnd

BUILD = os.environ.get("HEADROOM_BUILD", str(ROOT / "build/release"))


class InstalledPackage(EndToEnd):
    def run_tool(self, *command):
        done = subprocess.run(list(map(str, command)), cwd=self.dir, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
        return done.stdout

    def test_a_program_outside_the_tree_schedules_three_stages(self):
        prefix = self.dir / "prefix"
        self.run_tool("cmake", "--build", BUILD, "--target", "policies")
        self.run_tool("cmake", "--install", BUILD, "--prefix", prefix)
        shutil.copytree(ROOT / "tests/consumer", self.dir / "consumer")
        self.run_tool("cmake", "-S", "consumer", "-B", "out", f"-DCMAKE_PREFIX_PATH={prefix}")
        self.run_tool("cmake", "--build", "out")
        lines = self.run_tool(self.dir / "out/consumer").splitlines()
        # Tail times: long 3 s, first 1 + 1 = 2 s, second 1 s and not eligible before first has ended.
        self.assertEqual([line.split()[0] for line in lines], ["long", "first", "second"])

        installed = self.run_tool(prefix / "bin/sim", "--version")
        self.assertIn("0.1.0", installed)
        exported = (next(prefix.glob("lib*/**/headroomTargets.cmake"))).read_text()
        for leak in ("fsanitize", "headroom_flags", "-W", str(ROOT)):
            self.assertNotIn(leak, exported)


if __name__ == "__main__":
    unittest.main()
