#!/usr/bin/env -S python3 -B
"""The JSON that grouped_machines_test holds groups to is what the schema says.
"""

import sys
import unittest

sys.path.insert(0, ".")
from tools import schema_testing  # pylint: disable=wrong-import-position


class GroupsSchemaTest(schema_testing.SchemaTests, unittest.TestCase):

    schema = "testdata/schema/groups.schema.json"
    samples = "testdata/golden/groups/*.json"
    least_samples = 1

    def test_breaking_any_sample_is_noticed(self):

        def no_members(document):
            document["groups"][0]["members"] = []

        def no_verdict(document):
            for group in document["groups"]:
                group["answers"][0]["recommendation"] = {"string": ""}

        def negative(document):
            document["groups"][0]["answers"][0]["thresholds"]["x"] = -1

        def misspelt(document):
            document["groups"][0]["answer"] = []

        self.assert_breaks_every_sample(no_members, no_verdict, negative,
                                        misspelt)


if __name__ == "__main__":
    unittest.main(verbosity=2)
