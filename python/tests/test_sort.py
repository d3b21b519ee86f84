"""Tables and columns of pyarrow, of every type, against a stable sort in Python."""

import bisect
import functools
import gc
import itertools

import hypothesis.strategies as st
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from reference import KEYS, columns, make, order, same, sort_keys, tables, unmake

import arrowsort
from arrowsort import _data, _library


def expected(values, keys):
    names, descending, nulls_first = keys
    return order([values[name] for name in names], descending, nulls_first)


@given(st.data())
def test_tables(data):
    table, values = data.draw(tables())
    by, keys = data.draw(sort_keys(table))
    rows = expected(values, keys)
    result = arrowsort.sort(table, by)
    assert result.schema.equals(table.schema, check_metadata=True)
    result.validate(full=True)
    for name in table.column_names:
        assert same(unmake(result[name]), [values[name][row] for row in rows]), (name, table.schema, by)
    assert arrowsort.sort_indices(table, by).to_pylist() == rows
    assert arrowsort.is_sorted(result, by)
    assert arrowsort.is_sorted(table, by) == (rows == list(range(len(rows))))
    taken = arrowsort.take(table, arrowsort.sort_indices(table, by))
    assert all(same(unmake(taken[name]), unmake(result[name])) for name in table.column_names)


@given(st.data())
def test_first_rows(data):
    table, values = data.draw(tables())
    by, keys = data.draw(sort_keys(table))
    limit = data.draw(st.integers(1, 50))
    rows = expected(values, keys)[:limit]
    assert arrowsort.sort_indices(table, by, limit=limit).to_pylist() == rows
    result = arrowsort.sort(table, by, limit=limit)
    assert all(same(unmake(result[name]), [values[name][row] for row in rows]) for name in table.column_names)


@given(st.data())
def test_columns(data):
    column, values = data.draw(columns(list(KEYS), data.draw(st.integers(0, 20))))
    down, first = data.draw(st.booleans()), data.draw(st.booleans())
    rows = order([values], [down], [first])
    options = {"descending": down, "nulls_first": first}
    result = arrowsort.sort(column, **options)
    assert isinstance(result, pa.ChunkedArray) and result.type == column.type
    assert same(unmake(result), [values[row] for row in rows])
    array = make(values, column.type)
    assert same(unmake(arrowsort.sort(array, **options)), [values[row] for row in rows])
    assert arrowsort.sort(array, **options).type == column.type
    assert arrowsort.sort_indices(column, **options).to_pylist() == rows
    assert arrowsort.is_sorted(result, **options)


@given(st.data())
def test_ranks_groups_and_searches(data):
    numbers = data.draw(st.lists(st.one_of(st.none(), st.integers(-3, 3)), max_size=20))
    array = pa.array(numbers, pa.int64())
    key = functools.cmp_to_key(lambda a, b: (a > b) - (a < b))
    keys = [key((number is None, number or 0)) for number in numbers]
    ordered = sorted(keys)
    low, high = [[f(ordered, k) for k in keys] for f in (bisect.bisect_left, bisect.bisect_right)]
    assert arrowsort.rank(array, ties="min").to_pylist() == [n + 1 for n in low]
    assert arrowsort.rank(array, ties="max").to_pylist() == high
    assert arrowsort.rank(array, ties="average").to_pylist() == [
        (n + m + 1) / 2 for n, m in zip(low, high, strict=True)
    ]
    assert arrowsort.rank(array, ties="dense").to_pylist() == [1 + len({k for k in low if k < n}) for n in low]
    first = arrowsort.rank(array).to_pylist()
    assert [first[row] for row in order([numbers], [False], [False])] == list(range(1, len(numbers) + 1))
    in_order = arrowsort.sort(array)
    sizes = [len(list(group)) for _, group in itertools.groupby(in_order.to_pylist())]
    assert arrowsort.groups(in_order).to_pylist() == [0, *itertools.accumulate(sizes)]
    assert arrowsort.search_sorted(in_order, array).to_pylist() == low
    assert arrowsort.search_sorted(in_order, array, side="right").to_pylist() == high


@given(st.data())
def test_merge(data):
    table, values = data.draw(tables())
    by, keys = data.draw(sort_keys(table))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(table)), max_size=3)))
    inputs = [
        arrowsort.sort(table.slice(begin, end - begin), by)
        for begin, end in zip([0, *cuts], [*cuts, len(table)], strict=True)
    ]
    merged = arrowsort.merge(inputs, by)
    rows = expected(values, keys)
    assert all(same(unmake(merged[name]), [values[name][row] for row in rows]) for name in table.column_names)


