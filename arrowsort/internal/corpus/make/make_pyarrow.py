"""Files by Arrow C++: python make_pyarrow.py, with requirements.txt installed."""

import datetime as dt, decimal, math, struct
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.ipc as ipc
import pyarrow.parquet as pq
from common import describe, in_parquet, path

ROWS = 13
K = pa.array([(5 * i) % ROWS for i in range(ROWS)], pa.int32())


def some(values, typ, every=5):
    """The values over and over, null in every fifth row."""
    return pa.array([None if i % every == every - 1 else values[i % len(values)] for i in range(ROWS)], typ)


def flat():
    D = decimal.Decimal
    when = dt.datetime(2021, 3, 4, 5, 6, 7, 123456)
    c = {"k": K, "null": pa.nulls(ROWS), "bool": some([True, False, False], pa.bool_())}
    for bits in 8, 16, 32, 64:
        c[f"i{bits}"] = some([0, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1, 7], getattr(pa, f"int{bits}")())
        c[f"u{bits}"] = some([0, 2**bits - 1, 2 ** (bits - 1), 7], getattr(pa, f"uint{bits}")())
    floats = [0.0, -0.0, math.nan, math.inf, -math.inf, 1.5, -2.25]
    c |= {"f16": some(floats, pa.float16()), "f32": some(floats, pa.float32()), "f64": some(floats, pa.float64())}
    c |= {
        "date32": some([0, -1, 18000, -800000], pa.date32()),
        "date64": some([dt.date(1970, 1, 1), dt.date(2021, 3, 4)], pa.date64()),
    }
    for unit, size in ("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9):
        time = pa.time32(unit) if unit in ("s", "ms") else pa.time64(unit)
        c[f"time_{unit}"] = some([0, 86399 * size, 3600 * size], time)
        c[f"at_{unit}"] = some([0, -size, 1614834367 * size], pa.timestamp(unit))
        c[f"zone_{unit}"] = some([0, -size, 1614834367 * size], pa.timestamp(unit, "Europe/Paris"))
        c[f"lasts_{unit}"] = some([0, -size, 86400 * size], pa.duration(unit))
    c |= {
        "dec5": some([D("1.25"), D("-999.99"), D("0")], pa.decimal128(5, 2)),
        "dec15": some([D("1.5"), D("-99999999999.125"), D("0")], pa.decimal128(15, 3)),
        "dec38": some([D(10**38 - 1), D(-(10**38) + 1), D(0)], pa.decimal128(38, 0)),
        "dec76": some([D(10**75), D(-1), D(0)], pa.decimal256(76, 0)),
        "text": some(["", "a", "é漢\U0001f600", "more than twelve bytes of text", 'a "quote", \n'], pa.string()),
        "bytes": some([b"", b"\x00\xff\xfe", b"text"], pa.binary()),
        "fixed": some([b"\x00\x01\xff", b"abc"], pa.binary(3)),
        "large": some(["", "x", "yy"], pa.large_string()),
        "largebytes": some([b"", b"x"], pa.large_binary()),
        "required": pa.array(range(ROWS), pa.int64()),
    }
    t = pa.table(c)
    return t.set_column(t.num_columns - 1, pa.field("required", pa.int64(), nullable=False), t["required"])


def nested():
    i, s = pa.int32(), pa.string()
    pair = pa.struct([("a", i), ("b", s)])
    strict = pa.list_(pa.field("element", pa.int64(), nullable=False))
    c = {
        "k": K,
        "list": some([[], [1, None, 3], [4]], pa.list_(i)),
        "texts": some([["a", None], [], ["", "bb"]], pa.list_(s)),
        "strict": some([[], [1, 2]], strict),
        "lists": some([[[1], [], None], [], [[None, 2]]], pa.list_(pa.list_(i))),
        "large": some([[], [1, None]], pa.large_list(i)),
        "fixed": some([[1, 2, None], [4, 5, 6]], pa.list_(i, 3)),
        "struct": some([{"a": 1, "b": "x"}, {"a": None, "b": None}, {"a": 3, "b": ""}], pair),
        "deep": some(
            [{"s": {"a": 1, "b": "x"}, "l": [1]}, {"s": None, "l": []}, {"s": {"a": None, "b": "y"}, "l": None}],
            pa.struct([("s", pair), ("l", pa.list_(pa.float64()))]),
        ),
        "structs": some([[{"a": 1, "b": "x"}, None], [], [{"a": None, "b": "z"}]], pa.list_(pair)),
        "map": some([[("a", 1), ("b", None)], []], pa.map_(s, i)),
        "maps": some([[(1, [1, 2]), (2, None)], []], pa.map_(i, pa.list_(i))),
        "pairs": some([[("a", {"a": 1, "b": None})], []], pa.map_(s, pair)),
        "tensor": some([[[1, 2], [3, 4]], [[5, 6], None]], pa.list_(pa.list_(pa.int8(), 2), 2)),
        "times": some([[0, None, 86400000000]], pa.list_(pa.timestamp("us", "UTC"))),
    }
    return pa.table(c)


def words():
    """Dictionaries."""

    def of(index, values):
        return some(values.to_pylist(), values.type).dictionary_encode().cast(pa.dictionary(index, values.type))

    text = pa.array(["red", "green", "", "blue"])
    return pa.table(
        {
            "k": K,
            "text": of(pa.int8(), text),
            "large": of(pa.int32(), text.cast(pa.large_string())),
            "bytes": of(pa.int16(), text.cast(pa.binary())),
        }
    )


def few():
    """One column of each physical type, for codecs and encodings."""
    t = flat().select(["k", "bool", "i32", "i64", "f32", "f64", "text", "fixed", "required"])
    return t.append_column("list", nested()["list"])


def parquet(name, variant, table, **options):
    options = {"compression": "none", "data_page_size": 64, "row_group_size": 7, **options}
    pq.write_table(table, path(f"pyarrow/{name}.{variant}.parquet"), **options)


def arrow(name, table, variants):
    batches = table.combine_chunks().to_batches(max_chunksize=7)
    for variant, options in variants.items():
        for extension, make in ("arrow", ipc.new_file), ("arrows", ipc.new_stream):
            with make(
                path(f"pyarrow/{name}.{variant}.{extension}"), table.schema, options=ipc.IpcWriteOptions(**options)
            ) as out:
                for batch in batches:
                    out.write_batch(batch)


tables = {"flat": flat(), "nested": nested(), "words": words(), "few": few()}
tables["empty"] = tables["few"].slice(0, 0)
for name, table in tables.items():
    describe(f"pyarrow/{name}", table)
    describe(f"pyarrow/{name}.parquet", in_parquet(table))
    describe(f"pyarrow/{name}.bare", in_parquet(table, arrow_schema=False))
    parquet(name, "v1", table, write_page_index=True)
    parquet(
        name,
        "bare",
        table,
        data_page_version="2.0",
        store_schema=False,
        use_dictionary=False,
        compression="zstd",
        write_page_checksum=True,
    )
    arrow(name, table, {"plain": {}})
for codec in "snappy", "gzip", "brotli", "zstd", "lz4":
    parquet("few", codec, tables["few"], compression=codec)
parquet("few", "snappy-v2", tables["few"], compression="snappy", data_page_version="2.0")
arrow("few", tables["few"], {"lz4": {"compression": "lz4"}, "zstd": {"compression": "zstd"}})
plain = {
    "k": "PLAIN",
    "bool": "PLAIN",
    "i32": "PLAIN",
    "i64": "PLAIN",
    "f32": "PLAIN",
    "f64": "PLAIN",
    "text": "PLAIN",
    "fixed": "PLAIN",
    "required": "PLAIN",
    "list.list.element": "PLAIN",
}
integers = ["k", "i32", "i64", "required", "list.list.element"]
encodings = {
    "delta": {n: "DELTA_BINARY_PACKED" for n in integers} | {"bool": "RLE", "text": "DELTA_BYTE_ARRAY"},
    "lengths": {"text": "DELTA_LENGTH_BYTE_ARRAY"},
    "split": {n: "BYTE_STREAM_SPLIT" for n in integers + ["f32", "f64", "fixed"]},
}
for name, encoding in encodings.items():
    for version in ["1.0", "2.0"][: 1 if name == "lengths" else 2]:
        parquet(
            "few",
            f"{name}-v{version[0]}",
            tables["few"],
            data_page_version=version,
            use_dictionary=False,
            column_encoding=plain | encoding,
            write_page_checksum=True,
        )
parquet("few", "sorted", tables["few"].sort_by("k"), sorting_columns=[pq.SortingColumn(0)], write_page_index=True)
parquet("few", "old", tables["few"], version="1.0", store_schema=False)
describe("pyarrow/few.sorted", in_parquet(tables["few"].sort_by("k")))
csv.write_csv(
    pa.table(
        {
            "k": K.cast(pa.int64()),
            "i": some([0, -(2**63), 7], pa.int64()),
            "u": some([2**64 - 1, 0], pa.uint64()),
            "f": some([-0.0, 1.5, 1e300, math.inf], pa.float64()),
            "b": some([True, False], pa.bool_()),
            "d": some([0, 18000], pa.date32()),
            "s": some(["a", 'with "quotes"', "a\nline, two", "é"], pa.string()),
        }
    ),
    path("pyarrow/rows.plain.csv"),
)
table = csv.read_csv(
    path("pyarrow/rows.plain.csv"),
    parse_options=csv.ParseOptions(newlines_in_values=True),
    convert_options=csv.ConvertOptions(column_types={"u": pa.uint64()}, strings_can_be_null=True),
)
describe("pyarrow/rows", table)

# Types that arrowsort does not read: the name of the column is that of the test.
arrow(
    "decimal32", pa.table({"k": K, "column": some([decimal.Decimal("1.5")], pa.decimal32(5, 2))}), {"unsupported": {}}
)
arrow(
    "decimal64", pa.table({"k": K, "column": some([decimal.Decimal("1.5")], pa.decimal64(15, 2))}), {"unsupported": {}}
)
parquet("decimal32", "unsupported", pa.table({"k": K, "column": some([decimal.Decimal("1.5")], pa.decimal32(5, 2))}))
