"""The tree is the architecture: a file includes from its own module or from one further left, and a library is used
only in the module that hides it from the rest.

    policies <- workloads <- sim/engine, sim/live <- sim/metrics <- sim/results <- sim/verify <- sim/views <- sim/compare <- sim/sweep
    <- sim/cli

Reads the #include lines of every source and names each forbidden edge with its file and line. The last class shows, on
trees made up for it, that the rules can be broken.
"""

import pathlib
import re
import tempfile
import unittest

from headroom_test import ROOT

# Each module and what it may include from, itself aside. engine and live stand side by side and do not meet.
ORDER = [["policies"], ["workloads"], ["sim/engine", "sim/live"], ["sim/metrics"], ["sim/results"], ["sim/verify"], ["sim/views"], ["sim/compare"], ["sim/sweep"], ["sim/cli"]]
MODULES = [module for rank in ORDER for module in rank]
RANK = {module: rank for rank, modules in enumerate(ORDER) for module in modules}

# Third-party headers by the modules that may use them; a library that is named nowhere may be used nowhere.
THIRD_PARTY = {
    "HDF5": (r"hdf5(_hl)?\.h|H5\w*\.h|highfive/.*", ["sim/results"]),
    "CLI11": (r"CLI/.*", ["sim/cli"]),
    "fmt": (r"fmt/.*", ["sim/cli"]),
    "yaml-cpp": (r"yaml-cpp/.*", ["workloads"]),
    "zlib": (r"zlib\.h", ["workloads", "sim/results"]),
    "SQLite": (r"sqlite3\.h", ["workloads"]),
    "nlohmann JSON": (r"nlohmann/.*", ["workloads", "sim/cli"]),
    "Eigen": (r"(unsupported/)?Eigen/.*", ["policies", "sim/metrics"]),
    "Boost": (r"boost/.*", ["policies", "workloads", "sim/compare"]),
    "GoogleTest": (r"g(test|mock)/.*", []),
    "RapidCheck": (r"rapidcheck.*", []),
    "Google Benchmark": (r"benchmark/.*", []),
}
# Headers of the standard library and of POSIX that the rules of a module exclude.
THREADS = r"thread|mutex|shared_mutex|condition_variable|future|semaphore|latch|barrier|stop_token|pthread\.h"
FILES = r"fstream|filesystem|cstdio|stdio\.h|unistd\.h|fcntl\.h|sys/.*"
BANNED = [
    (r"iostream", [m for m in MODULES if m != "sim/cli"], "prints; only sim/cli does"),
    (FILES, ["policies", "sim/engine", "sim/metrics"], "touches files"),
    (THREADS, ["policies", "sim/engine", "sim/metrics"], "uses threads"),
    (r"random", MODULES, "its distributions differ between standard libraries; draws are our own"),
]
# Calls that only sim/cli may make (live runs read the wall clock too).
CALLS = [
    (r"\bstd::(cout|cerr|clog)\b|\b(std::)?(printf|puts|putchar|perror)\s*\(|\bfprintf\s*\(\s*std(out|err)\b|\bfmt::print\b", ["sim/cli"], "prints"),
    (r"(?<![\w.>:])(std::)?_?(exit|_Exit|quick_exit)\s*\(", ["sim/cli"], "exits"),
    (r"\b(system_clock|steady_clock|high_resolution_clock)\b|\b(clock_gettime|gettimeofday)\s*\(", ["sim/cli", "sim/live"], "reads a clock"),
]
# A bench prints, by its nature, and is no part of the module's library.
NOT_SHIPPED = ("_bench.cc",)

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
LITERALS = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*(?:.|\n)*?\*/')


def blank_literals(text):
    """The text with comments and strings made blank, its lines where they were."""
    return LITERALS.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def module_of(path):
    return next((m for m in sorted(MODULES, key=len, reverse=True) if path == m or path.startswith(m + "/")), None)


def check_include(module, header, quoted):
    """What is wrong with `module` including `header`; empty if nothing."""
    target = module_of(header)
    if target is not None:
        if target != module and RANK[target] >= RANK[module]:
            return f"{module} may not include from {target} ('{header}')"
        return "" if quoted else f"'{header}' is ours; write it in quotes"
    for library, (pattern, allowed) in THIRD_PARTY.items():
        if re.fullmatch(pattern, header):
            if module in allowed:
                return ""
            return f"{module} may not use {library} ('{header}'); {', '.join(allowed) or 'only tests and benches'} may"
    if quoted:
        return f"'{header}' is not written from the root of the tree"
    for pattern, modules, why in BANNED:
        if module in modules and re.fullmatch(pattern, header):
            return f"{module} may not include <{header}>: {why}"
    return ""