@pytest.mark.parametrize("rows", [0, 1, 1000, 300_000])
def test_containers_come_back(rows):
    table = pa.table({"a": pa.array(range(rows, 0, -1), pa.int64())}, metadata={"owner": "me"})
    batch = pa.record_batch([pa.array(range(rows, 0, -1), pa.int64())], ["a"])
    containers = [table, batch, table["a"], batch["a"], pa.array(range(rows), pa.int64())]
    for data in containers:
        by = "a" if isinstance(data, (pa.Table, pa.RecordBatch)) else None
        result = arrowsort.sort(data, by)
        assert type(result) is type(data)
        assert len(result) == rows
        result.validate(full=True)
    assert arrowsort.sort(table, "a").schema.metadata == {b"owner": b"me"}
    reader = arrowsort.sort(pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=7)), "a")
    assert isinstance(reader, pa.RecordBatchReader)
    assert reader.read_all()["a"].to_pylist() == list(range(1, rows + 1))


def test_structs():
    array = pa.array([{"a": 2}, None, {"a": 1}])
    assert arrowsort.sort(array).to_pylist() == [{"a": 1}, {"a": 2}, None]
    table = pa.table({"s": array, "n": [1, 2, 3]})
    assert arrowsort.sort(table, "s.a")["n"].to_pylist() == [3, 1, 2]
    assert arrowsort.sort(table, ("s.a", "at_start"))["n"].to_pylist() == [2, 3, 1]


def test_extension_types_come_back():
    array = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"b" * 16, None, b"a" * 16], pa.binary(16)))
    for column in (array, pa.chunked_array([array])):
        assert arrowsort.sort(column).type == pa.uuid()
        assert arrowsort.sort_indices(column).to_pylist() == [2, 0, 1]
    result = arrowsort.sort(pa.table({"u": array}), "u")
    assert result.schema.field("u").type == pa.uuid()
    assert result["u"].to_pylist() == [array[2].as_py(), array[0].as_py(), None]


def addresses(array):
    """The address of every buffer of more than one offset, which is what an array without rows has, and may share."""
    return [buffer.address if buffer and buffer.size > 8 else 0 for buffer in array.buffers()]


@given(st.data())
def test_no_copy_of_buffers(data):
    column, _ = data.draw(columns([kind for kind in KEYS if kind != pa.null()], 20))
    for chunk in column.chunks:
        if len(chunk):
            back = pa.array(_data.Chunk(_data.from_arrow(chunk, column=True)))
            assert addresses(back)[1:] == addresses(chunk)[1:]


def test_result_has_one_place_in_memory():
    result = arrowsort.sort(pa.RecordBatch.from_pydict({"a": [2, 1]}), "a")
    data = arrowsort.Data(_data.from_arrow(result))
    once, twice = pa.table(data), pa.table(data)
    assert addresses(once["a"].chunk(0)) == addresses(twice["a"].chunk(0)) == addresses(result["a"])


def test_memory_is_freed():
    table = pa.table({"a": list(range(1000, 0, -1)), "s": [str(i) for i in range(1000)]})
    before = _library.allocated()
    results = [arrowsort.sort(table, "a"), arrowsort.sort_indices(table, "a"), arrowsort.rank(table, "a")]
    data = arrowsort.Data(_data.from_arrow(results[0], in_memory=True))
    capsules = [data.__arrow_c_stream__(), data.__arrow_c_schema__()]  # nobody takes them over
    assert _library.allocated() > before
    del results, data, capsules
    gc.collect()
    assert _library.allocated() == before
    assert not _data._kept


def test_data():
    class Only:
        """What has the Arrow PyCapsule interface and nothing else."""

        def __init__(self, table):
            self.table = table

        def __arrow_c_stream__(self, requested_schema=None):
            return self.table.__arrow_c_stream__(requested_schema)

    table = pa.table({"a": [2, None, 1], "s": ["x", "y", "z"]})
    result = arrowsort.sort(Only(table), "a")
    assert isinstance(result, arrowsort.Data)
    assert repr(result) == "<arrowsort.Data: 3 rows, 2 columns>"
    assert len(result) == 3
    assert pa.schema(result) == table.schema
    assert pa.table(result)["s"].to_pylist() == ["z", "x", "y"]
    assert pa.chunked_array(arrowsort.sort_indices(Only(table), "a")).to_pylist() == [2, 0, 1]
    assert pa.table(arrowsort.sort(result, "s", descending=True))["s"].to_pylist() == ["z", "y", "x"]


