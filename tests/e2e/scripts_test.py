"""scripts/run from other folders and without rights; what the README shows is true."""

import os
import pathlib
import re
import shutil
import subprocess
import unittest

from headroom_test import EXAMPLES, ROOT, SIM, EndToEnd



class Run(EndToEnd):
    """scripts/run in a made-up tree whose build is already there: a copy of the scripts and a stub of cmake."""

    def setUp(self):
        super().setUp()
        self.tree = self.dir / "tree"
        shutil.copytree(ROOT / "scripts", self.tree / "scripts")
        (self.tree / "build/release/bin").mkdir(parents=True)
        (self.tree / "build/release/build.ninja").touch()
        (self.tree / "build/release/bin/sim").symlink_to(pathlib.Path(SIM).resolve())
        self.tools = self.dir / "tools"
        self.tools.mkdir()
        self.tool("cmake", "exit 0")

    def tool(self, name, script):
        path = self.tools / name
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)

    def run_script(self, *arguments, status=0, cwd=None, **environment):
        done = subprocess.run([str(self.tree / "scripts/run"), *map(str, arguments)], cwd=cwd or self.dir, capture_output=True, text=True,
                              check=False, env={**os.environ, "PATH": f"{self.tools}:{os.environ['PATH']}", **environment})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def test_without_a_name_results_go_to_the_build_and_may_be_overwritten(self):
        (self.dir / "here").mkdir()
        self.write("here/w.yaml", "name: other  # than the file\nwork: [{workflow: a, stages: [{name: s, runtime: 1s}]}]\n")
        for _ in range(2):
            self.run_script("--workload", "w.yaml", "--policy", "default", cwd=self.dir / "here")
        self.assertEqual([path.name for path in (self.tree / "build/results").glob("*.h5")], ["other.h5"])
        self.assertEqual([path.name for path in (self.dir / "here").iterdir()], ["w.yaml"])

    def test_a_named_results_file_is_the_callers_and_is_not_overwritten(self):
        self.write("w.yaml", "work: [{workflow: a, stages: [{name: s, runtime: 1s}]}]\n")
        self.run_script("-w", "w.yaml", "-o", "mine.h5")
        self.assertTrue((self.dir / "mine.h5").is_file())
        self.run_script("-w", "w.yaml", "-o", "mine.h5", status=73)

    def test_other_commands_are_passed_on_as_they_are(self):
        self.write("w.yaml", "work: [{workflow: a, stages: [{name: s, runtime: 1s}]}]\n")
        self.run_script("check", "w.yaml")
        self.assertIn("sim", self.run_script("--help").stdout)
        self.assertFalse((self.tree / "build/results").exists())

    def test_what_is_missing_is_named_in_one_line_where_it_may_not_be_installed(self):
        self.tool("dpkg-query", "exit 1")
        self.tool("id", "echo 1000")
        self.tool("sudo", "exit 1")
        done = self.run_script("--version", status=1)
        line = next(line for line in done.stderr.splitlines() if "apt-get install" in line)
        for package in ("libhdf5-dev", "libyaml-cpp-dev", "libcli11-dev", "zlib1g-dev"):
            self.assertIn(package, line)

    def test_what_is_missing_is_installed_where_it_may_be(self):
        self.tool("dpkg-query", "exit 1")
        self.tool("id", "echo 0")
        self.tool("apt-get", f"echo \"$@\" >> {self.dir}/apt.log; [ -e {self.dir}/fresh ] || [ \"$1\" = update ] && touch {self.dir}/fresh")
        self.run_script("--version")
        calls = (self.dir / "apt.log").read_text().splitlines()
        # The first install fails for want of package lists; they are fetched once and it is tried again.
        self.assertEqual([call.split()[0] for call in calls], ["install", "update", "install"])
        self.assertIn("libhdf5-dev", calls[0])

    def test_a_failed_build_shows_its_output(self):
        self.tool("cmake", "echo broken: line 7; exit 1")
        self.assertIn("broken: line 7", self.run_script("--version", status=1).stderr)


class Readme(EndToEnd):
    TEXT = (ROOT / "README.md").read_text(encoding="utf-8")

    def test_its_workload_and_its_policy_are_valid(self):
        first, second = re.findall(r"```yaml\n(.*?)```", self.TEXT, re.DOTALL)[:2]
        policies = re.search(r"`(policies: \[\{.*?\}\])`", self.TEXT)[1]
        shutil.copy(EXAMPLES / "small.swf", self.dir / "KTH-SP2.swf")
        self.write("montage.json", '{"schemaVersion": "1.4", "workflow": {"tasks": [{"name": "a", "runtime": 1}]}}')
        self.write("tour.yaml", first + policies + "\n")
        self.sim("check", "tour.yaml")
        self.write("sweep.yaml", "params: {slots: 2}\n" + first.replace("slots: 4", "slots: $slots") + second)
        self.sim("check", "sweep.yaml")

    def test_the_files_it_names_exist(self):
        for name in re.findall(r"\]\(([^)#:]+)\)|`((?:scripts|tests|workloads|experiments|policies|docs)/[\w./]*)`", self.TEXT):
            self.assertTrue((ROOT / (name[0] or name[1])).exists(), name)

    def test_the_policies_of_its_table_exist(self):
        table = self.TEXT.split("| policy |", 1)[1].split("\n\n", 1)[0]
        for name in re.findall(r"`(\w+)`", " ".join(row.split("|")[1] for row in table.splitlines()[2:])):
            self.sim("policies", name)


if __name__ == "__main__":
    unittest.main()
