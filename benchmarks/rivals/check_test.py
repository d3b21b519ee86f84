"""The checker must see every kind of wrong result:

benchmarks/.venv/bin/python -m unittest discover -s benchmarks/rivals -p '*_test.py'
"""

import unittest

import pyarrow as pa
from check import Checker, Wrong

NAN = float("nan")


class TestChecker(unittest.TestCase):
    table = pa.table(
        {
            "key": [3.0, None, NAN, -0.0, 0.0, 3.0],
            "name": ["c", "b", "a", "longer than a word", "e", None],
            "row": range(6),
        }
    )
    order = [3, 4, 0, 5, 2, 1]

    def check(self, order, stable=True, argsort=False):
        result = pa.table({"index": pa.array(order, pa.uint64())}) if argsort else self.table.take(order)
        Checker(self.table, ("key",), argsort).check(result, stable)

    def test_accepts_the_stable_order(self):
        self.check(self.order)
        self.check(self.order, argsort=True)

    def test_ties_in_any_order_unless_stable(self):
        swapped = [4, 3, 5, 0, 2, 1]
        self.check(swapped, stable=False)
        for argsort in (False, True):
            with self.assertRaisesRegex(Wrong, "ties"):
                self.check(swapped, argsort=argsort)

    def test_wrong_order(self):
        for order in ([0, 5, 3, 4, 2, 1], [3, 4, 0, 5, 1, 2], [2, 3, 4, 0, 5, 1]):
            for argsort in (False, True):
                with self.assertRaisesRegex(Wrong, "row [0-9]+ sorts before"):
                    self.check(order, stable=False, argsort=argsort)

    def test_row_twice_or_missing(self):
        with self.assertRaisesRegex(Wrong, "not those of the input"):
            self.check([3, 3, 0, 5, 2, 1], stable=False)
        with self.assertRaisesRegex(Wrong, "permutation"):
            self.check([3, 3, 0, 5, 2, 1], stable=False, argsort=True)
        with self.assertRaisesRegex(Wrong, "5 rows"):
            self.check(self.order[:5])

    def test_row_torn_apart(self):
        right = self.table.take(self.order)
        torn = right.set_column(1, "name", right["name"].take([1, 0, 2, 3, 4, 5]))
        with self.assertRaisesRegex(Wrong, "not those of the input"):
            Checker(self.table, ("key",), False).check(torn, True)

    def test_second_key_decides_ties(self):
        table = pa.table({"a": [1, 1, 0], "b": ["x", "xy", "z"]})
        checker = Checker(table, ("a", "b"), False)
        checker.check(table.take([2, 0, 1]), False)
        with self.assertRaisesRegex(Wrong, "row 2"):
            checker.check(table.take([2, 1, 0]), False)

    def test_lists_by_their_elements(self):
        key = pa.array([[], [-1], [1], [1, -5], [2**31 - 1]], pa.list_(pa.int32()))
        lists = pa.table({"key": key, "row": range(5)})
        checker = Checker(lists, ("key",), False)
        checker.check(lists.cast(pa.schema({"key": pa.large_list(pa.int32()), "row": pa.int64()})), True)
        for order in ([1, 0, 2, 3, 4], [0, 1, 3, 2, 4], [0, 2, 1, 3, 4], [0, 1, 2, 3, 3]):
            with self.assertRaises(Wrong):
                checker.check(lists.take(order), True)

    def test_string_views_and_strings_are_the_same(self):
        table = pa.table({"key": ["b", "a", "a string longer than twelve"]})
        result = pa.table({"key": table["key"].take(pa.array([1, 2, 0])).cast(pa.string_view())})
        Checker(table, ("key",), False).check(result, False)


if __name__ == "__main__":
    unittest.main()
