"""Errors name the key or argument and what to do, and are the exceptions of Python that fit."""

import ctypes
import importlib.metadata

import numpy as np
import pyarrow as pa
import pytest

import arrowsort
from arrowsort import _calls, _dlpack, sort, take

CITIES = pa.table({"city": ["Oslo"], "people": [717]})
MONTHS = pa.array([[], [], []], pa.list_(pa.month_day_nano_interval()))
TABLE = pa.table({"a": [3, 1, 2], "l": MONTHS, "s": ["x", "y", "z"]})


@pytest.mark.parametrize(
    ("call", "error", "kind", "words"),
    [
        (lambda: sort(TABLE), arrowsort.NoKeysError, ValueError, "give a column"),
        (lambda: sort(TABLE, []), arrowsort.NoKeysError, ValueError, "give a column"),
        (lambda: sort(TABLE, "b"), arrowsort.ColumnError, KeyError, '"b"; there are "a"'),
        (lambda: sort(CITIES, "City"), arrowsort.ColumnError, KeyError, '"City"; did you mean "city"?'),
        (lambda: sort(CITIES, "pepole"), arrowsort.ColumnError, KeyError, 'did you mean "people"?'),
        (lambda: sort(TABLE, 3), arrowsort.ColumnError, KeyError, "position 3"),
        (lambda: sort(TABLE, -1), arrowsort.ColumnError, KeyError, "column -1"),
        (lambda: sort(TABLE, 1 << 40), arrowsort.ColumnError, KeyError, "positions"),
        (lambda: sort(TABLE, "a\0b"), arrowsort.ColumnError, KeyError, "zero byte"),
        (lambda: sort(TABLE, "\ud800"), arrowsort.ColumnError, KeyError, "no text of Unicode"),
        (lambda: sort(pa.table([[1], [2]], ["a", "a"]), "a"), arrowsort.ColumnError, KeyError, "give its position"),
        (lambda: sort(pa.array([1]), "a"), arrowsort.ColumnError, KeyError, "leave `by` out"),
        (lambda: sort(TABLE, "l"), arrowsort.KeyTypeError, TypeError, "field of a struct"),
        (lambda: sort(TABLE, ("a", "s")), arrowsort.OptionError, ValueError, "several columns as a list"),
        (lambda: sort(TABLE, ("s", "collate=xx")), arrowsort.OptionError, ValueError, 'unknown locale "xx"'),
        (lambda: sort(TABLE, ("s", "collate=\ud800")), arrowsort.OptionError, ValueError, "is none of"),
        (lambda: sort(TABLE, ("s", "collate=")), arrowsort.OptionError, ValueError, "names no locale"),
        (lambda: sort(TABLE, ("s", "nocase", "natural")), arrowsort.OptionError, ValueError, "second order of text"),
        (lambda: sort(TABLE, ("a", "lower")), arrowsort.OptionError, ValueError, "lower takes text"),
        (lambda: sort(TABLE, ("a", "% 0")), arrowsort.OptionError, ValueError, "give a number from 1"),
        (lambda: sort(TABLE, ("a", "upper")), arrowsort.OptionError, ValueError, "is none of"),
        (lambda: sort(TABLE, ("s", "lower", "length")), arrowsort.OptionError, ValueError, "second function"),
        (lambda: sort(TABLE, ("a", "random 1")), arrowsort.OptionError, ValueError, "have no column"),
        (lambda: sort(TABLE, ("a", "nocase")), arrowsort.OptionError, ValueError, "the collation nocase orders text"),
        (lambda: sort(TABLE, ()), arrowsort.OptionError, ValueError, "a column is a name"),
        (lambda: sort(TABLE, True), arrowsort.OptionError, ValueError, "key True"),
        (lambda: sort(TABLE, [None]), arrowsort.OptionError, ValueError, "a column is a name"),
        (lambda: sort(TABLE, 1.5), arrowsort.OptionError, ValueError, "by is 1.5"),
        (lambda: sort(TABLE, {"a": "descending"}), arrowsort.OptionError, ValueError, "by is {'a'"),
        (lambda: sort(TABLE, {"a"}), arrowsort.OptionError, ValueError, "by is {'a'}"),
        (lambda: sort(TABLE, b"a"), arrowsort.OptionError, ValueError, "by is b'a'"),
        (lambda: sort(TABLE, ("a", "descending", "ascending")), arrowsort.OptionError, ValueError, "has two orders"),
        (lambda: sort(TABLE, ("a", "at_end", "at_start")), arrowsort.OptionError, ValueError, "two places for nulls"),
        (lambda: sort(TABLE, np.int64(99)), arrowsort.ColumnError, KeyError, "position 99"),
        (lambda: sort(TABLE, "a", descending=[True]), arrowsort.OptionError, ValueError, "descending is [True]"),
        (lambda: sort(TABLE, "a", limit=0), arrowsort.OptionError, ValueError, "limit is 0"),
        (lambda: sort(TABLE, "a", limit=1 << 63), arrowsort.OptionError, ValueError, "limit is"),
        (lambda: sort(TABLE, "a", limit="1"), arrowsort.OptionError, ValueError, "limit is '1'"),
        (lambda: sort(TABLE, "a", threads=-1), arrowsort.OptionError, ValueError, "threads is -1"),
        (lambda: sort(TABLE, "a", threads=1 << 31), arrowsort.OptionError, ValueError, "threads is"),
        (lambda: sort(TABLE, "a", engine="tpu"), arrowsort.OptionError, ValueError, "'cpu' or 'gpu'"),
        (lambda: sort(TABLE, "a", memory=1), arrowsort.OutOfMemoryError, MemoryError, "limit is 1: give a larger"),
        (lambda: sort(TABLE, "a", memory=0), arrowsort.OptionError, ValueError, "bytes, such as"),
        (lambda: sort(TABLE, "a", memory="much"), arrowsort.OptionError, ValueError, "not a size"),
        (lambda: sort(TABLE, "a", memory="9e9GB"), arrowsort.OptionError, ValueError, "not a size"),
        (lambda: sort(TABLE, "a", memory="0.1B"), arrowsort.OptionError, ValueError, "bytes, such as"),
        (lambda: sort(TABLE, "a", memory=400 * "9" + "T"), arrowsort.OptionError, ValueError, "bytes, such as"),
        (lambda: sort(TABLE, "a", engine="auto"), arrowsort.OptionError, ValueError, "'cpu' or 'gpu'"),
        (lambda: sort(TABLE, "a", engine=3), arrowsort.OptionError, ValueError, "'cpu' or 'gpu'"),
        (lambda: sort([1], "a"), arrowsort.ArgumentTypeError, TypeError, "__arrow_c_stream__"),
        (lambda: take(TABLE, [3]), arrowsort.RowNumberError, IndexError, "position 0 is 3"),
        (lambda: take(TABLE, [-1]), arrowsort.RowNumberError, IndexError, "-1"),
        (lambda: take(TABLE, [1.5]), arrowsort.OptionError, ValueError, "integers"),
        (lambda: take(TABLE, [True, False, True]), arrowsort.OptionError, ValueError, "True and False"),
        (lambda: take(TABLE, "12"), arrowsort.OptionError, ValueError, "integers"),
        (lambda: take(TABLE, np.array([1.5])), arrowsort.OptionError, ValueError, "integers"),
        (lambda: take(TABLE, np.zeros((1, 1), int)), arrowsort.OptionError, ValueError, "one contiguous dimension"),
        (lambda: take(TABLE, pa.array([None], pa.int8())), arrowsort.RowNumberError, IndexError, "null"),
        (lambda: arrowsort.rank(TABLE, "a", ties="x"), arrowsort.OptionError, ValueError, "'dense'"),
        (
            lambda: arrowsort.search_sorted(TABLE, TABLE.select(["a"]), "a"),
            arrowsort.UnsortedError, ValueError, "row 1",
        ),
        (
            lambda: arrowsort.search_sorted(pa.array([1]), pa.array([1]), side="x"),
            arrowsort.OptionError, ValueError, "'left', 'right'",
        ),
        (
            lambda: arrowsort.search_sorted(pa.array([1]), pa.array(["x"])),
            arrowsort.SchemaError, ValueError, "int64",
        ),
        (lambda: arrowsort.groups(TABLE, "a"), arrowsort.UnsortedError, ValueError, "row 1"),
        (lambda: arrowsort.merge([], "a"), arrowsort.OptionError, ValueError, "no inputs"),
        (lambda: arrowsort.merge(3, "a"), arrowsort.ArgumentTypeError, TypeError, "give a list"),
        (lambda: arrowsort.merge(TABLE, "a"), arrowsort.OptionError, ValueError, "give a list"),
        (lambda: arrowsort.merge([TABLE], "a"), arrowsort.UnsortedError, ValueError, "row 1"),
        (
            lambda: arrowsort.merge([TABLE, TABLE.select(["a"])], "a"), arrowsort.SchemaError, ValueError, "column",
        ),
        (lambda: arrowsort.explain(TABLE, "a", limit=2), arrowsort.OptionError, ValueError, "'limit' is for files"),
    ],
)  # fmt: skip
def test_errors(call, error, kind, words):
    with pytest.raises(kind) as raised:
        call()
    assert type(raised.value) is error
    assert words in str(raised.value)


