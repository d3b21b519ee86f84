"""Data of pandas. A result is what DataFrame.sort_values returns: all columns with their types, and the index.

Columns of numbers, booleans, dates and Arrow types are sorted by the library with their rows. All others are
taken by pandas, by the numbers of the rows. This module needs pyarrow.
"""

import numpy as np
import pandas as pd
import pyarrow as pa

from . import _keys
from ._calls import Handle
from ._data import Chunk, Data, from_arrow
from ._errors import ColumnError, KeyTypeError, SchemaError
from ._sources import Keys, Source


class PandasSource(Source):
    """A DataFrame or Series. The library gets a table of what it sorts: keys, columns of rows, row numbers."""

    def __init__(self, data: "pd.DataFrame | pd.Series", keys: Keys | None, rows: bool):
        self.series = isinstance(data, pd.Series)
        self.frame = data.to_frame() if self.series else data
        self.name = data.name if self.series else None  # to_frame calls a column without a name 0
        self.arrays: list[pa.Array] = []
        self.names: list[str] = []
        keys = self.resolve(keys, self.series) if keys else []
        self.keys = _keys.array([key if key.is_random() else self.at(key) for key in keys])
        if rows:
            self.add_rows()
        elif not self.arrays:
            self.add_values()
        self.table = pa.Table.from_arrays(self.arrays, names=self.names)
        self.handle = from_arrow(self.table, in_memory=True)
        self.cells = len(data) * len(self.arrays)

    def add_values(self) -> None:
        """Adds the values of a search: each column is the value of a key."""
        for at, dtype in enumerate(self.frame.dtypes):
            if isinstance(dtype, pd.CategoricalDtype) and dtype.ordered:
                raise KeyTypeError("values to search are ordered categories: search their codes")
            self.add_key(at)

    def at(self, key: _keys.SortKey) -> _keys.SortKey:
        """The key by its position in the table, which gets its column."""
        return key._replace(column=self.add_key(self.position(key)))

    def position(self, key: _keys.SortKey) -> int:
        label = key.column
        if self.series:
            return 0
        try:
            at = self.frame.columns.get_loc(label)
        except KeyError:
            shown = ", ".join(map(repr, self.frame.columns[:10]))
            raise ColumnError(f"key {label!r} names no column; the columns are {shown}") from None
        if not isinstance(at, int):
            raise ColumnError(f"key {label!r} names more than one column: give one of them another name")
        return at

    def add(self, name: object, array: pa.Array) -> int:
        self.arrays.append(array)
        self.names.append(str(name))
        return len(self.arrays) - 1

    def add_key(self, at: int) -> int:
        column, label = self.frame.iloc[:, at], self.frame.columns[at]
        if isinstance(column.dtype, pd.CategoricalDtype) and column.dtype.ordered:
            codes = column.cat.codes.to_numpy()  # in the order of the categories
            return self.add(label, pa.array(codes, mask=codes < 0))
        try:
            return self.add(label, arrow_of(column))
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError, UnicodeError) as error:
            raise KeyTypeError(f"key {label!r}: its values have no common Arrow type: {error}") from None

    def add_rows(self) -> None:
        """Adds the columns of the rows. Places says where each is: by its position here, or not in the table."""
        frame, plain = self.frame, []
        columns = [frame.iloc[:, at] for at in range(frame.shape[1])]
        for column in columns:
            plain.append(self.add("", payload(column)) if moves(column.dtype) else None)
        self.plain = plain
        self.index_at = self.row_at = None
        if isinstance(frame.index, pd.RangeIndex):
            self.index_at = self.add("", pa.array(np.arange(*_range(frame.index), dtype=np.int64)))
        elif type(frame.index) is pd.Index and is_fixed(frame.index.dtype):
            self.index_at = self.add("", fixed(frame.index.to_numpy()))
        if None in plain or self.index_at is None:
            self.row_at = self.add("", pa.array(np.arange(len(frame), dtype=np.int64)))

    def rows(self, handle: Handle) -> "pd.DataFrame | pd.Series":
        table = pa.table(Data(handle))
        frame = self.frame
        rows = None if self.row_at is None else numpy_of(table.column(self.row_at), np.dtype(np.int64))
        if self.index_at is None:
            index = frame.index.take(rows)
        else:
            values = numpy_of(table.column(self.index_at), frame.index.dtype)
            index = pd.Index(values, name=frame.index.name, copy=False)
        columns = {}
        for at, place in enumerate(self.plain):
            dtype = frame.dtypes.iloc[at]
            if place is None:
                taken = frame.iloc[:, at].array.take(rows)
                columns[at] = pd.Series(taken, index=index, dtype=dtype, copy=False)
            elif is_fixed(dtype):
                columns[at] = numpy_of(table.column(place), dtype)
            else:
                columns[at] = dtype.__from_arrow__(table.column(place))
        made = pd.DataFrame(columns, index=index, copy=False)
        made.columns = frame.columns
        made = made.__finalize__(frame)
        if not self.series:
            return made
        column = made.iloc[:, 0]
        column.name = self.name
        return column

    def numbers(self, handle: Handle) -> np.ndarray:
        return numpy_of(pa.chunked_array([pa.array(Chunk(handle))]), None)

    def ranks(self, handle: Handle) -> pd.Series:
        return pd.Series(self.numbers(handle), index=self.frame.index, copy=False)


