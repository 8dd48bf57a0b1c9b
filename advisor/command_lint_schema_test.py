#!/usr/bin/env -S python3 -B
"""What `advisor lint --format=json` printed is what the schema says."""

import json
import subprocess
import sys
import unittest

sys.path.insert(0, ".")
from tools import schema_testing  # pylint: disable=wrong-import-position


class LintSchemaTest(schema_testing.SchemaTests, unittest.TestCase):

    schema = "testdata/schema/lint.schema.json"
    samples = "testdata/golden/lint/*.json"

    def test_this_machine_is_valid(self):
        answer = subprocess.run(
            ["advisor/advisor", "lint", "--format=json", "--glibc=2.36",
             "glibc.cpu.x86_non_temporal_threshold=1M"],
            stdout=subprocess.PIPE, check=False)
        self.assertEqual(answer.returncode, 1)
        document = json.loads(answer.stdout)
        self.assertEqual(self.errors(document), [])
        self.assertTrue(document["has_finding"])

    def test_breaking_any_sample_is_noticed(self):

        def without_strings(document):
            del document["strings"]

        def misspelt(document):
            document["strings"][0]["sauce"] = "x"

        def other_severity(document):
            document["strings"][0]["findings"][0]["severity"] = "bad"

        def other_version(document):
            document["schema_version"] = 2

        self.assert_breaks_every_sample(
            without_strings, misspelt, other_severity, other_version)


if __name__ == "__main__":
    unittest.main(verbosity=2)
