"""Results on a GPU, as arrays of other libraries: by DLPack, __cuda_array_interface__, __arrow_c_device_array__."""

import ctypes
from collections.abc import Iterator
from ctypes import POINTER, addressof, c_int32, c_void_p
from itertools import count
from typing import Any, NamedTuple, Union

from . import _dlpack
from . import _library as lib
from ._cuda import Stream, wait_for_event, wait_for_stream
from ._data import capsule, destructor, schema_capsule
from ._errors import ColumnError

NAMES = {"i": "int", "u": "uint", "f": "float", "b": "bool"}


class Field(NamedTuple):
    """The type of a column, as ArrowSchema has it."""

    format: bytes
    name: bytes = b""
    metadata: Union[bytes, None] = None
    flags: int = 0


def field_of(schema: lib.ArrowSchema) -> Field:
    return Field(schema.format, schema.name or b"", _metadata(schema.metadata), schema.flags)


def _metadata(address: Union[int, None]) -> Union[bytes, None]:
    """Pairs of texts, each after its length; the number of pairs comes first."""
    if not address:
        return None
    at = address + 4
    for _ in range(2 * c_int32.from_address(address).value):
        at += 4 + c_int32.from_address(at).value
    return ctypes.string_at(address, at - address)


class Memory:
    """The memory of one result, which is freed with the last object that is made of it."""

    __slots__ = ("array", "keep", "stream")

    def __init__(self, array: lib.ArrowDeviceArray, stream: Stream, keep: object = None):
        self.array, self.stream, self.keep = array, stream, keep

    def precede(self, reader: int) -> None:
        """Has a stream wait for the sort."""
        own, event = self.stream.handle, self.array.sync_event
        if reader in (own, 1 - own):  # 0 and 1 are the same stream
            return
        if event:
            wait_for_event(self.array.device_id, reader, c_void_p.from_address(event).value or 0)
        else:
            self.complete()

    def complete(self) -> None:
        """Waits for the sort where no event follows it, as in memory of the caller."""
        if self.array.array.length and not self.array.sync_event:
            wait_for_stream(self.array.device_id, self.stream.handle)

    def __del__(self) -> None:
        array = self.array.array
        if array.release:
            array.release(array)


class Column:
    """A column on a GPU, for ``torch.from_dlpack``, ``cupy.asarray``, ``jax.dlpack.from_dlpack`` and others.

    It has ``__dlpack__``, ``__cuda_array_interface__`` and ``__arrow_c_device_array__``, by which it is taken without a
    copy; the first two not if rows may be null, or of types that they do not have: times, decimals, bits. The memory is
    freed with all objects that are made of it, for work that comes later in the stream of the sort.
    """

    __slots__ = ("__weakref__", "_array", "_field", "_memory", "_type", "shape")

    def __init__(
        self, memory: Memory, array: lib.ArrowArray, field: Field, kind: Union[tuple[str, int], None], rows: int
    ):
        self._memory, self._array, self._field, self._type, self.shape = memory, array, field, kind, (rows,)

    @property
    def device(self) -> int:
        """The number of the GPU."""
        return self._memory.array.device_id

    @property
    def dtype(self) -> str:
        """The type: as NumPy calls it, or the format of the Arrow C Data Interface."""
        if self._type is None:
            return self._field.format.decode()
        code, size = self._type
        return NAMES[code] if code == "b" else f"{NAMES[code]}{8 * size}"

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<arrowsort.gpu.{type(self).__name__} of {len(self)} rows, {self.dtype}, on device {self.device}>"

    def _plain(self) -> tuple[str, int, int]:
        """The type and the address, for interfaces that have no nulls."""
        if self._type is None or self._array.buffers[0]:
            why = f"has type {self.dtype}" if self._type is None else "may have nulls"
            raise BufferError(f"the column {why}: take it by __arrow_c_device_array__")
        return (*self._type, self._array.buffers[1] or 0)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        try:
            code, size, address = self._plain()
        except BufferError as other:
            raise AttributeError(str(other)) from None
        return {
            "shape": self.shape,
            "typestr": f"{'|' if size == 1 else '<'}{code}{size}",
            "data": (address, False),
            "version": 3,
            "strides": None,
            "stream": self._memory.stream.handle or 1,  # 1 is the default stream
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return (_dlpack.CUDA, self.device)

    def __dlpack__(
        self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Union[bool, None] = None
    ) -> object:
        code, size, address = self._plain()
        if copy:
            raise BufferError("the column is exported without a copy: copy=True is not possible")
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"the column is on device {self.__dlpack_device__()}, not {tuple(dl_device)}")
        if stream != -1:
            self._memory.precede(0 if stream is None else int(stream))
        return _dlpack.capsule_of(self, address, len(self), code, size, self.device)

    def __arrow_c_device_array__(self, requested_schema: object = None, **_: Any) -> tuple[object, object]:
        return _export(self._memory, self._array, self._field, [])


