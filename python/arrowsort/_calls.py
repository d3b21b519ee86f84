"""Calls of the library. Ctrl-C ends a call: it runs in a worker thread; the main thread, in which Python runs
the handlers of signals, waits for it and cancels it."""

import ctypes
import re
import threading
from collections.abc import Callable
from ctypes import byref

from . import _library as lib
from ._errors import OptionError

# Smaller data, in values, are sorted by the calling thread in at most a few milliseconds: a thread takes 0.1 ms.
SMALL = 100_000


class Handle:
    """A handle of data in the library, which is freed with this object."""

    __slots__ = ("_keep", "number")

    def __init__(self, keep: object = None):
        self.number = ctypes.c_uint64()
        self._keep = keep  # memory that the data lies in and does not hold itself

    @property
    def value(self) -> int:
        return self.number.value

    def count(self, function) -> int:
        """The number of rows or columns: lib.rows, lib.columns."""
        number, error = ctypes.c_int64(), lib.ErrorOut()
        lib.check(function(self.number, byref(number), byref(error)), error)
        return number.value

    def cells(self) -> int:
        """The number of values, about."""
        return self.count(lib.rows) * max(1, self.count(lib.columns))

    def __del__(self, free=lib.data_free):
        free(self.number)


def options_of(
    limit: int | None = None, engine: str | None = None, threads: int | None = None, memory: int | str | None = None
) -> lib.Options:
    """The options of a call. None is the default of each."""
    options = lib.Options(size=ctypes.sizeof(lib.Options))
    if limit is not None:
        options.limit = _number("limit", limit, 63)
    if threads is not None:
        options.threads = _number("threads", threads, 31)
    if memory is not None:
        options.memory = _bytes(memory)
    if engine is not None:
        if engine not in ("cpu", "gpu"):
            raise OptionError(f"engine is {engine!r}: give 'cpu' or 'gpu', or None for the CPU")
        options.engine = engine.encode()
    return options


def _number(name: str, value: int, bits: int, what: str = "1 or more") -> int:
    try:
        number = value.__index__()
    except AttributeError:
        number = 0
    if not 0 < number < 1 << bits:
        raise OptionError(f"{name} is {value!r}: give a number of {what}, or None for the default")
    return number


_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(?:([kmgt])(i?b)?|b)?", re.IGNORECASE)


def _bytes(memory: int | str) -> int:
    """A number of bytes, as the command reads it: 4G is 4GiB."""
    match = _SIZE.fullmatch(memory.strip()) if isinstance(memory, str) else None
    if match:
        number, unit, suffix = match.groups()
        base = 1000 if (suffix or "").lower() == "b" else 1024
        memory = int(min(float(number), 2.0**63) * base ** " kmgt".index((unit or " ").lower()))
    elif isinstance(memory, str):
        raise OptionError(f"memory is {memory!r}, not a size: give a number of bytes, or a text such as '512MiB'")
    return _number("memory", memory, 63, "bytes, such as 1 << 30 or '1GiB'")


def run(function, head: tuple, options: lib.Options, out, cells: int) -> None:
    """Calls a function of the library that ends with options, result and error, on data of a number of values."""
    error = lib.ErrorOut()
    if cells < SMALL:
        code = function(*head, byref(options), out, byref(error))
    else:

        def work(call: int) -> int:
            options.call = call
            return function(*head, byref(options), out, byref(error))

        code = interruptible(work)
    lib.check(code, error)


def interruptible(work: Callable[[int], int], stop: Callable[[], None] | None = None) -> int:
    """Runs work with a handle by which it is cancelled when the main thread gets an exception from a signal handler.

    When this returns, or raises that exception, the work has ended. Stop is called before the work is cancelled.
    """
    if threading.current_thread() is not threading.main_thread():
        return work(0)  # signal handlers do not run here
    call = lib.call_new()
    done = threading.Event()
    results: list[int] = []
    failures: list[BaseException] = []

    def worker() -> None:
        try:
            results.append(work(call))
        except BaseException as failure:  # raised by the caller's thread below
            failures.append(failure)
        finally:
            done.set()

    thread = threading.Thread(target=worker, name="arrowsort", daemon=True)
    started = False
    try:
        try:
            thread.start()
            started = True
            done.wait()
        except BaseException:
            if stop:
                stop()
            lib.cancel(call, None)
            while (started or thread.ident is not None) and not done.is_set():
                try:
                    done.wait()
                except BaseException:  # a second signal: the call ends all the same
                    continue
            raise
    finally:
        lib.call_free(call)
    if failures:
        raise failures[0]
    return results[0]