class Exporter:
    """What exports a value by the Arrow PyCapsule interface."""

    def __init__(self, value, name="__arrow_c_stream__"):
        setattr(type(self), name, lambda self, requested_schema=None: value)


def test_exporters_that_are_wrong():
    capsule = TABLE.__arrow_c_stream__()
    assert pa.RecordBatchReader._import_from_c_capsule(capsule).read_all() == TABLE
    with pytest.raises(arrowsort.OptionError, match="released"):
        sort(type("Read", (Exporter,), {})(capsule), "a")
    with pytest.raises(arrowsort.ArgumentTypeError, match="no capsule"):
        sort(type("Number", (Exporter,), {})(3), "a")
    for value in (3, (1, 2, 3)):
        with pytest.raises(arrowsort.ArgumentTypeError, match="no pair"):
            sort(type("Alone", (Exporter,), {})(value, "__arrow_c_array__"), "a")


def test_streams_that_fail():
    def batches():
        yield pa.record_batch({"a": [1]})
        raise ValueError("the network is down")

    reader = pa.RecordBatchReader.from_batches(pa.schema([("a", pa.int64())]), batches())
    with pytest.raises(arrowsort.StreamError, match="the network is down"):
        sort(reader, "a")


def test_all_errors_have_one_base():
    errors = [getattr(arrowsort, name) for name in arrowsort.__all__ if name.endswith("Error")]
    assert len(errors) > 10
    assert all(issubclass(error, arrowsort.Error) for error in errors)


