#!/usr/bin/env -S python3 -B
"""The JSON that renderer_test holds the renderer to is what the schema says."""

import copy
import glob
import json
import unittest

SCHEMA = "testdata/schema/recommend.schema.json"
GOLDEN = "testdata/golden/recommend/*.json"


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def load_jsonschema():
    try:
        import jsonschema  # pylint: disable=import-outside-toplevel
        return jsonschema
    except ImportError:
        raise unittest.SkipTest("needs python3-jsonschema") from None


class SchemaTest(unittest.TestCase):

    def setUp(self):
        jsonschema = load_jsonschema()
        schema = read(SCHEMA)
        jsonschema.Draft7Validator.check_schema(schema)
        self.validator = jsonschema.Draft7Validator(schema)
        self.documents = {path: read(path) for path in glob.glob(GOLDEN)}
        self.assertGreaterEqual(len(self.documents), 3)

    def errors(self, document):
        return [error.message for error in self.validator.iter_errors(document)]

    def test_every_sample_is_valid(self):
        for path, document in self.documents.items():
            self.assertEqual(self.errors(document), [], path)

    def test_samples_show_both_verdicts_with_and_without_proof(self):
        seen = {(document["recommendation"]["verdict"],
                 document["proof"] is not None)
                for document in self.documents.values()}
        self.assertIn(("set", True), seen)
        self.assertIn(("set", False), seen)
        self.assertIn(("keep_defaults", True), seen)

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

        for path, document in self.documents.items():
            for change in (without_string, misspelt, negative, other_version,
                           nothing_to_set, something_to_keep):
                changed = copy.deepcopy(document)
                change(changed)
                self.assertNotEqual(self.errors(changed), [],
                                    f"{path} {change.__name__}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
