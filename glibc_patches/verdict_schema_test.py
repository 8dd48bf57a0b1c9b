#!/usr/bin/env -S python3 -B
"""The JSON that verdict_test holds the renderer to is what the schema says."""

import copy
import glob
import json
import unittest

SCHEMA = "glibc_patches/verdict.schema.json"
GOLDEN = "glibc_patches/golden/*.json"


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def load_jsonschema():
    try:
        import jsonschema  # pylint: disable=import-outside-toplevel
        return jsonschema
    except ImportError:
        raise unittest.SkipTest("needs python3-jsonschema") from None


class VerdictSchemaTest(unittest.TestCase):

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

    def test_breaking_any_sample_is_noticed(self):

        def no_reason(document):
            document["reasons"] = []

        def misspelt(document):
            document["verdict"] = "accepted"

        def more(document):
            document["checks"][0]["result"] = 1

        def other_version(document):
            document["schema_version"] = 2

        for path, document in self.documents.items():
            for change in (no_reason, misspelt, more, other_version):
                changed = copy.deepcopy(document)
                change(changed)
                self.assertNotEqual(self.errors(changed), [],
                                    f"{path} {change.__name__}")


if __name__ == "__main__":
    unittest.main()
