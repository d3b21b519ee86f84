"""Files by DuckDB: python make_duckdb.py, with requirements.txt installed."""

import struct, uuid
import duckdb
import pyarrow as pa
from common import describe, path

db = duckdb.connect()
db.execute("set threads = 1; set timezone = 'UTC'")
ROWS = 13
QUOTES = "'with \"quotes\"'"


def column(name, typ, *values):
    name = f'"{name}"'
    cases = " ".join(f"when {n} then ({v})::{typ}" for n, v in enumerate(values))
    return f"case when i % 5 = 4 then null else (case i % {len(values)} {cases} end) end::{typ} as {name}"


flat = [column("bool", "boolean", "true", "false")]
for bits, name in (8, "tinyint"), (16, "smallint"), (32, "integer"), (64, "bigint"):
    # Differences of 32 bits stay within 32 bits: DuckDB's deltas beyond, in its version 2, are read by few.
    half = bits - (bits == 32)
    flat += [
        column(f"i{bits}", name, 0, -(2 ** (half - 1)), 2 ** (half - 1) - 1),
        column(f"u{bits}", "u" + name, 0, 2**half - 1, 7),
    ]
floats = ["0.0", "'-0.0'::double", "'nan'::double", "'inf'::double", "'-inf'::double", "1.5"]
flat += [
    column("f32", "float", *floats),
    column("f64", "double", *floats),
    column("dec4", "decimal(4, 2)", "1.25", "-99.99"),
    column("dec9", "decimal(9, 3)", "1.25", "-999999.125"),
    column("dec18", "decimal(18, 2)", "1.25", "-9999999999.5"),
    column("dec38", "decimal(38, 1)", "1.5", "-" + "9" * 36 + ".5"),
    column("text", "varchar", "''", "'a'", "'é漢'", "'more than twelve bytes of text'"),
    column("bytes", "blob", "''", r"'\x00\xFF'::blob", "'text'"),
    column("day", "date", "'1960-01-01'::date", "'2021-03-04'::date"),
    column("time", "time", "'00:00:00'::time", "'23:59:59.999999'::time"),
    column("at", "timestamp", "'1960-01-01'::timestamp", "'2021-03-04 05:06:07.123456'::timestamp"),
    column("at_ms", "timestamp_ms", "'1960-01-01'::timestamp_ms", "'2021-03-04 05:06:07.123'::timestamp_ms"),
    column("at_ns", "timestamp_ns", "'1960-01-01'::timestamp_ns", "'2021-03-04 05:06:07.123456789'::timestamp_ns"),
    column("zone", "timestamptz", "'1960-01-01 00:00:00+00'::timestamptz", "'2021-03-04 05:06:07+00'::timestamptz"),
    column("word", "enum ('red', 'green')", "'red'", "'green'"),
]
nested = [
    column("list", "integer[]", "[]", "[1, null, 3]", "[4]"),
    column("texts", "varchar[]", "['a', null]", "[]"),
    column("lists", "integer[][]", "[[1], [], null]", "[]"),
    column("struct", "struct(a integer, b varchar)", "{'a': 1, 'b': 'x'}", "{'a': null, 'b': null}"),
    column("structs", "struct(a integer, b varchar)[]", "[{'a': 1, 'b': 'x'}, null]", "[]"),
    column("map", "map(varchar, integer)", "map {'a': 1, 'b': null}", "map {}"),
    column("maps", "map(integer, integer[])", "map {1: [1, 2], 2: null}", "map {}"),
    column("deep", "struct(s struct(a integer), l double[])", "{'s': {'a': 1}, 'l': [1.5]}", "{'s': null, 'l': []}"),
]
few = flat[0:1] + [
    c for c in flat if any(c.endswith(f' as "{n}"') for n in ("i32", "u64", "f64", "text", "dec18", "at"))
]
key = f"((5 * i) % {ROWS})::bigint as k"


