"""Sorts of columns that lie on an NVIDIA GPU: of PyTorch, CuPy, JAX, cuDF and others. Nothing is copied to the host.

This needs the library with the GPU engine, on Linux on x86-64; without it every call is a DeviceError.
"""

import ctypes
import threading
from collections.abc import Sequence
from ctypes import POINTER, addressof, byref, c_void_p
from functools import lru_cache
from typing import Any, Union

from . import _calls, _dlpack
from . import _library as lib
from ._cuda import WITHOUT, Stream
from ._device_arrays import Column, Field, Memory, RowNumbers, Table, field_of
from ._device_inputs import (
    FORMATS,
    KINDS,
    exports_of,
    inputs_of,
    is_struct,
    named,
    of_torch,
    release_array,
    schema_of,
    together,
    wait_for,
)
from ._errors import ArgumentTypeError, DeviceError, OptionError

__all__ = ["Column", "RowNumbers", "Table", "argsort", "sort"]

_BUILD = "in a checkout, on Linux on x86-64, `python/wheel.sh` builds a wheel with it"

# The types of row numbers: bytes, and as others call them.
_TYPES = {
    "int64": (Field(b"l"), ("i", 8)),
    "uint64": (Field(b"L"), ("u", 8)),
    "int32": (Field(b"i"), ("i", 4)),
    "uint32": (Field(b"I"), ("u", 4)),
}


def argsort(
    x: object,
    *,
    by: Union[str, int, Sequence[Union[str, int]], None] = None,
    stream: object = None,
    descending: Union[bool, Sequence[bool]] = False,
    nulls: Union[str, Sequence[str]] = "at_end",
    limit: Union[int, None] = None,
    dtype: Union[str, None] = None,
    out: object = None,
) -> RowNumbers:
    """Returns the row numbers of x in sorted order, on the GPU where x lies. Rows that tie keep their order.

    x is a one-dimensional array of integers, floats or bools, or a list of several of one length: keys, the most
    significant first. Each has ``__cuda_array_interface__``, ``__dlpack__`` or ``__arrow_c_device_array__``: arrays of
    PyTorch, CuPy, JAX, Numba, cuDF, pyarrow. Of an Arrow struct (a record batch on a device) ``by`` names the keys.

    ``descending`` and ``nulls``, "at_end" or "at_start", are those of all keys, or lists with one for each. Order:
    values, NaNs, nulls, whatever the direction; with "at_start" nulls, NaNs, values. The zeros -0.0 and 0.0 tie.
    ``limit`` is the number of leading rows. ``dtype`` is int64, which is the default, uint64, int32 or uint32; 32 bits
    are faster. ``out`` is an array on the same GPU, of one of these types, for the row numbers: the result is this
    memory then, which may not be that of x.

    ``stream`` is the CUDA stream that the sort belongs to: a handle, or a stream of PyTorch, CuPy or Numba; by default
    the current one of x's library. The sort comes after what was queued there. This function returns when the last
    kernel is queued, so work on the result is queued in the same stream, or goes through ``__dlpack__`` or
    ``__cuda_array_interface__``. x must not change until the stream has passed the sort, and the stream must live as
    long as the result.

    A stream that is captured into a CUDA graph takes a sort of one key of at most 65,536 rows, with ``out`` and without
    ``limit``; a bool of Arrow is no such key. The graph sorts what is in the array whenever it is launched.
    """
    if out is not None:
        return _argsort_into(out, x, by, stream, descending, nulls, limit, dtype)
    dtype = dtype or "int64"
    if dtype not in _TYPES:
        raise OptionError(f"dtype is {dtype!r}: give one of {', '.join(_TYPES)}")
    options = _DEFAULTS if limit is None else _calls.options_of(limit)
    if by is None and type(descending) is bool and type(nulls) is str:
        column = of_torch(x, stream)
        if column is not None:
            return _sort_plain(*column, _equal_keys(1, descending, nulls), options, dtype)
    columns = x if isinstance(x, (list, tuple)) else [x]
    inputs, sort_stream = inputs_of({f"key {i}": column for i, column in enumerate(columns)}, stream)
    array, schema, keep = together(inputs, sort_stream)
    keys = _keys(by, descending, nulls, len(inputs), is_struct(inputs))
    out, bits = lib.ArrowDeviceArray(), 8 * _TYPES[dtype][1][1]
    _queue(lib.device_argsort, array, schema, keys, bits, sort_stream.handle, byref(options), byref(out))
    del keep
    return _row_numbers(out, out.array.length, dtype, sort_stream, exports_of(inputs))


