"""What tests of JSON output against its schema have in common."""

import copy
import glob
import json
import unittest


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


class SchemaTests:
    """To be mixed into a unittest.TestCase that says which files it is about."""

    schema = ""  # path of the schema
    samples = ""  # pattern of documents that the program is held to
    least_samples = 3

    def setUp(self):
        try:
            import jsonschema  # pylint: disable=import-outside-toplevel
        except ImportError:
            raise unittest.SkipTest("needs python3-jsonschema") from None
        schema = read(self.schema)
        jsonschema.Draft7Validator.check_schema(schema)
        self.validator = jsonschema.Draft7Validator(schema)
        self.documents = {path: read(path) for path in glob.glob(self.samples)}
        self.assertGreaterEqual(len(self.documents), self.least_samples)

    def errors(self, document):
        return [error.message for error in self.validator.iter_errors(document)]

    def assert_breaks_every_sample(self, *changes):
        """Each function changes a document so that it is valid no more."""
        for path, document in self.documents.items():
            for change in changes:
                changed = copy.deepcopy(document)
                change(changed)
                self.assertNotEqual(self.errors(changed), [],
                                    f"{path} {change.__name__}")

    def test_every_sample_is_valid(self):
        for path, document in self.documents.items():
            self.assertEqual(self.errors(document), [], path)