class RowNumbers(Column):
    """Row numbers on a GPU: a column of integers."""

    __slots__ = ()


class Table:
    """Columns of one length on a GPU. It has ``__arrow_c_device_array__``; ``table["name"]`` is a ``Column``."""

    __slots__ = ("__weakref__", "_columns", "_field", "_memory", "num_rows")

    def __init__(self, memory: Memory, field: Field, columns: list[Column], rows: int):
        self._memory, self._field, self._columns, self.num_rows = memory, field, columns, rows

    @property
    def column_names(self) -> list[str]:
        return [column._field.name.decode() for column in self._columns]

    def __getitem__(self, key: Union[str, int]) -> Column:
        if isinstance(key, int):
            return self._columns[key]
        found = [column for column in self._columns if column._field.name == key.encode()]
        if len(found) != 1:
            raise ColumnError(f"{len(found)} columns have the name {key!r}: {', '.join(self.column_names)}")
        return found[0]

    def __iter__(self) -> Iterator[Column]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        names = ", ".join(self.column_names)
        return f"<arrowsort.gpu.Table of {self.num_rows} rows on device {self._memory.array.device_id}: {names}>"

    def __arrow_c_device_array__(self, requested_schema: object = None, **_: Any) -> tuple[object, object]:
        fields = [column._field for column in self._columns]
        return _export(self._memory, self._memory.array.array, self._field, fields)


# Structures of the interface that others have, and what these need, by a number that is their private data.
_exported: dict[int, object] = {}
_numbers = count(1)


def _releaser(kind: Any) -> int:
    """The callback that releases structures of a kind, whose children may have been moved to another place."""

    def release(at: int) -> None:
        released = kind.from_address(at)
        if released.children:
            for child in (POINTER(kind) * released.n_children).from_address(released.children):
                if child.contents.release:
                    child.contents.release(child)
        _exported.pop(released.private_data or 0, None)
        released.release = type(released.release)()

    return lib.callback(release)


_release_array = lib.RELEASE_ARRAY(_releaser(lib.ArrowArray))
_release_schema = lib.RELEASE_SCHEMA(_releaser(lib.ArrowSchema))
_ARRAY = b"arrow_device_array"
_free_array = destructor(lib.ArrowArray, _ARRAY)  # which a device array begins with


def _export(memory: Memory, array: lib.ArrowArray, field: Field, fields: list[Field]) -> tuple[object, object]:
    """Capsules of a schema and an array, which share the memory of a result."""
    memory.complete()
    parts: Any = (POINTER(lib.ArrowArray) * len(fields)).from_address(array.children) if fields else []
    whole = lib.ArrowDeviceArray(
        _array(array, [_array(part.contents, [], memory) for part in parts], memory),
        memory.array.device_id,
        memory.array.device_type,
        memory.array.sync_event,
    )
    schema = _schema(field, [_schema(one, []) for one in fields])
    return schema_capsule(schema), capsule(whole, _ARRAY, _free_array)


def _array(of: lib.ArrowArray, children: list[lib.ArrowArray], memory: Memory) -> lib.ArrowArray:
    made = lib.ArrowArray(of.length, of.null_count, 0, of.n_buffers, len(children), of.buffers, release=_release_array)
    return _keep(made, children, memory)


def _schema(field: Field, children: list[lib.ArrowSchema]) -> lib.ArrowSchema:
    metadata = ctypes.create_string_buffer(field.metadata, len(field.metadata)) if field.metadata else None
    made = lib.ArrowSchema(field.format, field.name, metadata and addressof(metadata), field.flags, len(children))
    made.release = _release_schema
    return _keep(made, children, (field, metadata))


def _keep(made: Any, children: list[Any], needs: object) -> Any:
    """Makes structures the children of one, and keeps what it needs until it is released."""
    pointers = (POINTER(type(made)) * len(children))(*map(ctypes.pointer, children))
    if children:
        made.children = addressof(pointers)
    made.private_data = next(_numbers)
    _exported[made.private_data] = (children, pointers, needs)
    return made
