#!/usr/bin/env -S python3 -B
"""The JSON that renderer_test holds the renderer to is what the schema says."""

import sys
import unittest

sys.path.insert(0, ".")
from tools import schema_testing  # pylint: disable=wrong-import-position


class SchemaTest(schema_testing.SchemaTests, unittest.TestCase):

    schema = "testdata/schema/recommend.schema.json"
    samples = "testdata/golden/recommend/*.json"

    def test_samples_show_both_verdicts_with_and_without_proof(self):
        seen = {(document["recommendation"]["verdict"],
                 document["proof"] is not None)
                for document in self.documents.values()}
        self.assertIn(("set", True), seen)
        self.assertIn(("set", False), seen)
        self.assertIn(("keep_defaults", True), seen)

    def test_some_sample_has_every_part(self):
        for part in ("caches", "workload", "masks", "curves"):
            self.assertTrue(any(document[part]
                                for document in self.documents.values()), part)
            self.assertTrue(any(not document[part]
                                for document in self.documents.values()), part)

    def test_breaking_any_sample_is_noticed(self):

        def without_string(document):
            del document["recommendation"]["string"]

        def misspelt(document):
            document["machine"]["hypervizor"] = "KVM"

        def negative(document):
            document["glibc"]["thresholds"][0]["bytes"] = -1

        def other_version(document):
            document["schema_version"] = 2

        def nothing_to_set(document):
            document["recommendation"].update(verdict="set", tunables={})

        def something_to_keep(document):
            document["recommendation"].update(
                verdict="keep_defaults", tunables={"glibc.cpu.x": 1})

        def without_curves(document):
            del document["curves"]

        def misspelt_workload(document):
            document["workload"] = {"nane": "compiler"}

        def mask_of_nothing(document):
            document["masks"] = [{"mask": ""}]

        self.assert_breaks_every_sample(
            without_curves, misspelt_workload, mask_of_nothing, without_string, misspelt, negative, other_version,
            nothing_to_set, something_to_keep)


if __name__ == "__main__":
    unittest.main(verbosity=2)
