"""DLPack: one-dimensional tensors in and out, by ctypes."""

import ctypes
from ctypes import (
    POINTER,
    Structure,
    c_char_p,
    c_int,
    c_int32,
    c_int64,
    c_uint8,
    c_uint16,
    c_uint64,
    c_void_p,
    py_object,
)
from typing import NamedTuple

from . import _library as lib

CUDA, CUDA_MANAGED = 2, 13  # DLDeviceType, as in the Arrow C Device Data Interface

_NAME = b"dltensor"
_CODES = {0: "i", 1: "u", 2: "f", 6: "b"}  # DLDataTypeCode


class _Tensor(Structure):
    """DLTensor"""

    _fields_ = [
        ("data", c_void_p),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]


class _Managed(Structure):
    """DLManagedTensor"""


_DELETER = ctypes.CFUNCTYPE(None, c_void_p)
_Managed._fields_ = [("tensor", _Tensor), ("manager", c_void_p), ("deleter", _DELETER)]

_python = ctypes.pythonapi
_get_pointer = ctypes.PYFUNCTYPE(c_void_p, py_object, c_char_p)(("PyCapsule_GetPointer", _python))
_new = ctypes.PYFUNCTYPE(py_object, c_void_p, c_char_p, c_void_p)(("PyCapsule_New", _python))
_is_valid = ctypes.PYFUNCTYPE(c_int, c_void_p, c_char_p)(("PyCapsule_IsValid", _python))
_pointer_of = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", _python))


class Column(NamedTuple):
    """A tensor that came in; it is valid as long as its capsule."""

    code: str  # i, u, f or b, as in NumPy's type strings; else "?"
    size: int  # bytes of a value
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None  # in values
    device_type: int
    device: int


def pointer(capsule: object, name: str) -> int:
    """The pointer of a capsule of a name."""
    return _get_pointer(capsule, name.encode()) or 0


def read(capsule: object) -> Column:
    """Describes the tensor of a capsule, which stays the owner of it."""
    tensor = _Managed.from_address(pointer(capsule, "dltensor")).tensor
    code = _CODES.get(tensor.code, "?") if tensor.lanes == 1 and tensor.bits % 8 == 0 else "?"
    shape = tuple(tensor.shape[: tensor.ndim])
    strides = tuple(tensor.strides[: tensor.ndim]) if tensor.strides else None
    address = (tensor.data or 0) + tensor.byte_offset
    return Column(code, tensor.bits // 8, address, shape, strides, tensor.device_type, tensor.device_id)


_exported: dict[int, tuple[_Managed, object, object]] = {}  # by address, until their deleters are called


def _delete(address: int | None) -> None:
    _exported.pop(address or 0, None)


def _destroy(capsule: int | None) -> None:
    if _is_valid(capsule, _NAME):  # else a consumer has renamed it, and calls the deleter
        _delete(_pointer_of(capsule, _NAME))


_deleter, _destructor = _DELETER(lib.callback(_delete)), lib.callback(_destroy)


def capsule_of(owner: object, address: int, rows: int, code: str, size: int, device: int) -> object:
    """A capsule of values on a device, which keeps the owner of their memory."""
    number = next(n for n, name in _CODES.items() if name == code)
    shape = (c_int64 * 1)(rows)
    made = _Managed(_Tensor(address, CUDA, device, 1, number, 8 * size, 1, shape, None, 0), None, _deleter)
    at = ctypes.addressof(made)
    _exported[at] = (made, shape, owner)
    return _new(at, _NAME, _destructor)
