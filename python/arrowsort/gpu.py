"""Sorts of columns that lie on an NVIDIA GPU: of PyTorch, CuPy, JAX, cuDF and others. Nothing is copied to the host.

This needs the library with the GPU engine, on Linux on x86-64; without it every call is a DeviceError.
"""

import ctypes
import sys
import threading
from collections.abc import Sequence
from ctypes import POINTER, addressof, byref, c_void_p
from functools import lru_cache
from typing import Any, NamedTuple, Union

from . import _calls, _dlpack
from . import _library as lib
from ._cuda import Stream, current_stream, device_of, stream_of, wait_for_event, wait_for_stream
from ._errors import ArgumentTypeError, DeviceError, OptionError

__all__ = ["RowNumbers", "argsort"]

_BUILD = "in a checkout, on Linux on x86-64, `TAGS=cuda gpu/build.sh python/wheel.sh` builds a wheel with it"

# The types of row numbers: signed, bits.
_TYPES = {"int64": (True, 64), "uint64": (False, 64), "int32": (True, 32), "uint32": (False, 32)}

# Formats of the Arrow C Data Interface by kind and bytes of a value; a bool of these libraries is a byte.
_FORMATS = {
    ("b", 1): b"C",
    ("i", 1): b"c",
    ("u", 1): b"C",
    ("i", 2): b"s",
    ("u", 2): b"S",
    ("i", 4): b"i",
    ("u", 4): b"I",
    ("i", 8): b"l",
    ("u", 8): b"L",
    ("f", 2): b"e",
    ("f", 4): b"f",
    ("f", 8): b"g",
}

# Structures that are made here own nothing: what they describe is kept by Python.
_release_array, _release_schema = lib.RELEASE_ARRAY(lambda _: None), lib.RELEASE_SCHEMA(lambda _: None)


class _Input(NamedTuple):
    """A column or a struct on a device."""

    array: lib.ArrowArray
    schema: lib.ArrowSchema
    device_type: int
    device: int
    event: int  # the address of a cudaEvent_t; 0: none
    keep: object
    stream: Union[int, None]  # that the data belong to, where they say so
    exported: bool = False  # for this sort: it may be a copy, which is kept with the result


