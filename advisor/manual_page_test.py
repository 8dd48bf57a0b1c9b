#!/usr/bin/env -S python3 -B
"""The manual page against the program that it is of, and as roff reads it."""

import re
import shutil
import subprocess
import unittest

PAGE = "advisor/advisor.1"
ADVISOR = "advisor/advisor"


def advisor(*words):
    return subprocess.run([ADVISOR, *words], check=True, text=True,
                          capture_output=True).stdout


class ManualPageTest(unittest.TestCase):
    def rendered(self):
        if shutil.which("groff") is None:
            self.skipTest("groff is not installed")
        # -ww: every warning; a page without mistakes has none.
        done = subprocess.run(
            ["groff", "-man", "-ww", "-Tutf8", "-P-c", "-rLL=80n", PAGE],
            check=True, text=True, capture_output=True)
        self.assertEqual(done.stderr, "")
        # Overstruck bold and underlined characters.
        return re.sub(".\b", "", done.stdout)

    def test_has_every_command_and_flag(self):
        text = " ".join(self.rendered().split())
        commands = re.findall(r"^  (\w+) ", advisor("help"), re.M)
        self.assertIn("recommend", commands)
        for command in commands:
            self.assertIn(f"advisor {command}", text)
            for flag in re.findall(r"^  (--[a-z_]+)",
                                   advisor("help", command), re.M):
                self.assertIn(flag, text, command)

    def test_can_be_copied_from(self):
        page = self.rendered()
        self.assertNotIn("\u2010", page)  # a hyphen that no shell takes
        self.assertIn("--measure=off|quick|full", page)

    def test_lines_fit(self):
        for line in self.rendered().splitlines():
            self.assertLessEqual(len(line), 80, line)


if __name__ == "__main__":
    unittest.main(verbosity=2)
