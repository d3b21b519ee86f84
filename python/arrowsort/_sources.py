"""What goes in, and how results become the same library's types. No library is imported: data of a library that the
program has not imported do not exist."""

import ctypes
import sys
from array import array
from collections.abc import Sequence
from typing import Any

from . import _keys
from . import _library as lib
from ._calls import Handle
from ._data import Chunk, Data, from_arrow, from_buffer, to_chunk
from ._errors import ArgumentTypeError, ColumnError, NoKeysError, OptionError, UnsupportedError
from ._keys import SortKey

Keys = list[SortKey]


class Source:
    """Data in the library with its sort keys, and the types of results. This one is for all other libraries."""

    def __init__(self, data: Any, keys: Keys | None):
        """Keys are None for what has none."""
        self.handle, is_column = self.load(data)
        self.cells = self.count(data)
        self.keys = _keys.array(self.resolve(keys, is_column) if keys else [])

    def load(self, data: Any) -> tuple[Handle, bool]:
        """The data, and whether they are one column."""
        handle = from_arrow(data)
        return handle, handle.count(lib.columns) < 0

    def count(self, data: Any) -> int:
        """The number of values, about."""
        return self.handle.cells()

    @staticmethod
    def resolve(keys: Keys, is_column: bool) -> Keys:
        """The keys with the position of the column, where data are one."""
        named = [key for key in keys if not key.is_random()]
        if not named:
            return keys
        first = named[0]
        if first.column is None and not is_column:
            raise NoKeysError('there are no sort keys: give a column, or a list such as ["a", ("b", "descending")]')
        if first.column is None:
            return [SortKey(0, *first[1:])]
        if is_column:
            raise ColumnError(f"key {first.column!r}: the data are one column, leave `by` out")
        return keys

    def rows(self, handle: Handle) -> Any:
        """Rows of the data."""
        return Data(handle)

    def numbers(self, handle: Handle) -> Any:
        """A column of numbers."""
        return Data(handle)

    def ranks(self, handle: Handle) -> Any:
        """A number for each row."""
        return self.numbers(handle)


class PyarrowSource(Source):
    """Data of pyarrow."""

    def __init__(self, data: Any, keys: Keys | None, rows: bool):
        self.type, self.with_rows = type(data), rows
        super().__init__(data, keys)

    def load(self, data: Any) -> tuple[Handle, bool]:
        """A column is passed as a table: what is in the metadata of its field, such as an extension type, comes back.

        An array that does not come back is passed as it is, as that takes less time.
        """
        pa = sys.modules["pyarrow"]
        if isinstance(data, pa.Array):
            if self.with_rows:
                return from_arrow(pa.record_batch([data], [""])), True
            return from_arrow(data, column=True), True
        if isinstance(data, pa.ChunkedArray):
            return from_arrow(pa.table([data], [""]), in_memory=True), True
        return from_arrow(data, in_memory=not isinstance(data, pa.RecordBatchReader)), False

    def count(self, data: Any) -> int:
        if isinstance(data, sys.modules["pyarrow"].RecordBatchReader):
            return super().count(data)
        return len(data) * getattr(data, "num_columns", 1)  # without calls of the library

    def rows(self, handle: Handle) -> Any:
        pa = sys.modules["pyarrow"]
        if issubclass(self.type, pa.Array):
            return pa.record_batch(Chunk(handle)).column(0)
        if issubclass(self.type, pa.ChunkedArray):
            return pa.table(Data(handle)).column(0)
        if issubclass(self.type, pa.RecordBatch):
            return pa.record_batch(Chunk(handle))
        if issubclass(self.type, pa.RecordBatchReader):
            return pa.RecordBatchReader.from_stream(Data(handle))
        return pa.table(Data(handle))

    def numbers(self, handle: Handle) -> Any:
        array, schema = to_chunk(handle)  # without capsules, as calls on few rows are to be short
        return sys.modules["pyarrow"].Array._import_from_c(ctypes.addressof(array), ctypes.addressof(schema))


class PolarsSource(Source):
    """A DataFrame or Series of Polars."""

    def __init__(self, data: Any, keys: Keys | None):
        self.name = data.name if isinstance(data, sys.modules["polars"].Series) else None
        super().__init__(data, keys)

    def load(self, data: Any) -> tuple[Handle, bool]:
        """A Series is passed as a table: the categories of an Enum are in the metadata of its field."""
        is_column = self.name is not None
        frame = data.to_frame() if is_column else data
        for name, dtype in frame.schema.items():
            if dtype == sys.modules["polars"].Object:
                raise UnsupportedError(f"column {name!r} has objects of Python, which are no Arrow data")
        return from_arrow(frame, in_memory=True), is_column

    def rows(self, handle: Handle) -> Any:
        frame = sys.modules["polars"].DataFrame(Data(handle))
        return frame if self.name is None else frame.to_series(0)

    def numbers(self, handle: Handle) -> Any:
        return sys.modules["polars"].Series(Data(handle))


def open_source(data: Any, keys: Keys | None = None, rows: bool = False) -> Source:
    """The source of data; with rows its results have rows of the data, not numbers only."""
    pa = sys.modules.get("pyarrow")
    if pa and isinstance(data, (pa.Table, pa.RecordBatch, pa.Array, pa.ChunkedArray, pa.RecordBatchReader)):
        return PyarrowSource(data, keys, rows)
    pl = sys.modules.get("polars")
    if pl and isinstance(data, (pl.DataFrame, pl.Series)):
        return PolarsSource(data, keys)
    if pl and isinstance(data, pl.LazyFrame):
        raise ArgumentTypeError("a polars.LazyFrame has no rows yet: give frame.collect()")
    pd = sys.modules.get("pandas")
    if pd and isinstance(data, (pd.DataFrame, pd.Series)):
        from ._pandas import PandasSource

        return PandasSource(data, keys, rows)
    return Source(data, keys)


def open_inputs(inputs: list, keys: Keys) -> tuple[list[Handle], Source]:
    """The data to merge, and the source that makes the result of it."""
    pd = sys.modules.get("pandas")
    if pd and isinstance(inputs[0], (pd.DataFrame, pd.Series)):
        from ._pandas import open_frames

        return open_frames(inputs, keys)
    sources = [open_source(data, keys, rows=True) for data in inputs]
    return [source.handle for source in sources], sources[0]


def row_numbers(rows: object) -> Handle:
    """Imports row numbers: Arrow data, an array of NumPy or pandas, or a sequence of Python."""
    pd = sys.modules.get("pandas")
    if pd and isinstance(rows, (pd.Series, pd.Index)):
        rows = rows.to_numpy()
    if hasattr(rows, "__arrow_c_array__") or hasattr(rows, "__arrow_c_stream__"):
        return from_arrow(rows, column=True)
    if isinstance(rows, Sequence) and not isinstance(rows, (str, bytes, array)):
        if bool in set(map(type, rows)):
            raise OptionError("the row numbers are True and False: give the numbers of the rows")
        try:
            rows = array("q", rows)
        except (TypeError, OverflowError) as error:
            raise OptionError(f"the row numbers are no integers: {error}") from None
    try:
        return from_buffer(rows, "the row numbers")
    except TypeError:
        raise OptionError(
            f"the row numbers are a {type(rows).__name__}: give integers, in an array or a list"
        ) from None
