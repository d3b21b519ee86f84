"""The C library by ctypes: its structures, its functions, and its errors as exceptions. See arrowsort.h."""

import ctypes
import sys
from collections.abc import Callable
from ctypes import POINTER, Structure, c_char_p, c_int32, c_int64, c_size_t, c_uint64, c_void_p, py_object
from itertools import count
from pathlib import Path

from . import _errors

ABI = 1  # ARROWSORT_ABI, which the functions below are declared for


class Key(Structure):
    """struct arrowsort_key"""

    _fields_ = [
        ("path", c_char_p),
        ("column", c_int64),
        ("descending", c_int32),
        ("nulls_first", c_int32),
        ("collation", c_char_p),
        ("function", c_char_p),
    ]


class Options(Structure):
    """struct arrowsort_options"""

    _fields_ = [
        ("size", c_size_t),
        ("limit", c_int64),
        ("memory", c_int64),
        ("batch_rows", c_int64),
        ("call", c_uint64),
        ("engine", c_char_p),
        ("spill_dir", c_char_p),
        ("threads", c_int32),
        ("unique", c_int32),
    ]


class ErrorOut(Structure):
    """struct arrowsort_error; the message is freed by check."""

    _fields_ = [("code", c_int32), ("name", c_char_p), ("message", c_void_p)]


class ArrowSchema(Structure):
    """The Arrow C Data Interface's structure, released by release_schema."""


RELEASE_SCHEMA = ctypes.CFUNCTYPE(None, POINTER(ArrowSchema))
ArrowSchema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_void_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", c_void_p),
    ("dictionary", c_void_p),
    ("release", RELEASE_SCHEMA),
    ("private_data", c_void_p),
]


class ArrowArray(Structure):
    """The Arrow C Data Interface's structure."""


RELEASE_ARRAY = ctypes.CFUNCTYPE(None, POINTER(ArrowArray))
ArrowArray._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", c_void_p),
    ("dictionary", c_void_p),
    ("release", RELEASE_ARRAY),
    ("private_data", c_void_p),
]


class ArrowDeviceArray(Structure):
    """The Arrow C Device Data Interface's structure."""

    _fields_ = [
        ("array", ArrowArray),
        ("device_id", c_int64),
        ("device_type", c_int32),
        ("sync_event", c_void_p),
        ("reserved", c_int64 * 3),
    ]


class ArrowArrayStream(Structure):
    """The Arrow C Stream Interface's structure."""


GET_SCHEMA = ctypes.CFUNCTYPE(ctypes.c_int, POINTER(ArrowArrayStream), c_void_p)
GET_NEXT = ctypes.CFUNCTYPE(ctypes.c_int, POINTER(ArrowArrayStream), c_void_p)
GET_LAST_ERROR = ctypes.CFUNCTYPE(c_void_p, POINTER(ArrowArrayStream))
RELEASE_STREAM = ctypes.CFUNCTYPE(None, POINTER(ArrowArrayStream))
ArrowArrayStream._fields_ = [
    ("get_schema", GET_SCHEMA),
    ("get_next", GET_NEXT),
    ("get_last_error", GET_LAST_ERROR),
    ("release", RELEASE_STREAM),
    ("private_data", c_void_p),
]


def _open() -> ctypes.CDLL:
    name = "libarrowsort.dylib" if sys.platform == "darwin" else "libarrowsort.so"
    path = Path(__file__).with_name(name)
    if not path.exists():
        raise ImportError(f"{path} is missing: install the package by pip, which builds the library")
    library = ctypes.CDLL(str(path))
    if library.arrowsort_abi() != ABI:
        raise ImportError(f"{path} has version {library.arrowsort_abi()} of its interface, not {ABI}: install it anew")
    return library


_dll = _open()


def _function(name: str, *arguments, result=c_int32):
    function = getattr(_dll, "arrowsort_" + name)
    function.argtypes, function.restype = arguments, result
    return function


_python_callback = _function("python_callback", c_int32, c_void_p, c_void_p, result=c_void_p)
_numbers = count()  # of callbacks, at most 8


def callback(function: Callable[[int], None]) -> int:
    """The address of a C function that calls one of Python with an address. An exception that is pending stays so."""
    api = ctypes.pythonapi
    of_python = (api.PyErr_Fetch, api.PyErr_Restore, api.PyGILState_Ensure, api.PyGILState_Release)
    made = ctypes.PYFUNCTYPE(None, c_void_p)(function)
    api.Py_IncRef(py_object(made))  # what has it may outlive this module
    functions = (c_void_p * 4)(*(ctypes.cast(of, c_void_p) for of in of_python))
    return _python_callback(next(_numbers), functions, made)


# All that may fail end with the options, the result and the error, but for those without options.
_end = (c_void_p, c_void_p, c_void_p)

import_stream = _function("import_stream", c_void_p, c_void_p, c_void_p)
import_array = _function("import_array", c_void_p, c_void_p, c_int32, c_void_p, c_void_p)
export_stream = _function("export_stream", c_uint64, c_void_p, c_void_p)
export_array = _function("export_array", c_uint64, c_void_p, c_void_p, c_void_p)
rows = _function("rows", c_uint64, c_void_p, c_void_p)
columns = _function("columns", c_uint64, c_void_p, c_void_p)
data_free = _function("data_free", c_uint64, result=None)
allocated = _function("allocated", result=c_int64)

call_new = _function("call_new", result=c_uint64)
cancel = _function("cancel", c_uint64, c_void_p)
call_free = _function("call_free", c_uint64, result=None)

sort = _function("sort", c_uint64, c_void_p, c_int64, *_end)
sort_indices = _function("sort_indices", c_uint64, c_void_p, c_int64, c_int32, *_end)
take = _function("take", c_uint64, c_uint64, *_end)
is_sorted = _function("is_sorted", c_uint64, c_void_p, c_int64, *_end)
rank = _function("rank", c_uint64, c_void_p, c_int64, c_int32, *_end)
search_sorted = _function("search_sorted", c_uint64, c_uint64, c_void_p, c_int64, c_int32, *_end)
groups = _function("groups", c_uint64, c_void_p, c_int64, *_end)
merge = _function("merge", c_void_p, c_int64, c_void_p, c_int64, *_end)
device_argsort = _function(
    "device_argsort", c_void_p, c_void_p, c_void_p, c_int64, c_int32, c_void_p, c_void_p, c_void_p, c_void_p
)
device_argsort_into = _function(
    "device_argsort_into", c_void_p, c_void_p, c_void_p, c_int64, c_int32, c_void_p, c_void_p, c_void_p, c_void_p
)
device_sort = _function("device_sort", c_void_p, c_void_p, c_void_p, c_int64, c_void_p, c_void_p, c_void_p, c_void_p)
explain = _function("explain", c_uint64, c_void_p, c_int64, *_end)
files = _function("files", c_char_p, c_uint64, c_void_p, c_void_p)
main = _function("main", c_int32, POINTER(c_char_p))

_error_free = _function("error_free", c_void_p, result=None)
_text_free = _function("text_free", c_void_p, result=None)


def check(code: int, error: ErrorOut) -> None:
    """Raises the exception of an error, whose message it frees."""
    if code:
        message = (ctypes.cast(error.message, c_char_p).value or b"error").decode("utf-8", "replace")
        _error_free(ctypes.byref(error))
        raise _errors.of_code(code, message)


def take_text(text: c_void_p) -> str:
    """A text that came out, which it frees."""
    value = (ctypes.cast(text, c_char_p).value or b"").decode()
    _text_free(text)
    return value
