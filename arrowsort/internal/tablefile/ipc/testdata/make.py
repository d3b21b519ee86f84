# Makes the files of this directory: python make.py, with pyarrow 26.0.1 and polars 2.1.0.
import datetime, decimal, json
import polars as pl
import pyarrow as pa
import pyarrow.ipc as ipc


def rows(columns):
    """Values as text that Go can make, too: null, or the value; lists in brackets."""
    def text(v):
        if v is None:
            return "null"
        if isinstance(v, bool):
            return str(v).lower()
        if isinstance(v, bytes):
            return v.hex()
        if isinstance(v, dict):
            return "{" + ",".join(text(x) for x in v.values()) + "}"
        if isinstance(v, (list, tuple)):
            return "[" + ",".join(text(x) for x in v) + "]"
        return str(v)
    return {name: [text(v) for v in values] for name, values in columns.items()}


values = {}

# Polars: every compression, strings as views or as large strings.
data = {
    "k": [5, 3, None, 1],
    "s": ["five", "three", None, "a string longer than twelve bytes"],
    "b": [b"x", None, b"\x00\x01", b"a long binary value of many bytes"],
    "l": [[1, 2], [], None, [3, None]],
    "a": [[1, 2], [3, None], None, [5, 6]],
    "r": [{"x": 1, "y": ["p"]}, {"x": None, "y": []}, None, {"x": 4, "y": None}],
    "c": ["u", "v", None, "u"],
}
frame = pl.DataFrame(data, schema={
    "k": pl.Int64, "s": pl.String, "b": pl.Binary, "l": pl.List(pl.Int64), "a": pl.Array(pl.Int32, 2),
    "r": pl.Struct({"x": pl.Int8, "y": pl.List(pl.String)}), "c": pl.Categorical})
for codec in ["uncompressed", "lz4", "zstd"]:
    for level, compat in [("newest", pl.CompatLevel.newest()), ("oldest", pl.CompatLevel.oldest())]:
        name = f"polars_{level}_{codec}"
        frame.write_ipc(f"{name}.arrow", compression=codec, compat_level=compat)
        frame.write_ipc_stream(f"{name}.arrows", compression=codec, compat_level=compat)
        values[f"{name}.arrow"] = values[f"{name}.arrows"] = rows(data)
frame.clear().write_ipc("polars_empty.arrow", compression="lz4")
values["polars_empty.arrow"] = rows({c: [] for c in data})


def write(name, batches, schema=None, formats=("arrow", "arrows"), stored=None, **options):
    schema = batches[0].schema if schema is None else schema
    for extension in formats:
        make = ipc.new_file if extension == "arrow" else ipc.new_stream
        with make(f"{name}.{extension}", schema, options=ipc.IpcWriteOptions(**options)) as out:
            for batch in batches:
                out.write_batch(batch)
        if stored is None:
            table = pa.Table.from_batches(batches, schema)
            values[f"{name}.{extension}"] = rows({c: table[c].to_pylist() for c in table.column_names})


k = pa.array([3, 1, None, 2], pa.int32())
D = decimal.Decimal
types = pa.record_batch({
    "k": k,
    "view": pa.array(["a", "a string longer than twelve bytes", None, ""], pa.string_view()),
    "bytes": pa.array([b"a", b"bytes of more than twelve", None, b""], pa.binary_view()),
    "large": pa.array([[1], None, [], [2, None]], pa.large_list(pa.int16())),
    "listview": pa.array([[1], None, [], [2, None]], pa.list_view(pa.int16())),
    "fixed": pa.array([[1, 2], None, [3, 4], [5, None]], pa.list_(pa.int8(), 2)),
    "nulls": pa.nulls(4, pa.list_(pa.string(), 2)),
    "struct": pa.array([{"l": [1, 2]}, None, {"l": None}, {"l": []}], pa.struct([("l", pa.list_(pa.int32()))])),
    "runs": pa.RunEndEncodedArray.from_arrays(pa.array([2, 3, 4], pa.int32()), pa.array(["a", None, "b"])),
    "sparse": pa.UnionArray.from_sparse(
        pa.array([0, 1, 0, 1], pa.int8()), [pa.array([1, 2, None, 4]), pa.array(["a", "b", "c", None])]),
    "dense": pa.UnionArray.from_dense(
        pa.array([0, 1, 0, 1], pa.int8()), pa.array([0, 0, 1, 1], pa.int32()),
        [pa.array([1, None]), pa.array(["b", None])]),
    "dictionary": pa.DictionaryArray.from_arrays(
        pa.array([1, 0, None, 1], pa.int8()), pa.array(["a", "b of more than twelve"], pa.string_view())),
    "map": pa.array([[("a", 1)], None, [], [("b", None)]], pa.map_(pa.string(), pa.int32())),
    "unknown": pa.array([b"0123456789abcdef", None, b"0123456789abcdeg", b"0123456789abcdeh"], pa.uuid()).storage,
})
for codec in [None, "lz4", "zstd"]:
    write(f"pyarrow_types_{codec}", [types, types.slice(1, 2), types.slice(0, 0)], compression=codec)

pairs = pa.record_batch({"k": k, "v": pa.array(["a", "b", None, "d"])})
write("pyarrow_none", [], schema=pairs.schema)
write("pyarrow_columnless", [], schema=pa.schema([]))
write("pyarrow_many", [pairs.slice(i % 3, 1) for i in range(20)])
write("pyarrow_version4", [pairs], metadata_version=ipc.MetadataVersion.V4)
write("pyarrow_legacy", [pairs], use_legacy_format=True)
# Numbers that do not get smaller are stored as they are, behind the length -1.
numbers = pa.array([(i * 0x9E3779B97F4A7C15) % 2**61 for i in range(40)])
numbers = pa.record_batch({"k": numbers, "z": pa.array([7] * 40)})
for codec in ["lz4", "zstd"]:
    write(f"pyarrow_incompressible_{codec}", [numbers], compression=codec)


def words(values, words):
    indices = pa.array([None if v is None else words.index(v) for v in values], pa.int8())
    entries = pa.DictionaryArray.from_arrays(indices, pa.array(words))
    return pa.record_batch({"k": pa.array(range(len(values))), "v": entries})


grown = [words(["b", "a"], ["a", "b"]), words(["c", None], ["a", "b", "c"])]
write("pyarrow_deltas", grown, emit_dictionary_deltas=True)
write("pyarrow_replaced", [grown[0], words(["z", "y"], ["y", "z"]), grown[1]], formats=["arrows"])

prices = pa.array([D("1.5"), None] * 2, pa.decimal32(5, 2))
write("unsupported_decimal32", [pa.record_batch({"k": k, "price": prices})], stored=0)
lists = pa.array([[D("1.5")], None] * 2, pa.list_(pa.decimal64(12, 2)))
write("unsupported_decimal64", [pa.record_batch({"k": k, "l": lists})], stored=0)
empty = pa.array([[], None] * 2, pa.list_(pa.int8(), 0))
write("unsupported_width0", [pa.record_batch({"k": k, "f": empty})], stored=0)
big = pl.DataFrame({"big": pl.Series([1, 2], dtype=pl.Int128)})
big.write_ipc("unsupported_int128.arrow", compression="uncompressed")

with open("values.json", "w") as out:
    json.dump(values, out, indent=1, sort_keys=True)