class RowNumbers:
    """Row numbers on a GPU, for ``torch.from_dlpack``, ``cupy.asarray``, ``jax.dlpack.from_dlpack`` and others.

    They have ``__dlpack__`` and ``__cuda_array_interface__``, by which they are taken without a copy. The memory is
    freed with this object and all that was made of it, for work that comes later in the stream of the sort.
    """

    __slots__ = ("__weakref__", "_array", "_keep", "_stream", "device", "dtype", "shape")

    def __init__(
        self, array: lib.ArrowDeviceArray, rows: int, device: int, dtype: str, stream: Stream, keep: object = None
    ):
        self._array, self._stream, self._keep = array, stream, keep
        self.dtype, self.device, self.shape = dtype, device, (rows,)

    @property
    def _address(self) -> int:
        return self._array.array.buffers[1] or 0

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<arrowsort.gpu.RowNumbers of {len(self)} rows, {self.dtype}, on device {self.device}>"

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        signed, bits = _TYPES[self.dtype]
        return {
            "shape": self.shape,
            "typestr": f"<{'i' if signed else 'u'}{bits // 8}",
            "data": (self._address, False),
            "version": 3,
            "strides": None,
            "stream": self._stream.handle or 1,  # 1 is the default stream
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return (_dlpack.CUDA, self.device)

    def __dlpack__(
        self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Union[bool, None] = None
    ) -> object:
        if copy:
            raise BufferError("row numbers are exported without a copy: copy=True is not possible")
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"row numbers are on device {self.__dlpack_device__()}, not {tuple(dl_device)}")
        if stream != -1 and self._array.sync_event:
            reader = 0 if stream is None else int(stream)
            if reader not in (self._stream.handle, 1 - self._stream.handle):  # 0 and 1 are the same stream
                wait_for_event(self.device, reader, c_void_p.from_address(self._array.sync_event).value or 0)
        signed, bits = _TYPES[self.dtype]
        return _dlpack.capsule_of(self, self._address, len(self), signed, bits // 8, self.device)

    def __del__(self) -> None:
        array = self._array.array
        if array.release:
            array.release(array)


def argsort(
    x: object,
    *,
    by: Union[str, int, Sequence[Union[str, int]], None] = None,
    stream: object = None,
    descending: Union[bool, Sequence[bool]] = False,
    nulls: Union[str, Sequence[str]] = "at_end",
    limit: Union[int, None] = None,
    dtype: str = "int64",
) -> RowNumbers:
    """Returns the row numbers of x in sorted order, on the GPU where x lies. Rows that tie keep their order.

    x is a one-dimensional array of integers, floats or bools, or a list of several of one length: keys, the most
    significant first. Each has ``__cuda_array_interface__``, ``__dlpack__`` or ``__arrow_c_device_array__``: arrays of
    PyTorch, CuPy, JAX, Numba, cuDF, pyarrow. Of an Arrow struct (a record batch on a device) ``by`` names the keys.

    ``descending`` and ``nulls``, "at_end" or "at_start", are those of all keys, or lists with one for each. Order:
    values, NaNs, nulls, whatever the direction; with "at_start" nulls, NaNs, values. The zeros -0.0 and 0.0 tie.
    ``limit`` is the number of leading rows. ``dtype`` is int64, uint64, int32 or uint32; 32 bits are faster.

    ``stream`` is the CUDA stream that the sort belongs to: a handle, or a stream of PyTorch, CuPy or Numba; by default
    the current one of x's library. The sort comes after what was queued there. This function returns when the last
    kernel is queued, so work on the result is queued in the same stream, or goes through ``__dlpack__`` or
    ``__cuda_array_interface__``. x must not change until the stream has passed the sort, and the stream must live as
    long as the result.
    """
    if dtype not in _TYPES:
        raise OptionError(f"dtype is {dtype!r}: give one of {', '.join(_TYPES)}")
    options = _DEFAULTS if limit is None else _calls.options_of(limit)
    if by is None and type(descending) is bool and type(nulls) is str and type(x).__module__ == "torch":
        column = _of_torch(x, stream)
        if column is not None:
            return _sort_plain(*column, _equal_keys(1, descending, nulls), options, dtype)
    columns = list(x) if isinstance(x, (list, tuple)) else [x]
    if not columns:
        raise OptionError("x has no keys: give an array, or a list of arrays")
    sort_stream = stream_of(stream) if stream is not None else current_stream(columns[0])
    inputs = [_input(column, i, sort_stream) for i, column in enumerate(columns)]
    array, schema, keep = _together(inputs, sort_stream)
    keys = _keys(by, descending, nulls, len(columns), inputs[0].schema.format == b"+s" and len(inputs) == 1)
    out, error = lib.ArrowDeviceArray(), lib.ErrorOut()
    code = lib.device_argsort(
        byref(array),
        byref(schema),
        keys,
        len(keys),
        _TYPES[dtype][1],
        sort_stream.handle,
        byref(options),
        byref(out),
        byref(error),
    )
    del keep
    _check(code, error)
    exports = [one.keep for one in inputs if one.exported]
    return RowNumbers(out, out.array.length, out.device_id, dtype, sort_stream, exports)


def _check(code: int, error: lib.ErrorOut) -> None:
    try:
        lib.check(code, error)
    except DeviceError as failure:
        if "no GPU engine" in str(failure):
            raise DeviceError(f"this installation has no GPU engine: {_BUILD}") from None
        raise


class _Structures(threading.local):
    """What describes one column, used again by all calls of a thread: to make it takes longer than a small sort."""

    def __init__(self) -> None:
        self.buffers = (c_void_p * 2)()
        array = lib.ArrowArray(n_buffers=2, buffers=self.buffers, release=_release_array)
        self.whole = lib.ArrowDeviceArray(array, 0, _dlpack.CUDA)
        self.array = self.whole.array  # the same memory
        self.error = lib.ErrorOut()
        self.places = addressof(self.whole), addressof(self.error)
        self.busy = False


_structures = _Structures()


def _sort_plain(
    form: bytes,
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
        schema, bits, handle = addressof(_schema(form)), _TYPES[dtype][1], stream.handle
        code = lib.device_argsort(whole, schema, keys, 1, bits, handle, addressof(options), addressof(out), error)
        if code:
            _check(code, s.error)
    finally:
        s.busy = False
    rows = min(options.limit, length) if options.limit else length
    return RowNumbers(out, rows, device, dtype, stream)


@lru_cache
def _torch_formats() -> dict[Any, bytes]:
    torch = sys.modules["torch"]
    names = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
    formats = dict(zip(names, (b"C", b"c", b"C", b"s", b"S", b"i", b"I", b"l", b"L"), strict=True))
    formats |= {"float16": b"e", "float32": b"f", "float64": b"g"}
    return {getattr(torch, name): form for name, form in formats.items() if hasattr(torch, name)}


def _of_torch(x: Any, stream: Any) -> Union[tuple[bytes, int, int, int, Stream], None]:
    """A tensor of PyTorch, without its slow interfaces; None for one that cannot be sorted as it is, or in a stream
    that is not the current one."""
    form = _torch_formats().get(getattr(x, "dtype", None))
    if form is None or not x.is_cuda or x.dim() != 1 or not x.is_contiguous():
        return None
    current = current_stream(x)
    if stream is not None and stream_of(stream).handle != current.handle:
        return None
    return form, x.data_ptr(), x.numel(), x.get_device(), current if stream is None else stream_of(stream)


_DEFAULTS = _calls.options_of()


@lru_cache
def _equal_keys(columns: int, descending: bool, nulls: str) -> ctypes.Array:
    """Keys that do not differ, which most calls have."""
    return _keys(None, descending, nulls, columns, False)


def _keys(by: Any, descending: Any, nulls: Any, columns: int, is_struct: bool) -> ctypes.Array:
    if is_struct:
        if by is None or by == []:
            raise OptionError("x is a struct of columns: name the keys by `by`")
        names = [by] if isinstance(by, (str, int)) else list(by)
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


def _together(inputs: list[_Input], stream: Stream) -> tuple[lib.ArrowDeviceArray, lib.ArrowSchema, object]:
    """One array of all inputs: a struct of several."""
    first = inputs[0]
    for i, other in enumerate(inputs):
        if other.array.length != first.array.length:
            raise OptionError(f"key {i} has {other.array.length} rows, key 0 has {first.array.length}")
        if (other.device, other.device_type) != (first.device, first.device_type):
            raise OptionError(f"key {i} is {_place(other)}, key 0 {_place(first)}")
        if other.stream is not None and other.stream not in (stream.handle, 1 - stream.handle):
            wait_for_stream(other.device, other.stream)
    events = [other.event for other in inputs if other.event]
    for event in events[1:]:
        wait_for_event(first.device, stream.handle, c_void_p.from_address(event).value or 0)
    event = events[0] if events else 0
    if len(inputs) == 1:
        return lib.ArrowDeviceArray(first.array, first.device, first.device_type, event), first.schema, inputs
    arrays = (POINTER(lib.ArrowArray) * len(inputs))(*(ctypes.pointer(one.array) for one in inputs))
    schemas = (POINTER(lib.ArrowSchema) * len(inputs))(*(ctypes.pointer(one.schema) for one in inputs))
    no_nulls = (c_void_p * 1)()
    array = lib.ArrowArray(
        length=first.array.length, n_buffers=1, buffers=no_nulls, n_children=len(inputs), release=_release_array
    )
    array.children = addressof(arrays)
    schema = lib.ArrowSchema(format=b"+s", n_children=len(inputs), release=_release_schema)
    schema.children = addressof(schemas)
    whole = lib.ArrowDeviceArray(array, first.device, first.device_type, event)
    return whole, schema, (inputs, arrays, schemas, no_nulls)


def _place(of: _Input) -> str:
    managed = " in managed memory" if of.device_type == _dlpack.CUDA_MANAGED else ""
    return f"on device {of.device}{managed}"


def _input(x: Any, position: int, stream: Stream) -> _Input:
    if hasattr(x, "__arrow_c_device_array__"):
        return _of_arrow(x)
    interface = getattr(x, "__cuda_array_interface__", None)
    # An interface that names no stream, as that of PyTorch, says nothing of work on x that is still queued.
    if interface is not None and ("stream" in interface or not hasattr(x, "__dlpack__")):
        return _of_interface(x, interface, position)
    if hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__"):
        device_type, _ = x.__dlpack_device__()
        if int(device_type) not in (_dlpack.CUDA, _dlpack.CUDA_MANAGED):
            text = "sort memory of the host by arrowsort.sort_indices"
            raise OptionError(f"key {position} is not on a CUDA device: {text}")
        capsule = x.__dlpack__(stream=stream.handle or 1)
        c = _dlpack.read(capsule)
        strides = None if c.strides is None else tuple(c.size * stride for stride in c.strides)
        column = _column(position, c.code, c.size, c.address, c.shape, strides, c.device_type, c.device, capsule, None)
        return column._replace(exported=True)
    raise ArgumentTypeError(
        f"key {position} is a {type(x).__name__}: give an array on a GPU, with __cuda_array_interface__, __dlpack__ or "
        "__arrow_c_device_array__"
    )


def _of_interface(x: object, interface: dict[str, Any], position: int) -> _Input:
    if interface.get("mask") is not None:
        raise OptionError(f"key {position} has a mask: pass nulls by __arrow_c_device_array__")
    typestr, (address, _) = interface["typestr"], interface["data"]
    if typestr[0] == ">":
        raise ArgumentTypeError(f"key {position} has type {typestr}: give numbers of the machine's byte order")
    size = int(typestr[2]) if len(typestr) == 3 and typestr[2].isdigit() else 0  # else the type has no format
    shape, strides = tuple(interface["shape"]), interface.get("strides")
    device = device_of(address) if shape and 0 not in shape else 0
    return _column(
        position, typestr[1], size, address, shape, strides, _dlpack.CUDA, device, x, interface.get("stream"), typestr
    )


def _column(
    position: int,
    code: str,
    size: int,
    address: int,
    shape: tuple[int, ...],
    strides: Union[tuple[int, ...], None],
    device_type: int,
    device: int,
    keep: object,
    stream: Union[int, None],
    typestr: str = "",
) -> _Input:
    form = _FORMATS.get((code, size))
    if form is None:
        name = typestr or f"{code}{size}"
        raise ArgumentTypeError(
            f"key {position} has type {name}: give integers, floats of 2, 4 or 8 bytes, or bools; other types by "
            "__arrow_c_device_array__"
        )
    if len(shape) != 1:
        raise OptionError(f"key {position} has {len(shape)} dimensions: give one")
    if strides is not None and shape[0] > 1 and strides[0] != size:
        raise OptionError(f"key {position} is not contiguous, its stride is {strides[0]} bytes: copy it first")
    buffers = (c_void_p * 2)(None, address)
    array = lib.ArrowArray(length=shape[0], n_buffers=2, buffers=buffers, release=_release_array)
    return _Input(array, _schema(form), device_type, device, 0, (keep, buffers), stream)


@lru_cache
def _schema(form: bytes) -> lib.ArrowSchema:
    return lib.ArrowSchema(format=form, name=b"", release=_release_schema)


def _of_arrow(x: Any) -> _Input:
    capsules = x.__arrow_c_device_array__()
    schema = lib.ArrowSchema.from_address(_dlpack.pointer(capsules[0], "arrow_schema"))
    array = lib.ArrowDeviceArray.from_address(_dlpack.pointer(capsules[1], "arrow_device_array"))
    return _Input(array.array, schema, array.device_type, array.device_id, array.sync_event or 0, capsules, None, True)