def test_sizes_are_those_of_the_command():
    sizes = {"1": 1, "3 b": 3, "2k": 2048, "2KB": 2000, "1.5MiB": 3 << 19, " 1GB ": 10**9, "4T": 4 << 40}
    for text, size in sizes.items():
        assert _calls.options_of(memory=text).memory == size


def test_what_an_error_of_memory_says_once():
    with pytest.raises(arrowsort.OutOfMemoryError) as raised:
        sort(TABLE, "a", memory=1)
    assert str(raised.value).count("out of memory") == 1
    assert "engine:" not in str(raised.value)


def test_no_name_is_suggested_that_is_unlike():
    with pytest.raises(arrowsort.ColumnError) as raised:
        sort(CITIES, "temperature")
    assert str(raised.value).endswith('there are "city", "people"')


def test_version():
    assert arrowsort.__version__ == importlib.metadata.version("arrowsort")


class OnDevice:
    """An array that says that it is on a GPU; nothing of it is read."""

    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, *, stream):
        assert stream == 1
        tensor = _dlpack._Tensor(0x1000, 2, 0, 1, 0, 64, 1, (ctypes.c_int64 * 1)(3), None, 0)
        self.made = _dlpack._Managed(tensor, None, _dlpack._deleter)
        return _dlpack._new(ctypes.addressof(self.made), b"dltensor", None)


def test_gpu_without_a_device():
    """Tests/gpu has those with one, on a stand-in."""
    text = r"has no GPU engine: in a checkout, .*wheel\.sh|device 0: gpu: no device: "
    with pytest.raises(arrowsort.DeviceError, match=text):
        arrowsort.gpu.argsort(OnDevice())
    with pytest.raises(arrowsort.OptionError, match="key 0 is not on a CUDA device"):
        arrowsort.gpu.argsort(np.arange(3))