def open_frames(inputs: list, keys: Keys) -> tuple[list[Handle], PandasSource]:
    """The parts of all inputs in one frame, which have the same columns and types."""
    first = inputs[0]
    for at, data in enumerate(inputs):
        if type(data) is not type(first):
            raise SchemaError(f"input {at} is a {type(data).__name__}, input 0 a {type(first).__name__}")
        if isinstance(data, pd.Series):
            same = data.dtype == first.dtype
        else:
            same = data.columns.equals(first.columns) and list(data.dtypes) == list(first.dtypes)
        if not same:
            raise SchemaError(f"the columns of input {at} differ from those of input 0, in their names or types")
    whole = PandasSource(pd.concat(inputs), keys, rows=True)
    handles, end = [], 0
    for data in inputs:
        handles.append(from_arrow(whole.table.slice(end, len(data)), in_memory=True))
        end += len(data)
    return handles, whole


def _range(index: pd.RangeIndex) -> tuple[int, int, int]:
    return index.start, index.stop, index.step


def is_fixed(dtype: object) -> bool:
    """Whether values are numbers, booleans or dates in NumPy's memory."""
    return isinstance(dtype, np.dtype) and dtype.kind in "iufbmM" and dtype.isnative and dtype.itemsize <= 8


def moves(dtype: object) -> bool:
    """Whether the library moves columns of a type, so that they come back as they were."""
    if isinstance(dtype, pd.StringDtype):
        return dtype.storage == "pyarrow"
    return is_fixed(dtype) or isinstance(dtype, pd.ArrowDtype)


def fixed(values: np.ndarray) -> pa.Array:
    """Values of NumPy as Arrow's: the bits of dates, so that NaT stays what it is."""
    if values.dtype.kind in "mM":
        values = values.view(np.int64)
    return pa.array(values, from_pandas=False)


def payload(column: pd.Series) -> pa.Array:
    return fixed(column.to_numpy()) if is_fixed(column.dtype) else arrow_of(column)


def arrow_of(column: pd.Series) -> "pa.Array | pa.ChunkedArray":
    """A column as Arrow's: missing values are nulls, but NaN of a column of NumPy's numbers is NaN."""
    if is_fixed(column.dtype) and column.dtype.kind == "f":
        return pa.array(column.to_numpy(), from_pandas=False)
    return pa.array(column, from_pandas=True)


class _Memory:
    """The values of an array of Arrow that nobody else has, for NumPy to write to."""

    def __init__(self, array: pa.Array, dtype: np.dtype):
        self.array = array
        address = array.buffers()[1].address + array.offset * dtype.itemsize
        self.__array_interface__ = {
            "shape": (len(array),),
            "typestr": dtype.str,
            "data": (address, False),
            "version": 3,
        }


def numpy_of(column: pa.ChunkedArray, dtype: "np.dtype | None") -> np.ndarray:
    """A column of a result without nulls as NumPy's, without a copy where it has one chunk and is no bit map."""
    if dtype is None:
        dtype = np.dtype(column.type.to_pandas_dtype())
    if dtype.kind == "b":
        return column.to_numpy().astype(bool, copy=True)
    parts = [np.asarray(_Memory(chunk, dtype)) for chunk in column.chunks if len(chunk)]
    if not parts:
        return np.empty(0, dtype)
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
