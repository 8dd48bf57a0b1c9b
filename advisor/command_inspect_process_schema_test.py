#!/usr/bin/env -S python3 -B
"""What `advisor inspect --pid --format=json` printed is what the schema says."""

import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, ".")
from tools import schema_testing  # pylint: disable=wrong-import-position


class InspectProcessSchemaTest(schema_testing.SchemaTests, unittest.TestCase):

    schema = "testdata/schema/inspect_process.schema.json"
    samples = "testdata/golden/inspect_process/*.json"

    def test_this_process_is_valid(self):
        answer = subprocess.run(
            ["advisor/advisor", "inspect", "--format=json",
             f"--pid={os.getpid()}"],
            stdout=subprocess.PIPE, check=True)
        document = json.loads(answer.stdout)
        self.assertEqual(self.errors(document), [])
        self.assertEqual(document["pid"], os.getpid())

    def test_breaking_any_sample_is_noticed(self):

        def without_values(document):
            del document["values"]

        def misspelt(document):
            document["programm"] = "x"

        def negative(document):
            document["pid"] = -1

        def other_version(document):
            document["schema_version"] = 2

        self.assert_breaks_every_sample(
            without_values, misspelt, negative, other_version)


if __name__ == "__main__":
    unittest.main(verbosity=2)