def _argsort_into(
    out: Any, x: Any, by: Any, stream: Any, descending: Any, nulls: Any, limit: Any, dtype: Union[str, None]
) -> RowNumbers:
    options = _DEFAULTS if limit is None else _calls.options_of(limit)
    columns = x if isinstance(x, (list, tuple)) else [x]
    inputs, sort_stream = inputs_of({f"key {i}": column for i, column in enumerate(columns)}, stream)
    (target,), _ = inputs_of({"out": out}, sort_stream)
    types = {kind: name for name, (_, kind) in _TYPES.items()}
    type_of = types.get(target.kind or ("", 0))
    rows = min(limit or inputs[0].array.length, inputs[0].array.length)
    if type_of is None or dtype not in (None, type_of):
        raise OptionError(f"out has another type than {dtype or 'int64, uint64, int32 or uint32'}")
    if target.array.length != rows or target.array.buffers[0]:
        raise OptionError(f"out has {target.array.length} rows, or nulls: give an array of {rows} row numbers")
    wait_for([target], sort_stream)
    array, schema, keep = together(inputs, sort_stream)
    keys = _keys(by, descending, nulls, len(inputs), is_struct(inputs))
    size = _TYPES[type_of][1][1]
    address = (target.array.buffers[1] or 0) + target.array.offset * size
    _queue(lib.device_argsort_into, array, schema, keys, 8 * size, sort_stream.handle, byref(options), address)
    buffers = (c_void_p * 2)(None, address)
    made = lib.ArrowDeviceArray(lib.ArrowArray(length=rows, n_buffers=2, buffers=buffers), target.device, _dlpack.CUDA)
    return _row_numbers(made, rows, type_of, sort_stream, (keep, out, buffers))


def sort(
    x: object,
    *,
    by: Union[str, int, Sequence[Union[str, int]], None] = None,
    stream: object = None,
    descending: Union[bool, Sequence[bool]] = False,
    nulls: Union[str, Sequence[str]] = "at_end",
    limit: Union[int, None] = None,
) -> Union[Column, list[Column], dict[str, Column], Table]:
    """Returns the columns of x in sorted order, in new memory on the GPU where they lie.

    x is a dict or a list of columns of one length, an Arrow struct, or one array, as ``argsort`` takes them. ``by`` are
    the keys, the most significant first: names of a dict or struct, positions of a list; one array is sorted by itself.
    The result is a dict, a list, a ``Table`` or a ``Column`` then. Columns that are no keys have any type that a key
    can have, and fixed-size binary of any number of bytes. The other arguments are those of ``argsort``.
    """
    options = _DEFAULTS if limit is None else _calls.options_of(limit)
    several = isinstance(x, (dict, list, tuple))
    columns = x if isinstance(x, dict) else dict(enumerate(x if isinstance(x, (list, tuple)) else [x]))
    if isinstance(x, dict):
        for name in x:
            if not isinstance(name, str):
                raise ArgumentTypeError(f"column {name!r} has no name: a dict has texts as its keys")
    inputs, sort_stream = inputs_of({f"column {name!r}": column for name, column in columns.items()}, stream)
    is_table = is_struct(inputs) and not several
    if isinstance(x, dict):
        inputs = [one._replace(schema=named(one.schema, name)) for one, name in zip(inputs, x, strict=True)]
    array, schema, keep = together(inputs, sort_stream, always=several)
    keys = _keys(by, descending, nulls, 1, is_table or several)
    out = lib.ArrowDeviceArray()
    _queue(lib.device_sort, array, schema, keys, sort_stream.handle, byref(options), byref(out))
    memory, rows = Memory(out, sort_stream, exports_of(inputs)), out.array.length
    if not is_table and not several:
        return Column(memory, out.array, field_of(schema), inputs[0].kind, rows)
    fields = (POINTER(lib.ArrowSchema) * schema.n_children).from_address(schema.children) if schema.n_children else []
    parts = (POINTER(lib.ArrowArray) * len(fields)).from_address(out.array.children)
    kinds = [one.kind for one in inputs] if several else [KINDS.get(field.contents.format) for field in fields]
    made = [
        Column(memory, part.contents, field_of(field.contents), kind, rows)
        for part, field, kind in zip(parts, fields, kinds, strict=True)
    ]
    whole = field_of(schema)
    del keep
    if isinstance(x, dict):
        return dict(zip(x, made, strict=True))
    return made if several else Table(memory, whole, made, rows)


