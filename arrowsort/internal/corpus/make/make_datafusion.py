"""Files by DataFusion, which is arrow-rs: python make_datafusion.py, with requirements.txt installed."""

import datafusion
import pyarrow as pa
import make_pyarrow
from common import describe, in_parquet, path

ctx = datafusion.SessionContext(datafusion.SessionConfig().with_target_partitions(1))
for option, value in ("max_row_group_size", "7"), ("data_pagesize_limit", "64"), ("write_batch_size", "4"):
    ctx.sql(f"set datafusion.execution.parquet.{option} = {value}").collect()
# It writes these to Parquet as integers without a logical type, which is what Arrow C++ reads, too.
integers = ["date64", "time_s", "at_s", "zone_s"]
flat = make_pyarrow.tables["flat"].drop_columns(["null"] + integers)
tables = {
    "flat": flat,
    "nested": make_pyarrow.tables["nested"].drop_columns(["tensor"]),
    "few": make_pyarrow.tables["few"],
    "empty": make_pyarrow.tables["empty"],
}
views = make_pyarrow.tables["few"].select(["k", "text"])
tables["views"] = views.set_column(1, "text", views["text"].cast(pa.string_view()))


def write(table, variant, extension, options=""):
    to = path(f"datafusion/{table}.{variant}.{extension}")
    to.unlink(missing_ok=True)
    ctx.sql(f"copy {table} to '{to}' stored as {extension} {options}").collect()


def parquet(table, variant, **options):
    write(table, variant, "parquet", "options (" + ", ".join(f"'{k}' '{v}'" for k, v in options.items()) + ")")


for name, table in tables.items():
    ctx.register_record_batches(
        name, [table.combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], table.schema)]]
    )
    describe(f"datafusion/{name}", table)
    describe(f"datafusion/{name}.parquet", in_parquet(table))
    if name not in ("nested", "few"):
        parquet(name, "v1", compression="uncompressed")
    write(name, "lz4", "arrow")
some = ["k", "bool", "i8", "u16", "i32", "u64", "f64", "date32", "at_us", "dec5", "dec15", "text", "bytes"]
ctx.sql(f"create table most as select {', '.join(some)} from flat").collect()
describe("datafusion/most", tables["flat"].select(some))
parquet("most", "v2", writer_version="2.0", compression="zstd(3)", dictionary_enabled="false")
ctx.sql('create table prefixes as select k, fixed as "column" from flat').collect()
parquet(
    "prefixes", "unsupported", writer_version="2.0", dictionary_enabled="false"
)  # DELTA_BYTE_ARRAY of fixed length
parquet("nested", "v2", writer_version="2.0", compression="snappy", dictionary_enabled="false")
for codec in "gzip(6)", "lz4_raw":
    parquet("few", codec.split("(")[0], compression=codec)
for text in "delta_length_byte_array", "delta_byte_array":
    parquet(
        "few",
        text,
        **{
            "encoding::k": "plain",
            "encoding::i64": "delta_binary_packed",
            "encoding::f64": "byte_stream_split",
            "encoding::bool": "rle",
            "encoding::text": text,
            "dictionary_enabled": "false",
            "bloom_filter_on_write": "true",
            "statistics_enabled": "page",
        },
    )
