"""Sorts Apache Arrow data: tables and columns of pyarrow, Polars, pandas, DuckDB and others, and files of any size.

>>> import arrowsort, pyarrow
>>> table = pyarrow.table({"city": ["Oslo", "Rome"], "people": [717, 2756]})
>>> arrowsort.sort(table, ("people", "descending")).to_pylist()
[{'city': 'Rome', 'people': 2756}, {'city': 'Oslo', 'people': 717}]
"""

from importlib.metadata import version as _version

from . import gpu
from ._data import Data
from ._errors import (
    ArgumentTypeError,
    CancelledError,
    ColumnError,
    CorruptError,
    DeviceError,
    Error,
    FileMissingError,
    ForkedError,
    InternalError,
    KeyTypeError,
    NoKeysError,
    OptionError,
    OutOfMemoryError,
    RowNumberError,
    RowsError,
    SchemaError,
    StreamError,
    TooLongError,
    UnsortedError,
    UnsupportedError,
)
from ._files import check_file, merge_files, sort_file
from ._sort import explain, groups, is_sorted, merge, rank, search_sorted, sort, sort_indices, take

__version__ = _version("arrowsort")

__all__ = [
    "ArgumentTypeError",
    "CancelledError",
    "ColumnError",
    "CorruptError",
    "Data",
    "DeviceError",
    "Error",
    "FileMissingError",
    "ForkedError",
    "InternalError",
    "KeyTypeError",
    "NoKeysError",
    "OptionError",
    "OutOfMemoryError",
    "RowNumberError",
    "RowsError",
    "SchemaError",
    "StreamError",
    "TooLongError",
    "UnsortedError",
    "UnsupportedError",
    "__version__",
    "check_file",
    "explain",
    "gpu",
    "groups",
    "is_sorted",
    "merge",
    "merge_files",
    "rank",
    "search_sorted",
    "sort",
    "sort_file",
    "sort_indices",
    "take",
]
