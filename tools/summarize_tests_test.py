#!/usr/bin/env -S python3 -B
"""Tests of summarize_tests.py."""

import io
import json
import os
import pathlib
import tempfile
import unittest

import summarize_tests

GOOGLETEST = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="4" name="AllTests">
  <testsuite name="Copy">
    <testcase name="Works" status="run" result="completed" classname="Copy" />
    <testcase name="Avx512" status="run" result="skipped" classname="Copy">
      <skipped message="copy_test.cc:12&#x0A;no AVX512VL&#x0A;"/>
    </testcase>
    <testcase name="Off" status="notrun" result="suppressed" classname="Copy" />
    %s
  </testsuite>
</testsuites>
"""
GOOGLETEST_FAILURE = """
    <testcase name="Breaks" status="run" result="completed" classname="Copy">
      <failure message="x" type=""></failure>
    </testcase>
"""
OTHER = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="schema_test" tests="1" failures="0" errors="0">
    <testcase name="schema_test" status="run" duration="0" time="0"></testcase>
    <system-out><![CDATA[
test_one (__main__.SchemaTest) ... ok
test_two (__main__.SchemaTest.test_two) ... skipped 'no jsonschema'
]]></system-out>
  </testsuite>
</testsuites>
"""


def test_result(label, status, xml, milliseconds=1500):
    return json.dumps({
        "id": {"testResult": {"label": label, "run": 1, "shard": 1}},
        "testResult": {
            "status": status,
            "testAttemptDurationMillis": str(milliseconds),
            "testActionOutput": [
                {"name": "test.log", "uri": "file:///no/such"},
                {"name": "test.xml", "uri": pathlib.Path(xml).as_uri()},
            ],
        },
    })


class SummarizeTestsTest(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def xml(self, text):
        path = os.path.join(self.folder.name, "a b.xml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def summary(self, *events):
        out = io.StringIO()
        status = summarize_tests.print_summary(
            summarize_tests.read_events(events), out)
        return status, out.getvalue().splitlines()

    def test_counts_cases_and_names_what_was_skipped(self):
        status, lines = self.summary(
            test_result("//a:copy_test", "PASSED", self.xml(GOOGLETEST % "")))
        self.assertEqual(lines, [
            "SKIPPED //a:copy_test: Copy.Avx512: no AVX512VL",
            "SKIPPED //a:copy_test: Copy.Off: disabled",
            "Slowest of 1 targets:",
            "     1.5 s  //a:copy_test",
            "1 passed, 0 failed, 2 skipped",
        ])
        self.assertEqual(status, 0)

    def test_names_what_failed(self):
        status, lines = self.summary(
            test_result("//a:copy_test", "FAILED",
                        self.xml(GOOGLETEST % GOOGLETEST_FAILURE)))
        self.assertIn("FAILED //a:copy_test: Copy.Breaks", lines)
        self.assertEqual(lines[-1], "1 passed, 1 failed, 2 skipped")
        self.assertEqual(status, 1)

    def test_a_skip_without_a_reason_is_a_failure(self):
        # What a bare GTEST_SKIP() writes: the place only.
        bare = GOOGLETEST.replace("no AVX512VL&#x0A;", "")
        status, lines = self.summary(
            test_result("//a:copy_test", "PASSED", self.xml(bare % "")))
        self.assertIn("FAILED //a:copy_test: Copy.Avx512: skipped without "
                      "saying why", lines)
        self.assertEqual(lines[-1], "1 passed, 1 failed, 1 skipped")
        self.assertEqual(status, 1)

    def test_a_crash_is_a_failure(self):
        status, lines = self.summary(
            test_result("//a:copy_test", "TIMEOUT", self.xml(GOOGLETEST % "")))
        self.assertIn("FAILED //a:copy_test: timeout, though none of its cases "
                      "did", lines)
        self.assertEqual(status, 1)
        _, lines = self.summary(
            test_result("//a:copy_test", "FAILED", self.xml("<testsuites>")))
        self.assertEqual(lines[-1], "0 passed, 1 failed, 0 skipped")

    def test_another_test_is_one_case(self):
        status, lines = self.summary(
            test_result("//a:schema_test", "PASSED", self.xml(OTHER)))
        self.assertEqual(
            lines[0], "SKIPPED //a:schema_test: test_two: no jsonschema")
        self.assertEqual(lines[-1], "1 passed, 0 failed, 1 skipped")
        self.assertEqual(status, 0)
        status, lines = self.summary(
            test_result("//a:schema_test", "FAILED", self.xml(OTHER)))
        self.assertEqual(lines[-1], "0 passed, 1 failed, 1 skipped")

    def test_what_did_not_build_is_a_failure(self):
        good = test_result("//a:schema_test", "PASSED", self.xml(OTHER))
        for event in (
                {"id": {"targetCompleted": {"label": "//a:b"}},
                 "completed": {}},
                {"id": {"targetCompleted": {"label": "//a:b"}},
                 "aborted": {"reason": "ANALYSIS_FAILURE"}},
                {"id": {"testSummary": {"label": "//a:b"}},
                 "testSummary": {"overallStatus": "FAILED_TO_BUILD"}}):
            status, lines = self.summary(good, json.dumps(event))
            self.assertIn("FAILED //a:b: failed to build", lines)
            self.assertEqual(lines[-1], "1 passed, 1 failed, 1 skipped")
            self.assertEqual(status, 1)

    def test_nothing_is_no_success(self):
        status, lines = self.summary()
        self.assertEqual(lines, ["0 passed, 0 failed, 0 skipped"])
        self.assertEqual(status, 1)

    def test_shows_ten_of_the_slowest(self):
        path = self.xml(OTHER)
        _, lines = self.summary(*[
            test_result(f"//a:t{i:02}", "PASSED", path, 1000 * i)
            for i in range(12)
        ])
        self.assertEqual([line.split()[-1] for line in lines[-11:-1]],
                         [f"//a:t{i:02}" for i in range(11, 1, -1)])


if __name__ == "__main__":
    unittest.main(verbosity=2)
