#!/usr/bin/env -S python3 -B
"""The JSON that verdict_test holds the renderer to is what the schema says."""

import sys
import unittest

sys.path.insert(0, ".")
from tools import schema_testing  # pylint: disable=wrong-import-position


class VerdictSchemaTest(schema_testing.SchemaTests, unittest.TestCase):

    schema = "glibc_patches/verdict.schema.json"
    samples = "glibc_patches/golden/*.json"

    def test_breaking_any_sample_is_noticed(self):

        def no_reason(document):
            document["reasons"] = []

        def misspelt(document):
            document["verdict"] = "accepted"

        def more(document):
            document["checks"][0]["result"] = 1

        def other_version(document):
            document["schema_version"] = 2

        self.assert_breaks_every_sample(
            no_reason, misspelt, more, other_version)


if __name__ == "__main__":
    unittest.main()
