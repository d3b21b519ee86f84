"""What of the CUDA driver Python calls itself: streams, events, and the device of an address."""

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import byref, c_int, c_uint64, c_void_p
from functools import lru_cache
from typing import Any, NamedTuple

from ._errors import ArgumentTypeError, DeviceError, OptionError

WITHOUT = "without a GPU, sort memory of the host by arrowsort.sort or arrowsort.sort_indices"
_DEVICE_ORDINAL = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
_RELAXED = 2  # CU_STREAM_CAPTURE_MODE_RELAXED


class Stream(NamedTuple):
    """A CUDA stream, kept while a result needs it."""

    handle: int
    keep: object


def stream_of(stream: Any) -> Stream:
    """The stream of an argument: a handle, or an object of a library."""
    if isinstance(stream, bool):
        raise ArgumentTypeError(f"stream is {stream!r}, not a stream")
    if isinstance(stream, int):
        handle: Any = stream
    elif hasattr(stream, "__cuda_stream__"):
        handle = stream.__cuda_stream__()[1]
    else:
        names = ("cuda_stream", "ptr", "handle")  # of PyTorch, CuPy, Numba
        handle = next((getattr(stream, name) for name in names if hasattr(stream, name)), None)
        if isinstance(handle, c_void_p):
            handle = handle.value or 0
    if not isinstance(handle, int):
        what = type(stream).__name__
        raise ArgumentTypeError(f"stream is a {what}: give a handle, or a stream of PyTorch, CuPy or Numba")
    if handle < 0:
        raise OptionError(f"stream is {handle}: give the handle of a stream, 0 for the default stream")
    return Stream(handle, stream)


def current_stream(x: Any) -> Stream:
    """The current stream of the library of x: 0, the default stream, where it does not say."""
    if type(x).__module__.partition(".")[0] == "torch" and getattr(x, "is_cuda", False):
        torch = sys.modules["torch"]
        raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)  # which Triton calls: the other one is slow
        return Stream(raw(x.get_device()), None) if raw else stream_of(torch.cuda.current_stream(x.device))
    if type(x).__module__.partition(".")[0] == "cupy":
        return stream_of(sys.modules["cupy"].cuda.get_current_stream())  # the object: it ends the stream
    interface = getattr(x, "__cuda_array_interface__", None)
    return Stream(interface.get("stream") or 0 if interface else 0, getattr(x, "stream", None))  # of Numba


@lru_cache
def _driver() -> ctypes.CDLL:
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as missing:
        raise DeviceError(f"the NVIDIA driver's library was looked for: {missing}; {WITHOUT}") from None
    driver.cuInit(0)
    return driver


def _check(what: str, code: int) -> None:
    if code:
        raise DeviceError(f"{what}: CUDA error {code}")


@lru_cache
def _primary_context(device: int) -> c_void_p:
    """The context of the CUDA runtime, which stays open."""
    context = c_void_p()
    _check(f"device {device}", _driver().cuDevicePrimaryCtxRetain(byref(context), device))
    return context


@contextmanager
def _on(device: int) -> Iterator[None]:
    """Makes the device the thread's current one: the handles of default streams are those of the current device. A
    graph that another thread captures is not disturbed."""
    mode = c_int(_RELAXED)
    _check("the mode of captures", _driver().cuThreadExchangeStreamCaptureMode(byref(mode)))
    try:
        _check(f"device {device}", _driver().cuCtxPushCurrent_v2(_primary_context(device)))
        try:
            yield
        finally:
            _driver().cuCtxPopCurrent_v2(byref(c_void_p()))
    finally:
        _driver().cuThreadExchangeStreamCaptureMode(byref(mode))


def wait_for_stream(device: int, stream: int) -> None:
    """Waits for all work of a stream."""
    with _on(device):
        _check("waiting for the stream of a key", _driver().cuStreamSynchronize(c_void_p(stream)))


def wait_for_event(device: int, stream: int, event: int) -> None:
    """Makes a stream wait for an event."""
    with _on(device):
        code = _driver().cuStreamWaitEvent(c_void_p(stream), c_void_p(event), 0)
        _check("a stream that waits for an event", code)


def device_of(address: int) -> int:
    """The number of the device of an address; 0 where the driver knows no memory there, which the sort refuses."""
    number = c_int(0)
    attributes, data = (c_int * 1)(_DEVICE_ORDINAL), (c_void_p * 1)(ctypes.addressof(number))
    code = _driver().cuPointerGetAttributes(1, attributes, data, c_uint64(address))
    return number.value if code == 0 and number.value >= 0 else 0
