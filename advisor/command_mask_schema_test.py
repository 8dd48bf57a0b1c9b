#!/usr/bin/env -S python3 -B
"""What `advisor mask --format=json` printed is what the schema says."""

import json
import subprocess
import sys
import unittest

sys.path.insert(0, ".")
from tools import schema_testing  # pylint: disable=wrong-import-position


class MaskSchemaTest(schema_testing.SchemaTests, unittest.TestCase):

    schema = "testdata/schema/mask.schema.json"
    samples = "testdata/golden/mask/*.json"
    least_samples = 5

    def answer(self, *words):
        answer = subprocess.run(
            ["advisor/advisor", "mask", "--format=json", *words],
            stdout=subprocess.PIPE, check=False)
        document = json.loads(answer.stdout)
        self.assertEqual(self.errors(document), [])
        self.assertEqual(answer.returncode, 0 if document["reached"] else 1)
        self.assertEqual(document["cpus"][0]["name"], "this machine")
        return document

    def test_every_purpose_is_valid_here(self):
        for purpose in self.validator.schema["properties"]["purpose"]["enum"]:
            if purpose != "pool":
                self.answer("--for=" + purpose, "--measure=off")

    def test_a_measurement_is_valid(self):
        document = self.answer("--for=pin")
        if document["measured"] is None:
            self.assertNotEqual(document["why_not_measured"], "")
            self.skipTest(document["why_not_measured"])
        for cost in document["measured"]["costs"]:
            self.assertLessEqual(cost["low"], cost["ratio"])
            self.assertLessEqual(cost["ratio"], cost["high"])

    def test_breaking_any_sample_is_noticed(self):

        def without_cpus(document):
            document["cpus"] = []

        def misspelt(document):
            document["cpus"][0]["after"]["nontemporal"] = 1

        def other_symbol(document):
            document["cpus"][0]["after"]["memset"] = "memset"

        def half_a_mask(document):
            document["mask"] = "-AVX2,"

        def half_a_measurement(document):
            document["measured"] = {"processes": 4}

        self.assert_breaks_every_sample(
            without_cpus, misspelt, other_symbol, half_a_mask,
            half_a_measurement)


if __name__ == "__main__":
    unittest.main(verbosity=2)
