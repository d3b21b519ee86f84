"""The checker of files must see every kind of wrong file: benchmarks/.venv/bin/python -m unittest discover -s
benchmarks/rivals -p '*_test.py'
"""

import tempfile
import unittest
from pathlib import Path

import parquet_check
import pyarrow as pa
import pyarrow.parquet as pq
from check import Wrong


class TestChecker(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        parquet_check.ROWS = 2  # so that pieces have borders

    def check(self, table, order, stable=True):
        source, result = self.folder / "in.parquet", self.folder / "out.parquet"
        pq.write_table(table, source, row_group_size=3)
        pq.write_table(table.take(order), result, row_group_size=4, compression="zstd")
        return parquet_check.Checker(source, ("key",)).check(result, stable)

    numbered = pa.table({"key": [3, None, 1, 1, 2, 3], "row": range(6)})
    named = pa.table({"key": ["c", None, "a", "a", "b", "c"], "name": ["u", "v", "w", "x", "y", "z"]})
    order = [2, 3, 4, 0, 5, 1]

    def test_accepts_the_stable_order(self):
        for table in (self.numbered, self.named):
            self.assertEqual(self.check(table, self.order), {"codecs": "ZSTD", "row_groups": 2, "row_group_rows": 4})

    def test_ties_in_any_order_unless_stable(self):
        for table in (self.numbered, self.named):
            self.check(table, [3, 2, 4, 5, 0, 1], stable=False)
            for swapped in ([3, 2, 4, 0, 5, 1], [2, 3, 4, 5, 0, 1]):
                with self.assertRaises(Wrong):
                    self.check(table, swapped)

    def test_wrong_order_also_at_the_border_of_pieces(self):
        for table in (self.numbered, self.named):
            for wrong in ([2, 4, 3, 0, 5, 1], [2, 3, 0, 4, 5, 1], [1, 2, 3, 4, 0, 5]):
                with self.assertRaisesRegex(Wrong, "sorts before"):
                    self.check(table, wrong, stable=False)

    def test_row_twice_or_missing(self):
        for table in (self.numbered, self.named):
            with self.assertRaisesRegex(Wrong, "not those of the input"):
                self.check(table, [2, 2, 4, 0, 5, 1], stable=False)
            with self.assertRaisesRegex(Wrong, "5 rows"):
                self.check(table, self.order[:5])


if __name__ == "__main__":
    unittest.main()