def arrow(table, required):
    """A table as DuckDB has it, with the types that it gives its columns in Parquet.
    It finds some that cannot be null."""
    t = db.table(table).to_arrow_table()

    def stored(typ):
        if pa.types.is_dictionary(typ):
            return pa.string()
        if str(typ) == "timestamp[s]":
            return pa.timestamp("ms")
        return typ

    return t.cast(pa.schema([f.with_type(stored(f.type)).with_nullable(f.name not in required) for f in t.schema]))


def parquet(table, variant, options=""):
    db.execute(f"copy {table} to '{path(f'duckdb/{table}.{variant}.parquet')}' (format parquet {options})")


for name, columns in ("flat", flat), ("nested", nested), ("few", few):
    db.execute(f"create table {name} as select {', '.join([key] + columns)} from range({ROWS}) t(i) order by i")
    describe(f"duckdb/{name}", arrow(name, ["k"]))
    parquet(name, "v1", ", parquet_version v1, codec uncompressed, row_group_size 2048")
    parquet(name, "v2", ", parquet_version v2, codec zstd")
db.execute("create table empty as from few limit 0")
describe("duckdb/empty", arrow("empty", db.table("empty").columns))
parquet("empty", "v1")
for codec in "snappy", "gzip", "brotli", "lz4_raw":
    parquet("few", codec, f", codec {codec}")
    parquet("few", codec + "-v2", f", codec {codec}, parquet_version v2")
# These have another type in Parquet than in DuckDB.
uuids = "'00112233-4455-6677-8899-aabbccddeeff'::uuid", "'ffffffff-4455-6677-8899-aabbccddeeff'::uuid"
db.execute(
    f"""create table rare as select {key}, {column('uuid', 'uuid', *uuids)}, {column('json', 'json', "'{}'", "'[1]'")},
    {column('huge', 'hugeint', 1, -2)}, {column('bits', 'bit', "'101'::bit")},
    {column('zoned', 'timetz', "'00:00:00+00'::timetz")},
    {column('lasts', 'interval', "'14 months 3 days 1 hour'::interval")} from range({ROWS}) t(i) order by i"""
)
parquet("rare", "v1")
rare = db.table("rare").to_arrow_table().to_pydict()
binary = lambda size, values, convert: pa.array([v and convert(v) for v in values], pa.binary(size))
months = lambda v: struct.pack("<III", v.months, v.days, v.nanoseconds // 10**6)
rows = pa.table(
    {
        "k": pa.array(rare["k"], pa.int64()),
        "uuid": binary(16, rare["uuid"], lambda v: uuid.UUID(str(v)).bytes),
        "json": pa.array(rare["json"], pa.string()),
        "huge": pa.array([v and float(v) for v in rare["huge"]]),
        "bits": pa.array(db.sql("select bits::varchar from rare").to_arrow_table()[0].to_pylist()),
        "zoned": pa.array(db.sql("select zoned::time from rare").to_arrow_table()[0], pa.time64("us")),
        "lasts": binary(12, rare["lasts"], months),
    }
)
describe("duckdb/rare", rows.set_column(0, pa.field("k", pa.int64(), nullable=False), rows["k"]))

floats = ["'-0.0'::double", "1.5", "1e300"]
db.execute(
    f"""create table rows as select {key}, {column('u', 'ubigint', 2**64 - 1, 0)}, {column('f', 'double', *floats)},
    {column('b', 'boolean', 'true', 'false')}, {column('d', 'date', "'2021-03-04'::date")},
    {column('at', 'timestamp', "'2021-03-04 05:06:07.000008'::timestamp")},
    {column('s', 'varchar', "'a'",
            QUOTES, "'a' || chr(10) || 'line, two'", "'é'")} from range({ROWS}) t(i) order by i"""
)
describe("duckdb/rows", db.table("rows").to_arrow_table())
db.execute(f"copy rows to '{path('duckdb/rows.plain.csv')}' (format csv)")
db.execute(f"copy rows to '{path('duckdb/rows.tabs.tsv')}' (format csv, delimiter '\t', force_quote *)")
