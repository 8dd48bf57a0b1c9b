#!/usr/bin/env -S python3 -B
"""The JSON that command_predict_test holds the program to is what the schema
says."""

import sys
import unittest

sys.path.insert(0, ".")
from tools import schema_testing  # pylint: disable=wrong-import-position


class PredictionSchemaTest(schema_testing.SchemaTests, unittest.TestCase):

    schema = "testdata/schema/predict.schema.json"
    samples = "testdata/golden/predict/*.json"
    least_samples = 2

    def test_breaking_any_is_noticed(self):

        def without_variant(document):
            del document["predictions"][0]["memmove"]

        def misspelt(document):
            document["predictions"][0]["nontemporal"] = 1

        def negative(document):
            document["predictions"][0]["non_temporal_threshold"] = -1

        def other_consequence(document):
            document["predictions"][0]["hazards"][0]["consequence"] = "bad"

        self.assert_breaks_every_sample(
            without_variant, misspelt, negative, other_consequence)


if __name__ == "__main__":
    unittest.main(verbosity=2)
