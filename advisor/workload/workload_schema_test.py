#!/usr/bin/env -S python3 -B
"""The workloads that ship are what their schema says."""

import sys
import unittest

sys.path.insert(0, ".")
from tools import schema_testing  # pylint: disable=wrong-import-position


class WorkloadSchemaTest(schema_testing.SchemaTests, unittest.TestCase):

    schema = "testdata/schema/workload.schema.json"
    samples = "testdata/distributions/*.json"

    def test_both_kinds_are_there(self):
        kinds = {document["provenance"]["kind"]
                 for document in self.documents.values()}
        self.assertEqual(kinds, {"recorded", "synthetic"})

    def test_breaking_any_sample_is_noticed(self):

        def without_kind(document):
            del document["provenance"]["kind"]

        def unknown_function(document):
            document["functions"]["bzero"] = {"sizes": []}

        def negative(document):
            next(iter(document["functions"].values()))["sizes"][0][1] = -1

        def no_functions(document):
            document["functions"] = {}

        self.assert_breaks_every_sample(without_kind, unknown_function,
                                        negative, no_functions)


if __name__ == "__main__":
    unittest.main()
