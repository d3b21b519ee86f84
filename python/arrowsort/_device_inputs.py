"""Columns on a GPU that come in: of PyTorch, CuPy and others, as structures of the Arrow C Device Data Interface."""

import ctypes
import sys
from ctypes import POINTER, addressof, c_void_p
from functools import lru_cache
from typing import Any, NamedTuple, Union

from . import _dlpack
from . import _library as lib
from ._cuda import Stream, current_stream, device_of, stream_of, wait_for_event, wait_for_stream
from ._device_arrays import NAMES
from ._errors import ArgumentTypeError, OptionError

# Formats of the Arrow C Data Interface by kind and bytes of a value; a bool of these libraries is a byte.
FORMATS = {
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

KINDS = {form: kind for kind, form in FORMATS.items() if kind[0] != "b"}

# Structures that are made here own nothing: what they describe is kept by Python.
release_array, release_schema = lib.RELEASE_ARRAY(lambda _: None), lib.RELEASE_SCHEMA(lambda _: None)


_ON_HOST = "is not on a CUDA device: sort memory of the host by arrowsort.sort or arrowsort.sort_indices"


class Input(NamedTuple):
    """A column or a struct on a device."""

    array: lib.ArrowArray
    schema: lib.ArrowSchema
    device_type: int
    device: int
    event: int  # the address of a cudaEvent_t; 0: none
    keep: object
    stream: Union[int, None]  # that the data belong to, where they say so
    kind: Union[tuple[str, int], None] = None  # as DLPack and others call the type, where they have it
    exported: bool = False  # for this sort: it may be a copy, which is kept with the result


def inputs_of(columns: dict[str, Any], stream: object) -> tuple[list[Input], Stream]:
    """Describes columns, by what errors call them."""
    if not columns:
        raise OptionError("x has no columns: give an array, or several")
    of = stream_of(stream) if stream is not None else current_stream(next(iter(columns.values())))
    inputs = [_input(column, what, of) for what, column in columns.items()]
    first = inputs[0]
    for what, other in zip(columns, inputs, strict=True):
        if other.array.length != first.array.length:
            raise OptionError(f"{what} has {other.array.length} rows, {next(iter(columns))} has {first.array.length}")
        if (other.device, other.device_type) != (first.device, first.device_type):
            raise OptionError(f"{what} is {_place(other)}, {next(iter(columns))} {_place(first)}")
    return inputs, of


def is_struct(inputs: list[Input]) -> bool:
    return len(inputs) == 1 and inputs[0].schema.format == b"+s"


def exports_of(inputs: list[Input]) -> list[object]:
    return [one.keep for one in inputs if one.exported]


def named(schema: lib.ArrowSchema, name: str) -> lib.ArrowSchema:
    """A copy of a schema with another name, which owns nothing."""
    copied = lib.ArrowSchema.from_buffer_copy(schema)
    copied.name, copied.release = name.encode(), release_schema
    return copied


def wait_for(inputs: list[Input], stream: Stream, passed: int = 0) -> None:
    """Has a stream come after the work on inputs, but for that of an event, which the sort itself waits for."""
    for one in inputs:
        if one.stream is not None and one.stream not in (stream.handle, 1 - stream.handle):  # 0 and 1 are the same
            wait_for_stream(one.device, one.stream)
        if one.event not in (0, passed):
            wait_for_event(one.device, stream.handle, c_void_p.from_address(one.event).value or 0)


def together(
    inputs: list[Input], stream: Stream, always: bool = False
) -> tuple[lib.ArrowDeviceArray, lib.ArrowSchema, object]:
    """One array of all inputs: a struct of several, or always."""
    first = inputs[0]
    event = next((other.event for other in inputs if other.event), 0)
    wait_for(inputs, stream, event)
    if len(inputs) == 1 and not always:
        return lib.ArrowDeviceArray(first.array, first.device, first.device_type, event), first.schema, inputs
    arrays = (POINTER(lib.ArrowArray) * len(inputs))(*(ctypes.pointer(one.array) for one in inputs))
    schemas = (POINTER(lib.ArrowSchema) * len(inputs))(*(ctypes.pointer(one.schema) for one in inputs))
    no_nulls = (c_void_p * 1)()
    array = lib.ArrowArray(
        length=first.array.length, n_buffers=1, buffers=no_nulls, n_children=len(inputs), release=release_array
    )
    array.children = addressof(arrays)
    schema = lib.ArrowSchema(format=b"+s", n_children=len(inputs), release=release_schema)
    schema.children = addressof(schemas)
    whole = lib.ArrowDeviceArray(array, first.device, first.device_type, event)
    return whole, schema, (inputs, arrays, schemas, no_nulls)


def _place(of: Input) -> str:
    managed = " in managed memory" if of.device_type == _dlpack.CUDA_MANAGED else ""
    return f"on device {of.device}{managed}"


@lru_cache
def _torch_kinds() -> dict[Any, tuple[str, int]]:
    torch = sys.modules["torch"]
    names = {f"{name}{8 * size}": (code, size) for code, name in NAMES.items() for size in (1, 2, 4, 8)}
    names["bool"] = ("b", 1)
    return {getattr(torch, name): kind for name, kind in names.items() if kind in FORMATS and hasattr(torch, name)}


def of_torch(x: Any, stream: Any) -> Union[tuple[tuple[str, int], int, int, int, Stream], None]:
    """A tensor of PyTorch, without its slow interfaces; None for another object, one that cannot be sorted as it is, or
    in a stream that is not the current one."""
    if type(x).__module__ != "torch":
        return None
    kind = _torch_kinds().get(getattr(x, "dtype", None))
    if kind is None or not x.is_cuda or x.dim() != 1 or not x.is_contiguous():
        return None
    current = current_stream(x)
    if stream is not None and stream_of(stream).handle != current.handle:
        return None
    return kind, x.data_ptr(), x.numel(), x.get_device(), current if stream is None else stream_of(stream)


def _input(x: Any, what: str, stream: Stream) -> Input:
    tensor = of_torch(x, stream.handle)
    if tensor is not None:
        (code, size), address, length, device, _ = tensor
        return _column(what, code, size, address, (length,), None, _dlpack.CUDA, device, x, None)
    if hasattr(x, "__arrow_c_device_array__"):
        return _of_arrow(x, what)
    interface = getattr(x, "__cuda_array_interface__", None)
    # An interface that names no stream, as that of PyTorch, says nothing of work on x that is still queued.
    if interface is not None and ("stream" in interface or not hasattr(x, "__dlpack__")):
        return _of_interface(x, interface, what)
    if hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__"):
        device_type, _ = x.__dlpack_device__()
        if int(device_type) not in (_dlpack.CUDA, _dlpack.CUDA_MANAGED):
            raise OptionError(f"{what} {_ON_HOST}")
        capsule = x.__dlpack__(stream=stream.handle or 1)
        c = _dlpack.read(capsule)
        strides = None if c.strides is None else tuple(c.size * stride for stride in c.strides)
        column = _column(what, c.code, c.size, c.address, c.shape, strides, c.device_type, c.device, capsule, None)
        return column._replace(exported=True)
    raise ArgumentTypeError(
        f"{what} is a {type(x).__name__}: give an array on a GPU, with __cuda_array_interface__, __dlpack__ or "
        "__arrow_c_device_array__"
    )


def _of_interface(x: object, interface: dict[str, Any], what: str) -> Input:
    if interface.get("mask") is not None:
        raise OptionError(f"{what} has a mask: pass nulls by __arrow_c_device_array__")
    typestr, (address, _) = interface["typestr"], interface["data"]
    if typestr[0] == ">":
        raise ArgumentTypeError(f"{what} has type {typestr}: give numbers of the machine's byte order")
    size = int(typestr[2]) if len(typestr) == 3 and typestr[2].isdigit() else 0  # else the type has no format
    shape, strides = tuple(interface["shape"]), interface.get("strides")
    device = device_of(address) if shape and 0 not in shape else 0
    return _column(
        what, typestr[1], size, address, shape, strides, _dlpack.CUDA, device, x, interface.get("stream"), typestr
    )


def _column(
    what: str,
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
) -> Input:
    form = FORMATS.get((code, size))
    if form is None:
        name = typestr or f"{code}{size}"
        raise ArgumentTypeError(
            f"{what} has type {name}: give integers, floats of 2, 4 or 8 bytes, or bools; other types by "
            "__arrow_c_device_array__"
        )
    if len(shape) != 1:
        raise OptionError(f"{what} has {len(shape)} dimensions: give one")
    if strides is not None and shape[0] > 1 and strides[0] != size:
        raise OptionError(f"{what} is not contiguous, its stride is {strides[0]} bytes: copy it first")
    buffers = (c_void_p * 2)(None, address)
    array = lib.ArrowArray(length=shape[0], n_buffers=2, buffers=buffers, release=release_array)
    return Input(array, schema_of(form), device_type, device, 0, (keep, buffers), stream, (code, size))


@lru_cache
def schema_of(form: bytes) -> lib.ArrowSchema:
    return lib.ArrowSchema(format=form, name=b"", release=release_schema)


def _of_arrow(x: Any, what: str) -> Input:
    capsules = x.__arrow_c_device_array__()
    schema = lib.ArrowSchema.from_address(_dlpack.pointer(capsules[0], "arrow_schema"))
    array = lib.ArrowDeviceArray.from_address(_dlpack.pointer(capsules[1], "arrow_device_array"))
    if array.device_type not in (_dlpack.CUDA, _dlpack.CUDA_MANAGED):
        raise OptionError(f"{what} {_ON_HOST}")
    event, kind = array.sync_event or 0, KINDS.get(schema.format)
    return Input(array.array, schema, array.device_type, array.device_id, event, capsules, None, kind, True)
