#!/usr/bin/env -S python3 -B
"""What `advisor inspect --format=json` printed is what the schema says."""

import copy
import glob
import json
import subprocess
import unittest

SCHEMA = "testdata/schema/inspect.schema.json"
GOLDEN = "testdata/golden/inspect/*.json"


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def load_jsonschema():
    try:
        import jsonschema  # pylint: disable=import-outside-toplevel
        return jsonschema
    except ImportError:
        raise unittest.SkipTest("needs python3-jsonschema") from None


class InspectionSchemaTest(unittest.TestCase):

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

        for path, document in self.documents.items():
            for change in (without_cores, misspelt, other_state, negative,
                           half_a_prediction, other_version):
                changed = copy.deepcopy(document)
                change(changed)
                self.assertNotEqual(self.errors(changed), [],
                                    f"{path} {change.__name__}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
