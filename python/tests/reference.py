"""The reference: the order of rows by Python's stable sort, and random Arrow data."""

import decimal
import math

import hypothesis.strategies as st
import pyarrow as pa


def order(columns, descending, nulls_first):
    """The row numbers in the order of columns of Python values, the most significant first."""
    rows = list(range(len(columns[0])))
    for values, down, first in reversed(list(zip(columns, descending, nulls_first, strict=True))):
        nulls = [row for row in rows if values[row] is None]
        nans = [row for row in rows if is_nan(values[row])]
        others = [row for row in rows if values[row] is not None and not is_nan(values[row])]
        others.sort(key=lambda row, values=values: values[row], reverse=down)  # a stable sort, also in reverse
        rows = nulls + nans + others if first else others + nans + nulls
    return rows


def is_nan(value):
    return isinstance(value, float) and math.isnan(value)


def same(got, want):
    """Whether two lists of Python values are the same, NaN and NaN too."""
    return repr(got) == repr(want)


def _integers(bits, signed):
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return st.one_of(st.sampled_from([low, high, 0]), st.integers(max(low, -3), 3), st.integers(low, high))


_texts = st.one_of(st.sampled_from(["", "a", "a\0", "ab", "é", "\U0001f600"]), st.text(max_size=20))
_bytes = st.one_of(st.sampled_from([b"", b"\0", b"\xff"]), st.binary(max_size=20))
_decimals = st.integers(-(10**9), 10**9).map(lambda n: decimal.Decimal(n).scaleb(-2))

# Types that have an order, with a strategy of values as Python compares them: dates and times are their numbers.
KEYS = {
    **{pa.type_for_alias(f"int{bits}"): _integers(bits, True) for bits in (8, 16, 32, 64)},
    **{pa.type_for_alias(f"uint{bits}"): _integers(bits, False) for bits in (8, 16, 32, 64)},
    pa.float16(): st.floats(width=16),
    pa.float32(): st.floats(width=32),
    pa.float64(): st.floats(),
    pa.bool_(): st.booleans(),
    pa.string(): _texts,
    pa.large_string(): _texts,
    pa.string_view(): _texts,
    pa.binary(): _bytes,
    pa.large_binary(): _bytes,
    pa.binary_view(): _bytes,
    pa.binary(3): st.binary(min_size=3, max_size=3),
    pa.date32(): _integers(16, True),
    pa.date64(): _integers(16, True).map(lambda days: days * 86_400_000),
    pa.time32("ms"): st.integers(0, 86_399_999),
    pa.time64("ns"): st.integers(0, 86_399_999_999_999),
    pa.timestamp("us"): _integers(64, True),
    pa.timestamp("ns", "Europe/Oslo"): _integers(64, True),
    pa.duration("s"): _integers(64, True),
    pa.decimal128(11, 2): _decimals,
    pa.decimal256(40, 2): _decimals,
    pa.dictionary(pa.int8(), pa.string()): st.sampled_from(["", "b", "a", "é"]),
    pa.null(): st.none(),
    pa.list_(pa.int16()): st.lists(_integers(16, True), max_size=3),
    pa.large_list(pa.list_(pa.bool_(), 2)): st.lists(st.lists(st.booleans(), min_size=2, max_size=2), max_size=2),
    pa.map_(pa.string(), pa.int8()): st.lists(
        st.tuples(_texts, _integers(8, True)), max_size=2, unique_by=lambda entry: entry[0]
    ),
}

# Types of columns that go with the keys.
OTHERS = {
    pa.large_list(pa.string()): st.lists(st.one_of(st.none(), _texts), max_size=3),
    pa.list_(pa.float32(), 2): st.lists(st.floats(width=32), min_size=2, max_size=2),
    pa.struct([("x", pa.int64()), ("y", pa.string())]): st.builds(
        lambda x, y: {"x": x, "y": y}, _integers(64, True), _texts
    ),
}


@st.composite
def columns(draw, types, rows):
    """A chunked array of a type with a number of rows, in chunks that are slices, and its Python values."""
    kind = draw(st.sampled_from(types))
    pool = draw(st.lists((KEYS | OTHERS)[kind], min_size=1, max_size=8))  # few values, so that rows tie
    some = st.sampled_from([None, *pool])
    values = draw(st.lists(some, min_size=rows, max_size=rows))
    cuts = sorted(draw(st.lists(st.integers(0, rows), max_size=2)))
    chunks = []
    for begin, end in zip([0, *cuts], [*cuts, rows], strict=True):
        before = draw(st.lists(some, max_size=3))
        chunks.append(make(before + values[begin:end], kind).slice(len(before)))
    return pa.chunked_array(chunks, kind), values


def make(values, kind):
    if pa.types.is_temporal(kind):
        bits = pa.int32() if kind.bit_width == 32 else pa.int64()
        return pa.array(values, bits).view(kind)
    return pa.array(values, kind)


def unmake(array):
    """The Python values of a column, as they were given to make."""
    kind = array.type
    if pa.types.is_temporal(kind):
        bits = pa.int32() if kind.bit_width == 32 else pa.int64()
        return [value for chunk in chunks_of(array) for value in chunk.view(bits).to_pylist()]
    return array.to_pylist()


def chunks_of(array):
    return array.chunks if isinstance(array, pa.ChunkedArray) else [array]


@st.composite
def tables(draw, most=20, leave_out=()):
    """A table with one to three keys, k0 and so on, and other columns; and the Python values of all columns."""
    rows = draw(st.integers(0, most))
    keys, others = ([kind for kind in types if kind not in leave_out] for types in (KEYS, OTHERS))
    made = [draw(columns(keys, rows)) for _ in range(draw(st.integers(1, 3)))]
    names = [f"k{i}" for i in range(len(made))]
    for i in range(draw(st.integers(0, 2))):
        made.append(draw(columns([*keys, *others], rows)))
        names.append(f"v{i}")
    table = pa.table([column for column, _ in made], names=names)
    return table, {name: values for name, (_, values) in zip(names, made, strict=True)}


@st.composite
def sort_keys(draw, table):
    """Keys of a table: as `by`, and the arguments of order."""
    names = [name for name in table.column_names if name.startswith("k")]
    by, descending, nulls_first = [], [], []
    for name in names:
        down, first = draw(st.booleans()), draw(st.booleans())
        words = [["ascending", "descending"][down], ["at_end", "at_start"][first]]
        by.append((draw(st.sampled_from([name, table.column_names.index(name)])), *words))
        descending.append(down)
        nulls_first.append(first)
    return by, (names, descending, nulls_first)
