#!/usr/bin/env -S python3 -B
"""What `advisor inspect --format=json` printed is what the schema says."""

import json
import subprocess
import sys
import unittest

sys.path.insert(0, ".")
from tools import schema_testing  # pylint: disable=wrong-import-position


class InspectionSchemaTest(schema_testing.SchemaTests, unittest.TestCase):

    schema = "testdata/schema/inspect.schema.json"
    samples = "testdata/golden/inspect/*.json"

    def test_this_machine_is_valid(self):
        answer = subprocess.run(
            ["advisor/advisor", "inspect", "--format=json"],
            stdout=subprocess.PIPE, check=True)
        document = json.loads(answer.stdout)
        self.assertEqual(self.errors(document), [])
        self.assertEqual(document["origin"], "this machine")
        self.assertIsNotNone(document["sysfs"])
        self.assertIsNotNone(document["glibc"])

    def test_breaking_any_sample_is_noticed(self):

        def without_cores(document):
            del document["cores"]

        def misspelt(document):
            document["cores"][0]["guest"]["hypervizor"] = "KVM"

        def other_state(document):
            document["cores"][0]["caches"][0]["state"] = "bad"

        def negative(document):
            document["cores"][0]["thresholds"][0]["predicted"] = -1

        def half_a_prediction(document):
            del document["cores"][0]["prediction"]["memset"]

        def other_version(document):
            document["schema_version"] = 2

        self.assert_breaks_every_sample(
            without_cores, misspelt, other_state, negative,
            half_a_prediction, other_version)


if __name__ == "__main__":
    unittest.main(verbosity=2)
