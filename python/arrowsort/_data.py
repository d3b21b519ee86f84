"""Arrow data in and out of the library by the Arrow PyCapsule interface, without a copy of buffers."""

import ctypes
import errno
from ctypes import byref, py_object
from typing import Any

from . import _calls
from . import _library as lib
from ._calls import Handle
from ._errors import ArgumentTypeError, OptionError

_api = ctypes.pythonapi
_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", _api))
_capsule_of = ctypes.PYFUNCTYPE(py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(("PyCapsule_New", _api))
# In a destructor the capsule has no references, and must not get one: it is an address there.
_pointer_at = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", _api))

_STREAM, _SCHEMA, _ARRAY = b"arrow_array_stream", b"arrow_schema", b"arrow_array"


def from_arrow(data: object, column: bool = False, in_memory: bool = False) -> Handle:
    """Imports what has the Arrow PyCapsule interface. An array of structs is a table, or one column.

    A stream that is not in memory may be long: it can be interrupted between its records.
    """
    handle, error = Handle(), lib.ErrorOut()
    if hasattr(data, "__arrow_c_array__"):
        capsules = data.__arrow_c_array__()
        try:
            schema, array = capsules
        except (TypeError, ValueError) as failure:
            raise ArgumentTypeError(f"{_type_of(data)} returns no pair of capsules: {failure}") from None
        pair = _address_of(data, array, _ARRAY), _address_of(data, schema, _SCHEMA)
        lib.check(lib.import_array(*pair, column, byref(handle.number), byref(error)), error)
    elif hasattr(data, "__arrow_c_stream__"):
        capsule = data.__arrow_c_stream__()
        at = _address_of(data, capsule, _STREAM)
        if in_memory or not lib.ArrowArrayStream.from_address(at).release:  # a stream that was read is an error
            lib.check(lib.import_stream(at, byref(handle.number), byref(error)), error)
        else:
            _read_stream(at, handle)
    else:
        raise ArgumentTypeError(
            f"{_type_of(data)} is no Arrow data: it has neither __arrow_c_stream__ nor "
            "__arrow_c_array__; make a table of it, by pyarrow.table(...) or polars.DataFrame(...)"
        )
    return handle


def _type_of(data: object) -> str:
    return f"{type(data).__module__}.{type(data).__name__}"


def _address_of(data: object, capsule: object, name: bytes) -> int:
    try:
        return _pointer_of(capsule, name)
    except ValueError:
        raise ArgumentTypeError(f"{_type_of(data)} returns no capsule of an {name.decode()}") from None


def _read_stream(at: int, handle: Handle) -> None:
    """Imports a stream by way of a stream that ends with an error once the call is interrupted."""
    inner = lib.ArrowArrayStream.from_address(at)
    stopped = False

    def stop() -> None:
        nonlocal stopped
        stopped = True

    def release(stream) -> None:
        if inner.release:
            inner.release(inner)
        stream.contents.release = lib.RELEASE_STREAM()

    outer = lib.ArrowArrayStream(
        lib.GET_SCHEMA(lambda _, out: inner.get_schema(inner, out)),
        lib.GET_NEXT(lambda _, out: errno.ECANCELED if stopped else inner.get_next(inner, out)),
        lib.GET_LAST_ERROR(lambda _: inner.get_last_error(inner)),
        lib.RELEASE_STREAM(release),
    )
    error = lib.ErrorOut()
    code = _calls.interruptible(lambda _: lib.import_stream(byref(outer), byref(handle.number), byref(error)), stop)
    lib.check(code, error)


# The buffers of a column without nulls: a release callback has nothing to free.
_RELEASED_SCHEMA = lib.RELEASE_SCHEMA(lambda schema: setattr(schema.contents, "release", lib.RELEASE_SCHEMA()))
_RELEASED_ARRAY = lib.RELEASE_ARRAY(lambda array: setattr(array.contents, "release", lib.RELEASE_ARRAY()))
_FORMATS = {"b": b"c", "B": b"C", "h": b"s", "H": b"S", "i": b"i", "I": b"I", "q": b"l", "Q": b"L"}
_FORMATS |= {"l": _FORMATS["q" if ctypes.sizeof(ctypes.c_long) == 8 else "i"]}
_FORMATS |= {"L": _FORMATS["Q" if ctypes.sizeof(ctypes.c_long) == 8 else "I"]}


def from_buffer(data: Any, what: str) -> Handle:
    """Imports integers in the memory of an object with the buffer protocol, such as an array of NumPy."""
    view = memoryview(data)
    if view.ndim != 1 or not view.c_contiguous or view.format not in _FORMATS:
        raise OptionError(f"{what} are an array of format {view.format!r}: give integers, one contiguous dimension")
    memory = view if not view.readonly else memoryview(bytearray(view))
    address = ctypes.addressof((ctypes.c_char * memory.nbytes).from_buffer(memory)) if memory.nbytes else None
    buffers = (ctypes.c_void_p * 2)(None, address)
    schema = lib.ArrowSchema(format=_FORMATS[view.format], name=b"", release=_RELEASED_SCHEMA)
    array = lib.ArrowArray(length=len(view), n_buffers=2, buffers=buffers, release=_RELEASED_ARRAY)
    handle, error = Handle(keep=(memory, buffers)), lib.ErrorOut()
    code = lib.import_array(byref(array), byref(schema), 1, byref(handle.number), byref(error))
    lib.check(code, error)
    return handle


def destructor(structure, name):
    """The destructor of capsules of a structure: it releases what nobody took over."""

    def destroy(capsule, pointer_at=_pointer_at, structure=structure, name=name, kept=lambda at: _kept.pop(at)) -> None:
        at = pointer_at(capsule, name)
        held = structure.from_address(at)
        if held.release:
            held.release(held)
        kept(at)

    return lib.callback(destroy)


_kept: dict[int, ctypes.Structure] = {}  # the structures of capsules, by address
_free_stream = destructor(lib.ArrowArrayStream, _STREAM)
_free_array = destructor(lib.ArrowArray, _ARRAY)
_free_schema = destructor(lib.ArrowSchema, _SCHEMA)


def schema_capsule(schema: lib.ArrowSchema) -> object:
    return capsule(schema, _SCHEMA, _free_schema)


def capsule(held: ctypes.Structure, name: bytes, destructor: int) -> object:
    at = ctypes.addressof(held)
    _kept[at] = held
    return _capsule_of(at, name, destructor)


class Data:
    """Arrow data in memory: a result for data of libraries that have no type of their own for it.

    Every library that knows the Arrow PyCapsule interface reads it, any number of times and without a copy:
    ``pyarrow.table(data)``, ``polars.DataFrame(data)``, ``duckdb.sql("FROM data")``.
    """

    __slots__ = ("_handle",)

    def __init__(self, handle: Handle):
        self._handle = handle

    def __len__(self) -> int:
        return self._handle.count(lib.rows)

    def __repr__(self) -> str:
        columns = self._handle.count(lib.columns)
        return f"<arrowsort.Data: {len(self)} rows{'' if columns < 0 else f', {columns} columns'}>"

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        stream, error = lib.ArrowArrayStream(), lib.ErrorOut()
        lib.check(lib.export_stream(self._handle.number, byref(stream), byref(error)), error)
        return capsule(stream, _STREAM, _free_stream)

    def __arrow_c_schema__(self) -> object:
        stream, error = lib.ArrowArrayStream(), lib.ErrorOut()
        lib.check(lib.export_stream(self._handle.number, byref(stream), byref(error)), error)
        schema = lib.ArrowSchema()
        try:
            if stream.get_schema(stream, ctypes.addressof(schema)):
                raise MemoryError("the schema of the result")
        finally:
            stream.release(stream)
        return schema_capsule(schema)


def to_chunk(handle: Handle) -> tuple[lib.ArrowArray, lib.ArrowSchema]:
    """The data as one array, which the caller releases."""
    array, schema, error = lib.ArrowArray(), lib.ArrowSchema(), lib.ErrorOut()
    lib.check(lib.export_array(handle.number, byref(array), byref(schema), byref(error)), error)
    return array, schema


class Chunk:
    """The same as one array, for libraries that make an array of it."""

    __slots__ = ("_handle",)

    def __init__(self, handle: Handle):
        self._handle = handle

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        array, schema = to_chunk(self._handle)
        return schema_capsule(schema), capsule(array, _ARRAY, _free_array)