def violations(root):
    """Every broken rule below `root`, as 'file:line: what', in order; and how many files were read."""
    found, read = [], 0
    for path in sorted(p for p in root.rglob("*") if p.suffix in (".h", ".cc") and p.is_file()):
        name = path.relative_to(root).as_posix()
        module = module_of(name)
        if module is None and name.startswith("sim/"):
            found.append(f"{name}:1: lies in no module")
        if module is None or name.endswith(NOT_SHIPPED):
            continue
        read += 1
        text = path.read_text(encoding="utf-8")
        code = blank_literals(text)
        for number, (line, bare) in enumerate(zip(text.split("\n"), code.split("\n")), 1):
            include = INCLUDE.match(line) if bare.lstrip().startswith("#") else None
            if include:
                problem = check_include(module, include.group(2), include.group(1) == '"')
                if problem:
                    found.append(f"{name}:{number}: {problem}")
            for pattern, allowed, what in CALLS:
                if module not in allowed and re.search(pattern, bare):
                    found.append(f"{name}:{number}: {module} {what}; only {', '.join(allowed)} may")
    return found, read


class Tree(unittest.TestCase):
    def test_every_source_keeps_the_order_of_the_modules(self):
        found, read = violations(ROOT)
        self.assertGreater(read, 10, "hardly any sources were read")
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_every_module_of_the_tree_is_known(self):
        known = {module.split("/")[1] for module in MODULES if module.startswith("sim/")}
        there = {path.name for path in (ROOT / "sim").iterdir() if path.is_dir()}
        self.assertLessEqual(there, known)


class MadeUpTree(unittest.TestCase):
    def violations_of(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return violations(pathlib.Path(folder))[0]

    def test_an_include_to_the_right_is_named_with_its_line(self):
        found = self.violations_of({"policies/a.h": '#pragma once\n#include "sim/engine/engine.h"\n'})
        self.assertEqual(found, ["policies/a.h:2: policies may not include from sim/engine ('sim/engine/engine.h')"])

    def test_every_edge_to_the_right_is_forbidden_and_every_one_to_the_left_is_not(self):
        for module in MODULES:
            for target in MODULES:
                found = self.violations_of({f"{module}/a.cc": f'#include "{target}/b.h"\n'})
                allowed = target == module or RANK[target] < RANK[module]
                self.assertEqual(not found, allowed, f"{module} -> {target}: {found}")

    def test_libraries_stay_where_they_are_hidden(self):
        for header, module in {"hdf5.h": "sim/results", "CLI/CLI.hpp": "sim/cli", "yaml-cpp/yaml.h": "workloads"}.items():
            for other in MODULES:
                found = self.violations_of({f"{other}/a.cc": f"#include <{header}>\n"})
                self.assertEqual(len(found), 0 if other == module else 1, f"{other} uses {header}")
        found = self.violations_of({"sim/sweep/a.cc": "\n\n#include <hdf5.h>\n"})
        self.assertEqual(found, ["sim/sweep/a.cc:3: sim/sweep may not use HDF5 ('hdf5.h'); sim/results may"])

    def test_printing_exiting_and_clocks_belong_to_the_command_line(self):
        lines = ["#include <iostream>", 'std::cout << "x";', 'std::printf("x");', 'fprintf(stderr, "x");', "std::exit(1);",
                 "exit(1);", "auto t = std::chrono::steady_clock::now();"]
        for line in lines:
            self.assertEqual(len(self.violations_of({"sim/sweep/a.cc": line + "\n"})), 1, line)
            self.assertEqual(self.violations_of({"sim/cli/a.cc": line + "\n"}), [], line)

    def test_comments_and_strings_do_not_count(self):
        text = '// #include "sim/cli/main.h"\n/* std::cout\n exit(1) */\nauto s = "printf(";\nsnprintf(b, 1, s); atexit(f); at.exit(2);\n'
        self.assertEqual(self.violations_of({"policies/a.cc": text}), [])

    def test_a_header_named_without_its_folder_is_refused(self):
        self.assertEqual(len(self.violations_of({"policies/a.cc": '#include "time.h"\n'})), 1)


if __name__ == "__main__":
    unittest.main()
