#!/usr/bin/env -S python3 -B
"""`advisor verify` of this machine: exit statuses, and JSON by the schema."""

import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, ".")
from tools import schema_testing  # pylint: disable=wrong-import-position


def verify(*words, **variables):
    return subprocess.run(
        ["advisor/advisor", "verify", "--format=json", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
        env={**os.environ, **variables})


class VerifySchemaTest(schema_testing.SchemaTests, unittest.TestCase):

    schema = "testdata/schema/verify.schema.json"
    samples = "testdata/golden/verify/*.json"

    def document(self, answer, statuses):
        if answer.returncode == 2:
            self.skipTest(f"needs a glibc of 2.26 to 2.42: {answer.stderr}")
        self.assertIn(answer.returncode, statuses, answer.stderr)
        document = json.loads(answer.stdout)
        self.assertEqual(self.errors(document), [])
        return document

    def test_a_dropped_assignment_is_named(self):
        document = self.document(verify("glibc.cpu.x86_nonsense=1"), [1])
        self.assertEqual(document["outcome"], "dropped")
        self.assertIn("x86_nonsense", document["dropped"][0])

    def test_what_changes_nothing_is_equal(self):
        document = self.document(verify("glibc.malloc.arena_max=2"), [0])
        self.assertEqual(document["outcome"], "equal")
        self.assertEqual(document["not_measured"],
                         ["glibc.malloc.arena_max=2"])

    def test_a_program_is_compared(self):
        document = self.document(
            verify("glibc.malloc.arena_max=2", "--runs=6", "--budget=20",
                   "--", "sh", "-c", ":"), [0, 1, 3])
        self.assertEqual(document["program"], ["sh", "-c", ":"])
        self.assertEqual(document["comparison"]["end_with"], "exit status 0")

    def test_a_program_that_ends_otherwise_is_harmed(self):
        document = self.document(
            verify("glibc.malloc.arena_max=2", "--", "sh", "-c",
                   '[ -z "$GLIBC_TUNABLES" ]'), [1])
        self.assertEqual(document["outcome"], "harmful")

    def test_a_mask_is_measured(self):
        # As long as it takes to measure anything.
        answer = verify("glibc.cpu.hwcaps=-ERMS", "--budget=0.5")
        document = self.document(answer, [0, 1, 3])
        if document["without"]["memmove"] != document["with"]["memmove"]:
            self.assertIsNotNone(document["proof"])

    def test_usage(self):
        self.assertEqual(verify("a=b", "c=d").returncode, 2)
        self.assertEqual(verify("a=b", "--runs=5").returncode, 2)
        self.assertEqual(
            verify("a=b", "--", "no-such-program-here").returncode, 2)

    def test_breaking_any_sample_is_noticed(self):

        def without_outcome(document):
            del document["outcome"]

        def other_outcome(document):
            document["outcome"] = "good"

        def misspelt(document):
            document["with"]["memcpy"] = "x"

        def other_version(document):
            document["schema_version"] = 2

        self.assert_breaks_every_sample(
            without_outcome, other_outcome, misspelt, other_version)


if __name__ == "__main__":
    unittest.main(verbosity=2)
