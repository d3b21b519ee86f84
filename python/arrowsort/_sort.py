"""The functions on data in memory."""

import ctypes
import json
import os
from collections.abc import Iterable
from ctypes import byref
from typing import Any, TypeVar

from . import _calls, _files, _keys
from . import _library as lib
from ._calls import Handle
from ._errors import ArgumentTypeError, OptionError
from ._keys import By
from ._sources import Source, open_inputs, open_source, row_numbers

T = TypeVar("T")

_TIES = {"first": 0, "min": 1, "max": 2, "dense": 3, "average": 4}
_SIDES = {"left": 0, "right": 1}


def _choice(name: str, value: object, choices: dict[str, int]) -> int:
    if not isinstance(value, str) or value not in choices:
        raise OptionError(f"{name} is {value!r}: give one of {', '.join(map(repr, choices))}")
    return choices[value]


def _column(function, source: Source, options: lib.Options, *parameters: int) -> Handle:
    """Calls a function of data and keys whose result is data."""
    out, keys = Handle(), source.keys
    head = (source.handle.number, keys, len(keys), *parameters)
    _calls.run(function, head, options, byref(out.number), source.cells)
    return out


def sort(
    data: T,
    by: By = None,
    *,
    descending: bool = False,
    nulls_first: bool = False,
    limit: int | None = None,
    engine: str | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
) -> T:
    """Returns data in the order of the keys. Rows that tie keep their order.

    Data is a table or a column of pyarrow, Polars or pandas, and the result is of the same type; or anything else with
    ``__arrow_c_stream__`` or ``__arrow_c_array__``, such as a relation of DuckDB, and the result is a ``Data``.

    By is a column, or a list of columns, the most significant first: names, ``"a.b"`` for a field of a struct, or
    positions from 0; of pandas labels. A key may say its order and where nulls go, in a tuple:
    ``("a", "descending")``, ``("a", "descending", "at_start")``. Keys that do not take ``descending`` and
    ``nulls_first``. A column needs no ``by``.

    Limit is the number of leading rows of the result. Threads is the most to use, memory the most to allocate, in bytes
    or as ``"1GiB"``.
    Engine is ``"cpu"``, or ``"gpu"`` in a build with it.

    >>> import arrowsort, pyarrow
    >>> table = pyarrow.table({"city": ["Oslo", "Rome", "Bern"], "people": [717, 2756, 134]})
    >>> arrowsort.sort(table, "people")["city"].to_pylist()
    ['Bern', 'Oslo', 'Rome']
    >>> arrowsort.sort(table, [("people", "descending"), "city"], limit=1).to_pylist()
    [{'city': 'Rome', 'people': 2756}]
    """
    options = _calls.options_of(limit, engine, threads, memory)
    source = open_source(data, _keys.parse(by, descending, nulls_first), rows=True)
    return source.rows(_column(lib.sort, source, options))


def sort_indices(
    data: object,
    by: By = None,
    *,
    descending: bool = False,
    nulls_first: bool = False,
    limit: int | None = None,
    engine: str | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
) -> Any:
    """Returns the row numbers of data in the order of the keys (argsort), as uint64.

    They are an Array of pyarrow, a Series of Polars, or an array of NumPy for pandas; else a ``Data``. See ``sort`` for
    the arguments.

    >>> import arrowsort, pyarrow
    >>> arrowsort.sort_indices(pyarrow.array([30, None, 10])).to_pylist()
    [2, 0, 1]
    """
    options = _calls.options_of(limit, engine, threads, memory)
    source = open_source(data, _keys.parse(by, descending, nulls_first))
    return source.numbers(_column(lib.sort_indices, source, options, 64))


def take(data: T, rows: object, *, threads: int | None = None, memory: int | str | None = None) -> T:
    """Returns the rows of data with these numbers, of the type of data.

    Rows are integers: a column of any library, an array of NumPy, or a list. A number that is null, negative or too
    large is a RowNumberError.

    >>> import arrowsort, pyarrow
    >>> arrowsort.take(pyarrow.array(["a", "b", "c"]), [2, 0, 2]).to_pylist()
    ['c', 'a', 'c']
    """
    options = _calls.options_of(None, None, threads, memory)
    source, numbers, out = open_source(data, rows=True), row_numbers(rows), Handle()
    head = (source.handle.number, numbers.number)
    cells = numbers.count(lib.rows) * max(1, source.handle.count(lib.columns))
    _calls.run(lib.take, head, options, byref(out.number), cells)
    return source.rows(out)


def is_sorted(
    data: object, by: By = None, *, descending: bool = False, nulls_first: bool = False, threads: int | None = None
) -> bool:
    """Whether the rows of data are in the order of the keys. See ``sort`` for the arguments.

    >>> import arrowsort, pyarrow
    >>> arrowsort.is_sorted(pyarrow.array([1, 2, 2, None]))
    True
    """
    options = _calls.options_of(threads=threads)
    source, row = open_source(data, _keys.parse(by, descending, nulls_first)), ctypes.c_int64()
    head = (source.handle.number, source.keys, len(source.keys))
    _calls.run(lib.is_sorted, head, options, byref(row), source.cells)
    return row.value < 0


