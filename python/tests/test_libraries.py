"""Data of Polars, DuckDB, pandas and NumPy."""

import array
import decimal

import duckdb
import hypothesis.strategies as st
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from polars.testing import assert_frame_equal, assert_series_equal
from reference import sort_keys, tables

import arrowsort
from arrowsort import _data


@pytest.mark.parametrize("rows", [0, 5, 300_000])
def test_polars(rows):
    frame = pl.DataFrame({"a": range(rows), "n": [None if i % 3 else i for i in range(rows)]}).with_columns(
        pl.col("a").mul(7919).mod(max(1, rows)).alias("a"), c=pl.col("a").mod(3).cast(str).cast(pl.Categorical)
    )
    by = [("n", "descending"), "a"]
    want = frame.sort(["n", "a"], descending=[True, False], nulls_last=True, maintain_order=True)
    result = arrowsort.sort(frame, by)
    assert_frame_equal(result, want, categorical_as_str=True)
    assert result.schema == frame.schema
    indices = arrowsort.sort_indices(frame, by)
    assert indices.dtype == pl.UInt64
    assert_frame_equal(arrowsort.take(frame, indices), want, categorical_as_str=True)
    assert_series_equal(arrowsort.sort(frame["a"], descending=True), frame["a"].sort(descending=True))
    assert arrowsort.is_sorted(want, by)
    assert arrowsort.rank(frame, "a").to_list() == frame["a"].rank("ordinal").to_list()


@given(st.data())
def test_polars_types(data):
    # Polars has no decimals of 256 bits, and fails to read fixed-size lists that are slices: it reads ours below.
    table, _ = data.draw(tables(leave_out=[pa.decimal256(40, 2), pa.list_(pa.float32(), 2)]))
    frame = pl.from_arrow(table)
    by, _ = data.draw(sort_keys(table))
    result = arrowsort.sort(frame, by)
    rows = arrowsort.sort_indices(frame, by).to_list()
    assert result.schema == frame.schema
    assert_frame_equal(result, frame[rows])


def test_polars_arrays():
    lists = pl.Series([[1, 2], None, [3, None], [4, 5]], dtype=pl.Array(pl.Int8, 2))
    frame = pl.DataFrame({"a": [3, 1, None, 2], "l": lists})
    for limit in (1, 2, 3, 4):
        result = arrowsort.sort(frame, "a", limit=limit)
        assert_frame_equal(result, frame.sort("a", nulls_last=True)[:limit])


def test_polars_lazy_frame():
    with pytest.raises(TypeError, match=r"collect\(\)"):
        arrowsort.sort(pl.LazyFrame({"a": [1]}), "a")


def test_polars_enum_is_sorted_by_text():
    series = pl.Series(["b", "a"], dtype=pl.Enum(["b", "a"]))
    result = arrowsort.sort(series)
    assert result.to_list() == ["a", "b"]
    assert result.dtype == series.dtype


def test_polars_objects_are_no_data():
    frame = pl.DataFrame({"a": [2, 1], "o": pl.Series([{"x"}, {"y"}], dtype=pl.Object)})
    for call in (lambda: arrowsort.sort(frame, "a"), lambda: arrowsort.take(frame["o"], [0])):
        with pytest.raises(arrowsort.UnsupportedError, match="column 'o'"):
            call()


def test_series_without_a_name():
    named = pd.Series([3, 1, 2], name=str)
    pd.testing.assert_series_equal(arrowsort.sort(named), named.sort_values())
    series = pd.Series([3, 1, 2])
    pd.testing.assert_series_equal(arrowsort.sort(series), series.sort_values())
    assert arrowsort.take(series, [0]).name is None
    assert arrowsort.merge([series.sort_values().rename("a"), series.sort_values().rename("b")]).name is None


