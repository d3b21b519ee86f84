"""Files by Polars: python make_polars.py, with requirements.txt installed."""

import datetime as dt, decimal, math
import polars as pl
import pyarrow as pa
from common import describe, in_parquet, path

ROWS = 13
D = decimal.Decimal


def some(values, typ):
    return pl.Series([None if i % 5 == 4 else values[i % len(values)] for i in range(ROWS)], dtype=typ, strict=False)


def flat():
    c = {
        "k": pl.Series([(5 * i) % ROWS for i in range(ROWS)], dtype=pl.Int64),
        "null": some([None], pl.Null),
        "bool": some([True, False], pl.Boolean),
    }
    for bits in 8, 16, 32, 64:
        c[f"i{bits}"] = some([0, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1], getattr(pl, f"Int{bits}"))
        c[f"u{bits}"] = some([0, 2**bits - 1, 7], getattr(pl, f"UInt{bits}"))
    floats = [0.0, -0.0, math.nan, math.inf, -math.inf, 1.5]
    c |= {"f16": some(floats, pl.Float16), "f32": some(floats, pl.Float32), "f64": some(floats, pl.Float64)}
    when = dt.datetime(2021, 3, 4, 5, 6, 7, 123000)
    c |= {
        "date": some([dt.date(1960, 1, 1), dt.date(2021, 3, 4)], pl.Date),
        "time": some([dt.time(0), dt.time(23, 59, 59)], pl.Time),
    }
    for unit in "ms", "us", "ns":
        c[f"at_{unit}"] = some([when, dt.datetime(1960, 1, 1)], pl.Datetime(unit))
        c[f"zone_{unit}"] = some([when, dt.datetime(1960, 1, 1)], pl.Datetime(unit)).dt.replace_time_zone(
            "Europe/Paris"
        )
        c[f"lasts_{unit}"] = some([dt.timedelta(days=1), dt.timedelta(microseconds=-5000)], pl.Duration(unit))
    c |= {
        "decimal": some([D("1.25"), D("-99999.99")], pl.Decimal(20, 2)),
        "text": some(["", "a", "é漢\U0001f600", "more than twelve bytes of text"], pl.String),
        "bytes": some([b"", b"\x00\xff", b"more than twelve bytes"], pl.Binary),
    }
    return pl.DataFrame(c)


def nested():
    i, s = pl.Int32, pl.String
    pair = pl.Struct({"a": i, "b": s})
    return pl.DataFrame(
        {
            "k": pl.Series([(5 * i) % ROWS for i in range(ROWS)], dtype=pl.Int64),
            "list": some([[], [1, None, 3], [4]], pl.List(i)),
            "texts": some([["a", None], [], ["", "a longer one of text"]], pl.List(s)),
            "lists": some([[[1], [], None], [], [[None, 2]]], pl.List(pl.List(i))),
            "array": some([[1, 2, None], [4, 5, 6]], pl.Array(i, 3)),
            "struct": some([{"a": 1, "b": "x"}, {"a": None, "b": None}], pair),
            "structs": some([[{"a": 1, "b": "x"}, None], [], [{"a": None, "b": "z"}]], pl.List(pair)),
            "deep": some(
                [{"s": {"a": 1, "b": "x"}, "l": [1.5]}, {"s": None, "l": []}],
                pl.Struct({"s": pair, "l": pl.List(pl.Float64)}),
            ),
            "arrays": some([[[[1, 2], [3, None]]], [], [None]], pl.List(pl.Array(pl.Int8, (2, 2)))),
            "word": some(["red", "green", "blue"], pl.Categorical),
            "enum": some(["red", "green"], pl.Enum(["red", "green"])),
        }
    )


tables = {"flat": flat(), "nested": nested()}
tables["few"] = tables["flat"].select("k", "bool", "i32", "u64", "f64", "text")
tables["empty"] = tables["few"].clear()
for name, frame in tables.items():
    newest, oldest = (
        frame.to_arrow(compat_level=level) for level in (pl.CompatLevel.newest(), pl.CompatLevel.oldest())
    )
    describe(f"polars/{name}", newest)
    describe(f"polars/{name}.oldest", oldest)
    describe(f"polars/{name}.parquet", in_parquet(oldest))
    frame.write_parquet(path(f"polars/{name}.zstd.parquet"), compression="zstd", row_group_size=7, data_page_size=64)
    for variant, level in ("newest", pl.CompatLevel.newest()), ("oldest", pl.CompatLevel.oldest()):
        if name != "few" and (variant, name) != ("oldest", "flat"):
            frame.write_ipc(
                path(f"polars/{name}.{variant}.arrow"),
                compression="uncompressed",
                compat_level=level,
                record_batch_size=7,
            )
    if name != "few":
        frame.write_ipc_stream(
            path(f"polars/{name}.newest.arrows"), compression="uncompressed", compat_level=pl.CompatLevel.newest()
        )
for codec in "uncompressed", "snappy", "gzip", "brotli", "lz4":
    tables["few"].write_parquet(
        path(f"polars/few.{codec}.parquet"), compression=codec, row_group_size=7, statistics="full"
    )
for codec in "lz4", "zstd":
    tables["few"].write_ipc(path(f"polars/few.{codec}.arrow"), compression=codec)
    tables["few"].write_ipc_stream(path(f"polars/few.{codec}.arrows"), compression=codec)
for typ in pl.Int128, pl.UInt128:
    name = str(typ).lower()
    frame = pl.DataFrame({"k": [2, 1, 3], "column": pl.Series([1, 2, None], dtype=typ)})
    frame.write_ipc(path(f"polars/{name}.unsupported.arrow"), compression="uncompressed")
    frame.write_parquet(path(f"polars/{name}.unsupported.parquet"))
rows = pl.DataFrame(
    {
        "k": pl.Series([(5 * i) % ROWS for i in range(ROWS)], dtype=pl.Int64),
        "u": some([2**64 - 1, 0], pl.UInt64),
        "f": some([-0.0, 1.5, 1e300], pl.Float64),
        "b": some([True, False], pl.Boolean),
        "d": some([dt.date(2021, 3, 4)], pl.Date),
        "at": some([dt.datetime(2021, 3, 4, 5, 6, 7, 8)], pl.Datetime("us")),
        "s": some(["a", 'with "quotes"', "a\nline, two", "é"], pl.String),
    }
)
rows.write_csv(path("polars/rows.plain.csv"))
rows.write_csv(
    path("polars/rows.tabs.tsv"), separator="\t", quote_style="always", include_bom=True, line_terminator="\r\n"
)
describe(
    "polars/rows",
    rows.to_arrow(compat_level=pl.CompatLevel.oldest()).cast(
        pa.schema(
            [
                (f.name, pa.string() if f.type == pa.large_string() else f.type)
                for f in rows.to_arrow(compat_level=pl.CompatLevel.oldest()).schema
            ]
        )
    ),
)
