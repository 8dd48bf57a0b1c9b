#!/usr/bin/env -S python3 -B
"""The JSON that command_predict_test holds the program to is what the schema
says."""

import copy
import glob
import json
import unittest

SCHEMA = "testdata/schema/predict.schema.json"
GOLDEN = "testdata/golden/predict/*.json"


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


class PredictionSchemaTest(unittest.TestCase):

    def setUp(self):
        try:
            import jsonschema  # pylint: disable=import-outside-toplevel
        except ImportError:
            self.skipTest("needs python3-jsonschema")
        schema = read(SCHEMA)
        jsonschema.Draft7Validator.check_schema(schema)
        self.validator = jsonschema.Draft7Validator(schema)
        self.documents = {path: read(path) for path in glob.glob(GOLDEN)}
        self.assertGreaterEqual(len(self.documents), 2)

    def errors(self, document):
        return [error.message for error in self.validator.iter_errors(document)]

    def test_every_golden_is_valid(self):
        for path, document in self.documents.items():
            self.assertEqual(self.errors(document), [], path)

    def test_breaking_any_is_noticed(self):

        def without_variant(document):
            del document["predictions"][0]["memmove"]

        def misspelt(document):
            document["predictions"][0]["nontemporal"] = 1

        def negative(document):
            document["predictions"][0]["non_temporal_threshold"] = -1

        def other_consequence(document):
            document["predictions"][0]["hazards"][0]["consequence"] = "bad"

        for path, document in self.documents.items():
            for change in (without_variant, misspelt, negative,
                           other_consequence):
                changed = copy.deepcopy(document)
                change(changed)
                self.assertNotEqual(self.errors(changed), [],
                                    f"{path} {change.__name__}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
