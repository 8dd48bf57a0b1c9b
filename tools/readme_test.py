#!/usr/bin/env -S python3 -B
"""README.md against the tree, the program, and what the program prints."""

import os
import pathlib
import re
import subprocess
import unittest

import check_readme

README = pathlib.Path("README.md")
ADVISOR = os.path.abspath("advisor/advisor")
# Bazel's tests see links to the source tree, which has what they do not.
ROOT = README.resolve().parent


def advisor(*words):
    return subprocess.run([ADVISOR, *words], text=True, capture_output=True,
                          check=False)


class ReadmeTest(unittest.TestCase):

    def setUp(self):
        self.readme = README.read_text(encoding="utf-8")

    def test_paths_exist(self):
        if not (ROOT / "WORKSPACE").exists():
            self.skipTest("the source tree is not beside the test")
        paths = check_readme.named_paths(self.readme)
        for path in ("advisor/host", "kernels/variants.bzl", "tools"):
            if "/" in path:
                self.assertIn(path, paths)
        self.assertEqual(check_readme.missing_paths(self.readme, ROOT), [])

    def test_a_path_that_is_gone_is_found(self):
        table = "| tunable | one row in `advisor/no_such/table.cc` |\n"
        self.assertEqual(check_readme.missing_paths(table, ROOT),
                         ["advisor/no_such/table.cc"])

    def test_folders_use_those_above_them(self):
        if not (ROOT / "WORKSPACE").exists():
            self.skipTest("the source tree is not beside the test")
        folders = re.findall(r"^\| `(advisor/\w+)` \|", self.readme, re.M)
        self.assertEqual(
            set(folders),
            {f"advisor/{build.parent.name}"
             for build in ROOT.glob("advisor/*/BUILD")})
        for place, folder in enumerate(folders):
            build = (ROOT / folder / "BUILD").read_text(encoding="utf-8")
            # Not what may see it: __pkg__ and __subpackages__.
            used = re.findall(r'"//(advisor/\w+)(?::(?!__)\w+)?"', build)
            for other in used:
                self.assertIn(other, folders[:place + 1], folder)
            self.assertNotRegex(build, r'"//glibc_patches(/\w+)*:(?!__)')

    def test_every_command_is_in_its_table(self):
        commands = re.findall(r"^  (\w+) ", advisor("help").stdout, re.M)
        self.assertIn("recommend", commands)
        rows = "\n".join(re.findall(r"^\|.*\|$", self.readme, re.M))
        for command in commands:
            if command not in ("help", "version"):
                self.assertRegex(rows, rf"`{command}\b", command)

    def test_flags_that_it_names_exist(self):
        known = "".join(
            advisor("help", command).stdout for command in
            re.findall(r"^  (\w+) ", advisor("help").stdout, re.M))
        for row in re.findall(r"^\| `.*\|$", self.readme, re.M):
            for flag in re.findall(r"(?<!\w)(--[a-z_]+)", row):
                self.assertIn(flag, known, row)

    # The lines of a shown command, "..." standing for those left out, are lines
    # of its real output, in that order.
    def test_shown_predictions_are_real(self):
        shown = 0
        for block in check_readme.blocks(self.readme):
            command, _, text = block.partition("\n")
            match = re.match(r"\$ \./tools/run_advisor (predict .*)", command)
            if not match:
                continue
            shown += 1
            real = advisor(*match.group(1).split()).stdout.splitlines()
            at = 0
            for line in text.splitlines():
                if line == "...":
                    continue
                self.assertIn(line, real[at:], command)
                at = real.index(line, at) + 1
        self.assertGreater(shown, 0)

    def test_the_shown_recommendation_has_a_shape(self):
        shown = check_readme.shown_recommendation(self.readme)
        self.assertEqual(check_readme.labels(shown)[:2], ["Machine", "glibc"])
        self.assertEqual(check_readme.shape_problems(shown, shown), [])

    def test_shapes_that_differ_are_told(self):
        shown = "Machine   x\nglibc     y\nSet       z\nWhy       w\n"
        for real, problem in (
                ("", "no part"),
                ("Machine   x\nglibc     y\nSet       z\n", "no part Why"),
                (shown + "Novel     v\n", "not show the part Novel"),
                ("glibc     y\nMachine   x\nSet       z\nWhy       w\n",
                 "another order")):
            self.assertIn(problem,
                          "".join(check_readme.shape_problems(shown, real)))
        self.assertEqual(check_readme.shape_problems(
            shown + "Proof     p\n", shown), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