@pytest.mark.parametrize("rows", [0, 5, 300_000])
def test_duckdb(rows):
    connection = duckdb.connect()
    relation = connection.sql(f"SELECT i, i * 7919 % 1000 AS k, 'n' || i AS s FROM range({rows}) t(i)")
    result = arrowsort.sort(relation, ("k", "descending"))
    assert isinstance(result, arrowsort.Data)
    want = connection.sql("FROM relation ORDER BY k DESC, i").fetchall()
    assert connection.sql("FROM result").fetchall() == want
    assert len(result) == rows


def test_a_capsule_while_an_exception_is_pending():
    """A function of C that fails drops its arguments before its exception is handled."""
    result = arrowsort.sort(duckdb.connect().sql("SELECT 1 AS i"), "i")
    kept = len(_data._kept)
    with pytest.raises(TypeError, match="PyCapsule"):
        int(result.__arrow_c_stream__())
    assert len(_data._kept) == kept


def frame_of(rows):
    """A frame with columns of many types, in which every key has ties and missing values."""
    random = np.random.default_rng(rows)
    numbers = random.integers(0, max(1, rows // 3), rows)
    none = numbers % 5 == 0
    texts = pd.Series([None if n else f"t{k}" for k, n in zip(numbers, none, strict=True)], dtype=object)
    frame = pd.DataFrame(
        {
            "int8": (numbers % 100).astype(np.int8),
            "uint64": numbers.astype(np.uint64) << np.uint64(40),
            "float64": np.where(none, np.nan, -numbers),
            "float32": np.where(none, np.nan, numbers).astype(np.float32),
            "bool": numbers % 2 == 0,
            "datetime": pd.to_datetime(np.where(none, np.iinfo(np.int64).min, numbers * 10**15)),
            "zone": pd.to_datetime(numbers * 10**15, utc=True),
            "timedelta": pd.to_timedelta(numbers, unit="s"),
            "Int16": pd.array(np.where(none, None, numbers % 1000), dtype="Int16"),
            "str": texts.astype("str"),
            "string": texts.astype("string"),
            "object": texts,
            "category": pd.Categorical.from_codes(np.where(none, -1, numbers % 3), ["z", "m", "a"], ordered=True),
            "arrow": pd.array(numbers, dtype=pd.ArrowDtype(pa.int32())),
            "decimal": pd.array([decimal.Decimal(int(n)) for n in numbers], dtype=pd.ArrowDtype(pa.decimal128(9, 1))),
        }
    )
    frame["mixed"] = [None if n else (1, "x")[k % 2] for k, n in zip(numbers, none, strict=True)]
    return frame


INDEXES = {
    "range": lambda frame: frame,
    "step": lambda frame: frame.set_axis(pd.RangeIndex(len(frame), 0, -1, name="row")),
    "numbers": lambda frame: frame.set_axis(pd.Index(np.arange(len(frame)) * 3 % 7, name="n")),
    "dates": lambda frame: frame.set_axis(pd.date_range("2000-01-01", periods=len(frame), freq="h")),
    "texts": lambda frame: frame.set_axis(pd.Index([f"i{i}" for i in range(len(frame))])),
    "levels": lambda frame: frame.set_axis(pd.MultiIndex.from_arrays([np.arange(len(frame))] * 2, names=["a", "b"])),
}


@pytest.mark.parametrize("rows", [0, 1, 100])
@pytest.mark.parametrize("index", INDEXES)
def test_pandas(index, rows):
    frame = INDEXES[index](frame_of(rows))
    for key in frame.columns.drop("mixed"):
        for up in (True, False):
            for place in ("first", "last"):
                by = (key, "ascending" if up else "descending", "at_start" if place == "first" else "at_end")
                want = frame.sort_values(key, ascending=up, na_position=place, kind="stable")
                pd.testing.assert_frame_equal(arrowsort.sort(frame, by), want)
    want = frame.sort_values(["str", "float64"], ascending=[True, True], kind="stable")
    pd.testing.assert_frame_equal(arrowsort.sort(frame, ["str", "float64"]), want)
    pd.testing.assert_frame_equal(arrowsort.sort(frame, ["str", "float64"], limit=2), want[:2], check_freq=False)
    rows = arrowsort.sort_indices(frame, ["str", "float64"])
    assert rows.dtype == np.uint64
    pd.testing.assert_frame_equal(arrowsort.take(frame, rows), want)
    pd.testing.assert_frame_equal(arrowsort.merge([want[:50], want[50:]], ["str", "float64"]), want)
    pd.testing.assert_series_equal(
        arrowsort.sort(frame["int8"], descending=True), frame["int8"].sort_values(ascending=False, kind="stable")
    )
    ranks = arrowsort.rank(frame, "uint64", ties="min")
    pd.testing.assert_series_equal(ranks, frame["uint64"].rank(method="min"), check_dtype=False, check_names=False)


def test_pandas_results_can_be_written():
    frame = pd.DataFrame({"a": [3, 1, 2], "b": [1.0, 2.0, 3.0]})
    result = arrowsort.sort(frame, "a")
    result.loc[0, "b"] = 7.0
    result["a"].to_numpy(copy=True)[0] = 5
    assert result["b"].tolist() == [2.0, 3.0, 7.0]
    assert frame["b"].tolist() == [1.0, 2.0, 3.0]


def test_pandas_labels():
    frame = pd.DataFrame([[2, 1], [1, 2]], columns=[0, "x"])
    assert arrowsort.sort(frame, 0).index.tolist() == [1, 0]
    frame.columns = ["x", "x"]
    with pytest.raises(arrowsort.ColumnError, match="more than one column"):
        arrowsort.sort(frame, "x")
    with pytest.raises(arrowsort.ColumnError, match="names no column; the columns are 'x'"):
        arrowsort.sort(frame, "y")
    with pytest.raises(arrowsort.ColumnError, match="leave `by` out"):
        arrowsort.sort(frame.iloc[:, 0], "x")
    with pytest.raises(arrowsort.NoKeysError):
        arrowsort.sort(frame)
    with pytest.raises(arrowsort.KeyTypeError, match="'m'"):
        arrowsort.sort(pd.DataFrame({"m": [1, "x"]}), "m")
    with pytest.raises(arrowsort.SchemaError, match="input 1"):
        arrowsort.merge([pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [1.0]})], "a")


