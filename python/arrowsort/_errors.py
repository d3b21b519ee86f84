"""The exceptions of arrowsort: all are subclasses of Error, and of the exception of Python that fits."""


class Error(Exception):
    """The base class of all errors of arrowsort. The message names the key, column or file, and what to do."""


class NoKeysError(Error, ValueError):
    """A table is to be sorted by no keys."""


class ColumnError(Error, KeyError):
    """A key names no column, or more than one."""

    __str__ = Exception.__str__  # KeyError would put the message in quotes


class KeyTypeError(Error, TypeError):
    """The type of a key has no order."""


class OptionError(Error, ValueError):
    """A key, an option or an argument is not valid."""


class ArgumentTypeError(Error, TypeError):
    """An argument is of a type that the function does not take."""


class RowsError(Error, ValueError):
    """There are 2**32 rows or more."""


class TooLongError(Error, OverflowError):
    """A column of the result would be too long for its offsets, or its dictionary for the type of its indices."""


class RowNumberError(Error, IndexError):
    """A row number is null or out of range."""


class UnsortedError(Error, ValueError):
    """Data that has to be in order is not."""


class SchemaError(Error, ValueError):
    """Columns that belong together have different types."""


class OutOfMemoryError(Error, MemoryError):
    """There is no more memory, or the budget is too small."""


class CorruptError(Error, ValueError):
    """A file or an array does not follow its format."""


class UnsupportedError(Error, NotImplementedError):
    """A type, or what a file holds, is not supported."""


class CancelledError(Error):
    """The call was cancelled. After Ctrl-C it is KeyboardInterrupt in its place."""


class StreamError(Error, OSError):
    """A stream that was read returned an error."""


class FileMissingError(Error, FileNotFoundError):
    """A file does not exist."""


class DeviceError(Error, RuntimeError):
    """There is no GPU, or it failed."""


class ForkedError(Error, RuntimeError):
    """The process is a fork of one that has imported arrowsort, in which the library cannot run."""


class InternalError(Error, RuntimeError):
    """Data contradict themselves, or the library has a fault."""


# By the codes of arrowsort.h.
_CLASSES = {
    2: NoKeysError,
    3: ColumnError,
    4: KeyTypeError,
    5: OptionError,
    6: RowsError,
    7: TooLongError,
    8: TooLongError,
    9: RowNumberError,
    10: UnsortedError,
    11: SchemaError,
    12: OutOfMemoryError,
    13: CorruptError,
    14: UnsupportedError,
    15: CancelledError,
    17: StreamError,
    18: FileMissingError,
    19: DeviceError,
    20: InternalError,
    21: ForkedError,
    22: InternalError,
}


def of_code(code: int, message: str) -> Error:
    """The exception of a code of arrowsort.h."""
    message = message.removeprefix("arrowsort: ")
    if code == 21:
        message += ': start processes by multiprocessing.get_context("spawn") or "forkserver"'
    elif code == 3 and message.endswith("; use Key.At"):
        message = message.removesuffix("use Key.At") + "give its position, a number from 0"
    elif code == 4:
        message += ", which has no order: sort by a column of another type, or by a field of a struct"
    elif code == 12 and "the limit is" in message:
        message = message.replace("engine: ", "") + ": give a larger `memory`, or leave it out"
    return _CLASSES.get(code, Error)(message)