def _row_numbers(out: lib.ArrowDeviceArray, rows: int, dtype: str, stream: Stream, keep: object = None) -> RowNumbers:
    return RowNumbers(Memory(out, stream, keep), out.array, *_TYPES[dtype], rows)


def _queue(function: Any, array: lib.ArrowDeviceArray, schema: lib.ArrowSchema, keys: ctypes.Array, *more: Any) -> None:
    """Calls a function of the library."""
    error = lib.ErrorOut()
    _check(function(byref(array), byref(schema), keys, len(keys), *more, byref(error)), error)


def _check(code: int, error: lib.ErrorOut) -> None:
    try:
        lib.check(code, error)
    except DeviceError as failure:
        if "no GPU engine" in str(failure):
            raise DeviceError(f"this installation has no GPU engine: {_BUILD}") from None
        if "no device: " in str(failure):
            raise DeviceError(f"{failure}; {WITHOUT}") from None
        raise


class _Structures(threading.local):
    """What describes one column, used again by all calls of a thread: to make it takes longer than a small sort."""

    def __init__(self) -> None:
        self.buffers = (c_void_p * 2)()
        array = lib.ArrowArray(n_buffers=2, buffers=self.buffers, release=release_array)
        self.whole = lib.ArrowDeviceArray(array, 0, _dlpack.CUDA)
        self.array = self.whole.array  # the same memory
        self.error = lib.ErrorOut()
        self.places = addressof(self.whole), addressof(self.error)
        self.busy = False


_structures = _Structures()


def _sort_plain(
    kind: tuple[str, int],
    address: int,
    length: int,
    device: int,
    stream: Stream,
    keys: ctypes.Array,
    options: lib.Options,
    dtype: str,
) -> RowNumbers:
    """Sorts one column without nulls."""
    s = _structures if not _structures.busy else _Structures()  # a signal handler may sort in the middle of a call
    s.busy = True
    try:
        s.array.length, s.buffers[1], s.whole.device_id = length, address, device
        out, (whole, error) = lib.ArrowDeviceArray(), s.places
        schema, bits, handle = addressof(schema_of(FORMATS[kind])), 8 * _TYPES[dtype][1][1], stream.handle
        code = lib.device_argsort(whole, schema, keys, 1, bits, handle, addressof(options), addressof(out), error)
        if code:
            _check(code, s.error)
    finally:
        s.busy = False
    rows = min(options.limit, length) if options.limit else length
    return _row_numbers(out, rows, dtype, stream)


_DEFAULTS = _calls.options_of()


@lru_cache
def _equal_keys(columns: int, descending: bool, nulls: str) -> ctypes.Array:
    """Keys that do not differ, which most calls have."""
    return _keys(None, descending, nulls, columns, False)


def _keys(by: Any, descending: Any, nulls: Any, columns: int, of_struct: bool) -> ctypes.Array:
    if of_struct:
        names = [by] if isinstance(by, (str, int)) else list(() if by is None else by)
        if not names:
            raise OptionError("x is a struct of columns: name the keys by `by`")
    elif by is not None:
        raise OptionError("by is given, and x is no Arrow struct: give the keys as a list of arrays")
    else:
        names = list(range(columns))
    keys = (lib.Key * len(names))()
    orders = _each("descending", descending, len(names), (False, True))
    places = _each("nulls", nulls, len(names), ("at_end", "at_start"))
    for key, name, order, place in zip(keys, names, orders, places, strict=True):
        if isinstance(name, str):
            key.path = name.encode()
        else:
            key.column = name
        key.descending, key.nulls_first = order, place == "at_start"
    return keys


def _each(name: str, value: Any, keys: int, choices: tuple) -> list:
    values = list(value) if isinstance(value, (list, tuple)) else [value] * keys
    if len(values) != keys:
        raise OptionError(f"{name} has {len(values)} values for {keys} keys")
    for one in values:
        if type(one) is not type(choices[0]) or one not in choices:
            text = f"give {choices[0]!r} or {choices[1]!r}, or a list with one for each key"
            raise OptionError(f"{name} is {one!r}: {text}")
    return values
