"""Sort keys as Python has them: a column, or a column with an order and a place for nulls, or several of these."""

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache
from numbers import Integral
from typing import NamedTuple, Union

from . import _library as lib
from ._errors import ColumnError, OptionError

Column = Union[str, int]
By = Union[None, Column, tuple, Sequence[Union[Column, tuple]]]

_ORDERS = {"ascending": False, "descending": True}
_NULLS = {"at_end": False, "at_start": True}
_COLLATIONS = ("nocase", "natural", "numeric")
_LOCALE = "collate="  # begins the order of a locale
_FUNCTIONS = ("lower", "length", "abs", "year", "hash")
_OF_COMMAND = re.compile(r":(asc|desc|nulls-first|nulls-last)$")  # an order as the command line has it
_NUMBERED = re.compile(r"(%|hash|random) -?\d+")  # functions with a number
_WORDS = (*_ORDERS, *_NULLS, *_COLLATIONS, *_FUNCTIONS)


class SortKey(NamedTuple):
    """A sort key: the column as the caller names it, None for data that are one column, and for random numbers."""

    column: Union[Column, None]
    descending: bool
    nulls_first: bool
    collation: str = ""
    function: str = ""

    def is_random(self) -> bool:
        """Whether the key goes by the numbers of rows and names no column."""
        return self.function.startswith("random ")

    def is_as_in_command(self) -> bool:
        """Whether the name of the column looks like a key of the command line, such as "delay:desc"."""
        return isinstance(self.column, str) and (self.column.startswith("-") or bool(_OF_COMMAND.search(self.column)))

    def text(self) -> str:
        """The key as the command line has it, for files."""
        column = self.column
        name, _, number = self.function.partition(" ")
        if self.is_random():
            column = f"random({number})"
        elif column is None:
            raise OptionError("descending or nulls_first is True, and there are no keys: give `by`")
        elif isinstance(column, int):
            if column < 0:
                raise ColumnError(f"column {column}: positions count from 0")
            column = f"#{column + 1}"
        elif column.startswith("#") and column[1:].isdigit():
            raise ColumnError(f"column {column!r}: name it by its position, a number from 0")
        if name == "%":
            column = f"{column} % {number}"
        elif name == "hash":
            column = f"hash({column}, {number or 0})"
        elif name and not self.is_random():
            column = f"{name}({column})"
        plain = ":" not in column  # else what follows a colon of the name could be taken for an order
        text = "" if plain else ":bytes"
        if self.collation:
            text = f":{'' if self.collation in _COLLATIONS else _LOCALE}{self.collation}"
        order = ":desc" if self.descending else "" if plain else ":asc"
        nulls = ":nulls-first" if self.nulls_first else "" if plain else ":nulls-last"
        return column + order + nulls + text


def parse(by: By, descending: bool, nulls_first: bool) -> list[SortKey]:
    """The keys that by names; descending and nulls_first are those of columns that do not say theirs.

    Without any, by is None or empty, there is one key on data that are one column.
    """
    for name, value in (("descending", descending), ("nulls_first", nulls_first)):
        if not isinstance(value, bool):
            raise OptionError(f'{name} is {value!r}: give True or False; of single keys as in by=[("a", "descending")]')
    if by is None:
        by = []
    elif isinstance(by, (str, Integral, tuple)):
        by = [by]
    elif not isinstance(by, Iterable) or isinstance(by, (Mapping, Set, bytes, bytearray)):
        raise OptionError(f'by is {by!r}: give a column, or a list such as ["a", ("b", "descending")]')
    keys = [_key(key, descending, nulls_first) for key in by]
    return keys or [SortKey(None, descending, nulls_first)]


def _key(key: Union[Column, tuple], descending: bool, nulls_first: bool) -> SortKey:
    column, *rest = key if isinstance(key, tuple) and key else (key,)
    if isinstance(column, Integral) and not isinstance(column, bool):
        column = int(column)  # of NumPy too
    collation = function = ""
    if sum(word in _ORDERS for word in rest if isinstance(word, str)) > 1:
        raise OptionError(f"key {key!r} has two orders; give one")
    if sum(word in _NULLS for word in rest if isinstance(word, str)) > 1:
        raise OptionError(f"key {key!r} has two places for nulls; give one")
    for word in rest:
        text = isinstance(word, str) and "\0" not in word and is_unicode(word)
        numbered = text and _NUMBERED.fullmatch(word)
        if len(rest) > 4 or not text or not (word in _WORDS or numbered or word.startswith(_LOCALE)):
            raise OptionError(
                f"key {key!r}: {word!r} is none of {', '.join(_WORDS)}, % N, hash SEED, random SEED, {_LOCALE}LOCALE; "
                'give ("a", "descending", "at_start"), and several columns as a list'
            )
        if word in _ORDERS:
            descending = _ORDERS[word]
        elif word in _NULLS:
            nulls_first = _NULLS[word]
        elif numbered or word in _FUNCTIONS:
            if function:
                raise OptionError(f"key {key!r}: {word!r} is the second function; give one")
            function = word
        elif collation:
            raise OptionError(f"key {key!r}: {word!r} is the second order of text; give one")
        elif word == _LOCALE:
            raise OptionError(f'key {key!r}: {word!r} names no locale; give one, as in "collate=de"')
        else:
            collation = word.removeprefix(_LOCALE)
    made = SortKey(column, descending, nulls_first, collation, function)
    if made.is_random():
        if column is not None:
            raise OptionError(f"key {key!r}: random numbers have no column; give (None, {function!r})")
        return made
    if isinstance(column, bool) or not isinstance(column, (str, int)):
        raise OptionError(f"key {key!r}: a column is a name or a position, a number from 0")
    if isinstance(column, str) and "\0" in column:
        raise ColumnError(f"column {column!r}: there is a zero byte in its name; give its position")
    if isinstance(column, str) and not is_unicode(column):
        raise ColumnError(f"column {column!r}: its name is no text of Unicode; give its position")
    return made


def is_unicode(text: str) -> bool:
    """Whether a text has an encoding in UTF-8: one with half of a pair of surrogates has none."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def array(keys: Iterable[SortKey]):
    """The keys as the library has them, which nobody changes."""
    return _array(tuple(keys))


@lru_cache(maxsize=64)
def _array(keys: tuple[SortKey, ...]):
    made = (lib.Key * len(keys))()
    for to, key in zip(made, keys, strict=True):
        column, descending, nulls_first, collation, function = key
        if isinstance(column, str):
            to.path = column.encode()
        elif column is not None and 0 <= column < 1 << 31:
            to.column = column
        elif not key.is_random():
            raise ColumnError(f"column {column}: positions count from 0")
        to.descending, to.nulls_first = descending, nulls_first
        if collation:
            to.collation = collation.encode()
        if function:
            to.function = function.encode()
    return made