def test_explain():
    table = pa.table({"a": [1, 2, None]})
    plan = arrowsort.explain(table, ("a", "descending"))
    key = plan["keys"][0]
    assert (key["column"], key["type"], key["descending"], key["nulls"]) == ("a", "int64", True, 1)


@pytest.mark.parametrize("typ", [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())])
def test_orders_of_text(typ):
    names = pa.array(["Z10", "z9", None, "ärger", "Arm", "arm"])
    table = pa.table({"a": names.cast(typ), "row": range(6)})
    for words, want in {
        ("nocase",): [4, 5, 0, 1, 3, 2],
        ("natural",): [4, 0, 5, 1, 3, 2],
        ("collate=de",): [3, 5, 4, 0, 1, 2],
        ("collate=de-u-kn", "descending"): [0, 1, 4, 5, 3, 2],
        ("at_start", "collate=de-u-kf-upper"): [2, 3, 4, 5, 0, 1],
    }.items():
        assert arrowsort.sort(table, ("a", *words))["row"].to_pylist() == want, words


def test_orders_of_text_in_files(tmp_path):
    path, out = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pq.write_table(pa.table({"a:nocase": ["Z", "ärger", "Arm"]}), path)
    arrowsort.sort_file(path, out, ("a:nocase", "collate=de"))
    assert pq.read_table(out)["a:nocase"].to_pylist() == ["ärger", "Arm", "Z"]
    assert arrowsort.check_file(out, ("a:nocase", "collate=de"))["sorted"]
    assert not arrowsort.check_file(out, "a:nocase")["sorted"]


def test_functions():
    table = pa.table({"s": ["b", "A", None, "aa"], "n": pa.array([-7, 5, 8, None], pa.int8()), "row": range(4)})
    for key, want in {
        ("s", "lower"): [1, 3, 0, 2],
        ("s", "length", "descending"): [3, 0, 1, 2],
        ("n", "abs"): [1, 0, 2, 3],
        ("n", "% 4"): [2, 0, 1, 3],
        ("n", "hash", "at_start"): [3, 1, 0, 2],
        (0, "hash 11"): [3, 0, 1, 2],
        ("s", "lower", "natural", "descending"): [0, 3, 1, 2],
        (None, "random 42"): [3, 1, 0, 2],
    }.items():
        assert arrowsort.sort(table, key)["row"].to_pylist() == want, key
    shuffle = (None, "random 42")
    assert arrowsort.sort(pa.array([5, 6, 7]), shuffle).to_pylist() == [6, 5, 7]
    assert list(arrowsort.sort(pl.Series([5, 6, 7]), shuffle)) == [6, 5, 7]
    frame = pd.DataFrame({"a": [5, 6, -7], "s": ["b", "A", "c"]})
    assert list(arrowsort.sort(frame, shuffle).a) == [6, 5, -7]
    assert list(arrowsort.sort_indices(frame, shuffle)) == [1, 0, 2]
    assert list(arrowsort.sort(frame, [("s", "lower", "descending"), shuffle]).a) == [-7, 5, 6]


def test_functions_of_files(tmp_path):
    path, out = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pq.write_table(pa.table({"a:desc": ["b", "A", "c"], "n": [-7, 5, 8]}), path)
    for key, want in {
        ("a:desc", "lower", "descending"): [8, -7, 5],
        ("a:desc", "hash 11"): [-7, 5, 8],
        ("n", "% 4"): [8, -7, 5],
        (1, "abs"): [5, -7, 8],
    }.items():
        arrowsort.sort_file(path, out, key)
        assert pq.read_table(out)["n"].to_pylist() == want, key
        assert arrowsort.check_file(out, key)["sorted"]
    arrowsort.sort_file(path, out, [(None, "random 42"), "n"])
    assert pq.read_table(out)["n"].to_pylist() == [5, -7, 8]
    with pytest.raises(arrowsort.OptionError, match="numbers of rows"):
        arrowsort.check_file(out, (None, "random 42"))