def rank(
    data: object,
    by: By = None,
    *,
    ties: str = "first",
    descending: bool = False,
    nulls_first: bool = False,
    engine: str | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
) -> Any:
    """Returns the rank of each row in the order of the keys, from 1 on.

    Rows that tie get different ranks in their order (``ties="first"``), the smallest or the greatest of these
    (``"min"``, ``"max"``), the mean (``"average"``, as float64), or one rank, and the next rows the next one
    (``"dense"``). Of pandas the result is a Series with the index of data. See ``sort`` for the other arguments.

    >>> import arrowsort, pyarrow
    >>> arrowsort.rank(pyarrow.array([30, 10, 30]), ties="min").to_pylist()
    [2, 1, 2]
    """
    options = _calls.options_of(None, engine, threads, memory)
    number = _choice("ties", ties, _TIES)
    source = open_source(data, _keys.parse(by, descending, nulls_first))
    return source.ranks(_column(lib.rank, source, options, number))


def search_sorted(
    data: object,
    values: object,
    by: By = None,
    *,
    side: str = "left",
    descending: bool = False,
    nulls_first: bool = False,
    threads: int | None = None,
    memory: int | str | None = None,
) -> Any:
    """Returns the places in sorted data where values keep the order of the keys, as uint64.

    Values have a column for each key, of the same type. Side is ``"left"`` for the first such place, ``"right"`` for
    the last. Data that is not sorted is an UnsortedError. See ``sort`` for the other arguments.

    >>> import arrowsort, pyarrow
    >>> arrowsort.search_sorted(pyarrow.array([10, 20, 20, 30]), pyarrow.array([20, 25])).to_pylist()
    [1, 3]
    """
    options = _calls.options_of(threads=threads, memory=memory)
    right = _choice("side", side, _SIDES)
    source, searched, out = open_source(data, _keys.parse(by, descending, nulls_first)), open_source(values), Handle()
    head = (source.handle.number, searched.handle.number, source.keys, len(source.keys), right)
    cells = source.cells + searched.cells
    _calls.run(lib.search_sorted, head, options, byref(out.number), cells)
    return source.numbers(out)


def groups(
    data: object,
    by: By = None,
    *,
    descending: bool = False,
    nulls_first: bool = False,
    threads: int | None = None,
    memory: int | str | None = None,
) -> Any:
    """Returns the borders of the groups of rows with equal keys in sorted data: group i is rows b[i] to b[i+1]-1.

    Data that is not sorted is an UnsortedError. See ``sort`` for the arguments.

    >>> import arrowsort, pyarrow
    >>> arrowsort.groups(pyarrow.array(["a", "a", "b"])).to_pylist()
    [0, 2, 3]
    """
    options = _calls.options_of(threads=threads, memory=memory)
    source = open_source(data, _keys.parse(by, descending, nulls_first))
    return source.numbers(_column(lib.groups, source, options))


def merge(
    inputs: Iterable[T],
    by: By = None,
    *,
    descending: bool = False,
    nulls_first: bool = False,
    limit: int | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
) -> T:
    """Returns sorted inputs with the same columns as one, of the type of the first input.

    Rows that tie keep the order of the inputs. An input that is not sorted is an UnsortedError. See ``sort`` for the
    other arguments.

    >>> import arrowsort, pyarrow
    >>> arrowsort.merge([pyarrow.array([1, 4]), pyarrow.array([2, 3])]).to_pylist()
    [1, 2, 3, 4]
    """
    options = _calls.options_of(limit, None, threads, memory)
    keys = _keys.parse(by, descending, nulls_first)
    if hasattr(inputs, "__arrow_c_stream__") or hasattr(inputs, "__arrow_c_array__"):
        raise OptionError(f"inputs is one {type(inputs).__name__}: give a list of sorted data")
    if not isinstance(inputs, Iterable):
        raise ArgumentTypeError(f"inputs is {inputs!r}: give a list of sorted data")
    inputs = list(inputs)
    if not inputs:
        raise OptionError("there are no inputs to merge")
    handles, whole = open_inputs(inputs, keys)
    numbers = (ctypes.c_uint64 * len(handles))(*(handle.value for handle in handles))
    head = (numbers, len(numbers), whole.keys, len(whole.keys))
    out = Handle()
    _calls.run(lib.merge, head, options, byref(out.number), sum(handle.cells() for handle in handles))
    return whole.rows(out)


def explain(
    data: object,
    by: By = None,
    *,
    descending: bool = False,
    nulls_first: bool = False,
    threads: int | None = None,
    **options: object,
) -> dict[str, Any]:
    """Describes how data would be sorted, without sorting: types, bits and nulls of the keys.

    It is the object "details" of docs/json.md.

    Data may be the path of a file, or a list of paths, and options those of ``sort_file`` then.

    >>> import arrowsort, pyarrow
    >>> plan = arrowsort.explain(pyarrow.table({"n": [5, 6, 7]}), "n")
    >>> plan["keys"][0]["bits"], plan["sorted"]
    (2, True)
    """
    keys = _keys.parse(by, descending, nulls_first)
    if isinstance(data, (str, os.PathLike)) or (isinstance(data, list) and data):
        return _files.run("explain", data, keys, threads=threads, **options)
    if options:
        raise OptionError(f"option {next(iter(options))!r} is for files")
    source, text = open_source(data, keys), ctypes.c_void_p()
    head = (source.handle.number, source.keys, len(source.keys))
    _calls.run(lib.explain, head, _calls.options_of(threads=threads), byref(text), source.cells)
    return json.loads(lib.take_text(text))