def test_pandas_searches():
    frame = pd.DataFrame({"a": [1, 1, 2], "b": ["x", "y", "x"]})
    values = pd.DataFrame({"a": [1, 2], "b": ["y", "a"]})
    assert arrowsort.search_sorted(frame, values, ["a", "b"]).tolist() == [1, 2]
    assert arrowsort.groups(frame, "a").tolist() == [0, 2, 3]
    ordered = pd.DataFrame({"c": pd.Categorical(["b", "a"], ["b", "a"], ordered=True)})
    assert arrowsort.is_sorted(ordered, "c")
    with pytest.raises(arrowsort.KeyTypeError, match="ordered categories"):
        arrowsort.search_sorted(ordered, ordered, "c")


@pytest.mark.parametrize(
    "rows",
    [
        [2, 0], (2, 0), range(2, -1, -2), array.array("b", [2, 0]), pd.Series([2, 0]), pd.Index([2, 0]),
        pl.Series([2, 0]), pa.array([2, 0]), pa.chunked_array([[2], [0]]), np.array([2, 0], ">i4").astype("i4"),
        *(np.array([2, 0], kind) for kind in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")),
    ],
    ids=lambda rows: f"{type(rows).__name__}-{getattr(rows, 'dtype', '')}",
)  # fmt: skip
def test_row_numbers(rows):
    assert arrowsort.take(pa.array(["a", "b", "c"]), rows).to_pylist() == ["c", "a"]


def test_no_row_numbers():
    for rows in ([], np.array([], np.int64), pa.array([], pa.int64())):
        assert arrowsort.take(pa.array(["a"]), rows).to_pylist() == []
