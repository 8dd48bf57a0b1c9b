#!/usr/bin/env -S python3 -B
"""The JSON that command_merge_test holds `merge` to is what the schema says."""

import sys
import unittest

sys.path.insert(0, ".")
from tools import schema_testing  # pylint: disable=wrong-import-position


class MergeSchemaTest(schema_testing.SchemaTests, unittest.TestCase):

    schema = "testdata/schema/merge.schema.json"
    samples = "testdata/golden/merge/*.json"
    least_samples = 1

    def test_breaking_any_sample_is_noticed(self):

        def no_members(document):
            document["groups"][0]["members"] = []

        def other_word(document):
            document["groups"][0]["agreement"][0]["agreement"] = "none"

        def misspelt(document):
            document["groups"][0]["hypervizor"] = ""

        def negative(document):
            document["groups"][0]["cpu"]["model"] = -1

        def set_nothing(document):
            document["groups"][0]["recommendation"].update(
                verdict="set", tunables={})

        self.assert_breaks_every_sample(no_members, other_word, misspelt,
                                        negative, set_nothing)


if __name__ == "__main__":
    unittest.main(verbosity=2)
