"""The commands of the program arrowsort on files."""

import ctypes
import json
import os
import re
from collections.abc import Iterable
from ctypes import byref
from typing import Any, Union

from . import _calls, _keys
from . import _library as lib
from ._errors import ArgumentTypeError, ColumnError, Error, OptionError
from ._keys import By, SortKey

Path = Union[str, "os.PathLike[str]"]
Paths = Union[Path, Iterable[Path]]


def sort_file(
    inputs: Paths,
    output: Path,
    by: By,
    *,
    descending: bool = False,
    nulls_first: bool = False,
    **options: Any,
) -> dict[str, Any]:
    """Sorts files of any size into one file, and returns the report of docs/json.md.

    Inputs are files, patterns or folders of Parquet, Arrow IPC or CSV. What does not fit in memory is spilled. The
    output appears under its name when it is complete. Options are the flags of ``arrowsort sort --help`` with
    underscores: ``memory="1GiB"``, ``limit=10``, ``unique=True``, ``select=["a", "b"]``, ``compression="zstd:3"``.
    See ``sort`` for ``by``.

    >>> import arrowsort, os, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> cities, by_people = os.path.join(folder.name, "cities.csv"), os.path.join(folder.name, "by_people.csv")
    >>> with open(cities, "w") as file:
    ...     _ = file.write("city,people\\nOslo,717\\nRome,2756\\n")
    >>> arrowsort.sort_file(cities, by_people, ("people", "descending"))["rows"]
    2
    >>> open(by_people).read()
    'city,people\\nRome,2756\\nOslo,717\\n'
    """
    return run("sort", inputs, _keys.parse(by, descending, nulls_first), output=_path("output", output), **options)


def merge_files(
    inputs: Paths,
    output: Path,
    by: By = None,
    *,
    descending: bool = False,
    nulls_first: bool = False,
    **options: Any,
) -> dict[str, Any]:
    """Merges sorted files into one, as ``sort_file`` sorts them. A file that is not sorted is an UnsortedError.

    Without ``by`` the keys are those that the files say in their footers.
    """
    return run("merge", inputs, _keys.parse(by, descending, nulls_first), output=_path("output", output), **options)


def check_file(
    inputs: Paths, by: By = None, *, descending: bool = False, nulls_first: bool = False, **options: Any
) -> dict[str, Any]:
    """Checks whether files are sorted by the keys, or without any as their footers say: ``["sorted"]`` of the result.

    The other fields are in docs/json.md: ``first_bad_row`` is the first row that sorts before the one above it. Options
    are the flags of ``arrowsort check --help``, as in ``sort_file``.
    """
    return run("check", inputs, _keys.parse(by, descending, nulls_first), **options)


def run(command: str, inputs: Paths, keys: list[SortKey], **options: Any) -> dict[str, Any]:
    """Runs a command and returns its report. Options that are None are left out."""
    paths = [inputs] if isinstance(inputs, (str, os.PathLike)) or not isinstance(inputs, Iterable) else list(inputs)
    request: dict[str, Any] = {"command": command, "inputs": [_path("an input", path) for path in paths]}
    if not request["inputs"]:
        raise OptionError("inputs is empty: give a file, a pattern or a folder")
    if keys != [SortKey(None, False, False)]:
        request["key"] = [key.text() for key in keys]
    for name, value in options.items():
        if name in ("command", "inputs", "key"):
            raise OptionError(f"{name!r} is no option: keys are given by `by`, files as inputs")
        if name in ("json", "quiet", "verbose", "preview", "help", "version"):
            raise OptionError(f"{name!r} is for the command, which prints: nothing is printed here, leave it out")
        if name in ("limit", "threads", "memory") and isinstance(value, int) and value < 1:
            raise OptionError(f"{name} is {value!r}: give a number of 1 or more, or None for the default")
        if value is not None:
            request[name.replace("_", "-")] = _flag(name, value)
    text, error = ctypes.c_void_p(), lib.ErrorOut()
    encoded = json.dumps(request).encode()
    code = _calls.interruptible(lambda call: lib.files(encoded, call, byref(text), byref(error)))
    try:
        lib.check(code, error)
    except Error as failure:
        missing = isinstance(failure, ColumnError) or "both give the order" in str(failure)
        for key in keys:
            if missing and key.is_as_in_command() and key.text() in str(failure):
                message = f'there is no column {key.column!r}; an order is given as in ("delay", "descending")'
                raise ColumnError(message) from None
        raise type(failure)(_reworded(str(failure), request)) from None
    return json.loads(lib.take_text(text))


# What the command calls an argument, and texts in quotes, in which nothing is reworded.
_TERMS = r"""
key\ "\#(?P<at>\d+)"
|"(?:[^"\\]|\\.)*"
|(?<!\S)(?P<another>another\ )?(?P<by>-k\ COLUMN\b)
|(?<!\S)(?P<short>-[ko])[ ]
|^(?P<unknown>unknown\ flag\ )--
|(?<![^\s(])--(?P<flag>[a-z]+(?:-[a-z]+)*)(?![\w./\\-])
"""


def _reworded(message: str, request: dict[str, Any]) -> str:
    """The message of an error of the command, with the names that arguments have in Python."""
    texts = [text for value in request.values() for text in (value if isinstance(value, list) else [value])]
    kept = "|".join(re.escape(text) for text in texts if isinstance(text, str) and "-" in text)

    def word(match: re.Match[str]) -> str:
        if match["at"]:
            return f"key {int(match['at']) - 1}"
        if match["by"]:
            return "another column in `by`" if match["another"] else "a column in `by`"
        if match["short"]:
            return "key " if match["short"] == "-k" else "output "
        if match["unknown"]:
            return "unknown option "
        return match["flag"].replace("-", "_") if match["flag"] else match[0]

    return re.sub(f"{kept}|{_TERMS}" if kept else _TERMS, word, message, flags=re.VERBOSE)


def _path(name: str, path: object) -> str:
    if not isinstance(path, (str, os.PathLike)):
        what = f"{type(path).__module__}.{type(path).__qualname__}"
        raise ArgumentTypeError(f"{name} is a {what}: give the path of a file; data in memory are for arrowsort.sort")
    text = os.fsdecode(path)
    if "\0" in text or not _keys.is_unicode(text):
        raise OptionError(f"{name} is {text!r}: its path has a zero byte, or is not UTF-8")
    return text


def _flag(name: str, value: Any) -> Any:
    if name == "select" and isinstance(value, (list, tuple)):
        return ",".join(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, tuple):
        return list(value)
    if not isinstance(value, (str, int, float, list)):
        raise OptionError(f"{name} is a {type(value).__name__}: give a text, a number, True, False or a list")
    return value
