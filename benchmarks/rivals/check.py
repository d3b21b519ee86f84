"""Checks a sorted result against its input: number of rows, order, stability and a checksum over whole rows."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_MIX = np.uint64(0x9E3779B97F4A7C15)


class Wrong(Exception):
    """A result that is not the sorted input."""


class Checker:
    """Knows the input by its checksum; for row numbers (argsort) it keeps the key columns. The order of a collation is
    not that of bytes, and is not checked.
    """

    def __init__(self, table: pa.Table, keys: tuple[str, ...], argsort: bool, collated: bool = False):
        self.rows, self.names, self.keys, self.argsort = len(table), table.column_names, keys, argsort
        self.collated = collated
        if argsort:
            self.key_columns = table.select(keys)
        else:
            self.sum = checksum(table)

    def check(self, result: pa.Table, stable: bool) -> None:
        """Raises Wrong if the result is not the sorted input, or not its stable order where that is asked for."""
        (self.argsorted if self.argsort else self.sorted)(result, stable)

    def sorted(self, result: pa.Table, stable: bool) -> None:
        """The result is the whole input in order: values, then NaN, then nulls."""
        if result.column_names != self.names:
            raise Wrong(f"columns {result.column_names}, want {self.names}")
        self._count(result)
        if not self.collated:
            in_order(result, self.keys, stable)
        if checksum(result) != self.sum:
            raise Wrong("the rows are not those of the input")

    def argsorted(self, result: pa.Table, stable: bool) -> None:
        """The result is one column of row numbers that sort the input."""
        self._count(result)
        rows = result.column(0).to_numpy()
        if not np.array_equal(np.bincount(rows.astype(np.int64), minlength=self.rows), np.ones(self.rows, np.int64)):
            raise Wrong("the row numbers are not a permutation")
        taken = self.key_columns.take(pa.array(rows))
        if stable:
            taken = taken.append_column("row", pa.array(rows.astype(np.int64)))
        in_order(taken, self.keys, stable)

    def _count(self, result: pa.Table) -> None:
        if len(result) != self.rows:
            raise Wrong(f"{len(result)} rows, want {self.rows}")


def in_order(table: pa.Table, keys: tuple[str, ...], stable: bool) -> None:
    """Raises Wrong at the first row that sorts before its predecessor, or ties with it and stood behind it."""
    tied = np.ones(max(len(table) - 1, 0), bool)
    columns = [_flat(table[key]) for key in keys]
    for column in columns:
        for code in _classes_and_values(column):
            _raise_at(tied & _pairs(pc.greater, code), "sorts before its predecessor")
            tied &= _pairs(pc.equal, code)
    if stable:
        rows = table["row"].to_numpy()
        _raise_at(tied & (rows[:-1] > rows[1:]), "ties with its predecessor and stood before it")


def _classes_and_values(column: pa.Array):
    """Two arrays without nulls whose order, the first before the second, is that of the column."""
    null = pc.is_null(column).to_numpy(zero_copy_only=False).astype(np.int8)
    if pa.types.is_floating(column.type):
        nan = pc.is_nan(column).fill_null(False)
        yield pa.array(2 * null + nan.to_numpy(zero_copy_only=False))
        yield pc.if_else(nan, 0.0, column).fill_null(0.0)
        return
    if column.null_count:
        yield pa.array(null)
        column = column.fill_null("" if pa.types.is_large_string(column.type) else 0)
    yield column


def _pairs(compare, a) -> np.ndarray:
    n = max(len(a) - 1, 0)
    return compare(a.slice(0, n), a.slice(1, n)).to_numpy(zero_copy_only=False)


def _raise_at(bad: np.ndarray, what: str) -> None:
    if bad.any():
        raise Wrong(f"row {int(np.argmax(bad)) + 1} {what}")


def checksum(table: pa.Table) -> int:
    """A sum over rows of a hash of the whole row: the same for every order of the same rows."""
    return int(np.sum(row_hashes(table), dtype=np.uint64))


def row_hashes(table: pa.Table) -> np.ndarray:
    """64 bits of each whole row."""
    total = np.zeros(len(table), np.uint64)
    for name in table.column_names:
        total = (total ^ _hash(table[name])) * _MIX
        total ^= total >> np.uint64(29)
    return total * _MIX


def _hash(column: pa.ChunkedArray) -> np.ndarray:
    """64 bits per value; nulls, all NaN and both zeros each have one."""
    array = _flat(column)
    if pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type):
        return _hash_strings(array)
    null = pc.is_null(array).to_numpy(zero_copy_only=False)
    if pa.types.is_floating(array.type):
        values = array.fill_null(0.0).to_numpy(zero_copy_only=False) + 0.0
        bits = np.where(np.isnan(values), np.uint64(1), values.view(np.uint64))
    else:
        bits = array.fill_null(0).to_numpy(zero_copy_only=False).view(np.uint64)
    return np.where(null, np.uint64(2), bits)


def _hash_strings(array: pa.Array) -> np.ndarray:
    """Takes eight bytes at a time of all strings that are still long enough."""
    if array.null_count:
        array = array.fill_null("\0null")
    offsets = np.frombuffer(array.buffers()[1], np.int64)[array.offset : array.offset + len(array) + 1]
    data = np.concatenate((np.frombuffer(array.buffers()[2] or b"", np.uint8), np.zeros(8, np.uint8)))
    words = np.lib.stride_tricks.as_strided(data.view(), (len(data) - 7, 8), (1, 1))
    start, left = offsets[:-1].copy(), np.diff(offsets)
    total = left.astype(np.uint64)
    rows = np.flatnonzero(left > 0)
    while len(rows):
        word = np.ascontiguousarray(words[start[rows]]).view(np.uint64).ravel()
        short = left[rows] < 8
        word[short] &= (np.uint64(1) << (left[rows][short] * 8).astype(np.uint64)) - np.uint64(1)
        total[rows] = (total[rows] ^ word) * _MIX
        total[rows] ^= total[rows] >> np.uint64(31)
        start[rows] += 8
        left[rows] -= 8
        rows = rows[left[rows] > 0]
    return total


def _flat(column: pa.ChunkedArray) -> pa.Array:
    """The column in one piece, of a type without elements."""
    if pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        return _bytes_of_lists(column.combine_chunks())
    return pc.cast(column, _plain(column.type)).combine_chunks()


def _bytes_of_lists(lists: pa.Array) -> pa.Array:
    """Lists of int32 without nulls as bytes that compare as they do: 4 for each element, the sign bit flipped."""
    if lists.null_count or lists.flatten().null_count:
        raise Wrong("a list or an element is null")
    offsets = np.concatenate(([0], np.cumsum(pc.list_value_length(lists).to_numpy()))).astype(np.int64)
    values = lists.flatten().to_numpy().astype(np.int32).view(np.uint32) ^ np.uint32(1 << 31)
    data = values.astype(">u4").tobytes()
    return pa.Array.from_buffers(pa.large_binary(), len(lists), [None, pa.py_buffer(4 * offsets), pa.py_buffer(data)])


def _plain(t: pa.DataType) -> pa.DataType:
    """The type that stands for all spellings of a type: engines return views or large types where they were given
    others.
    """
    if pa.types.is_string(t) or pa.types.is_large_string(t) or pa.types.is_string_view(t):
        return pa.large_string()
    if pa.types.is_floating(t):
        return pa.float64()
    return pa.int64()
