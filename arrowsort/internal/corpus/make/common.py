"""What the files of the corpus hold, as JSON: types and values of each column, as the writer has them in memory.

A file is named TABLE.VARIANT.EXTENSION. TABLE.json describes it, and before it TABLE.EXTENSION.json and
TABLE.VARIANT.json, if they are there, those of its columns that differ. Values are written as arrowtest.Value does:
fixed width as little-endian bytes in hexadecimal, text in
quotes.
"""

import json, os, pathlib, struct
import pyarrow as pa

FOLDER = pathlib.Path(__file__).parent.parent / "testdata"
NAMES = {
    "halffloat": "float16",
    "float": "float32",
    "double": "float64",
    "string": "utf8",
    "large_string": "large_utf8",
    "date32[day]": "date32",
    "date64[ms]": "date64",
}
FLOATS = {"halffloat": "<e", "float": "<f", "double": "<d"}


def types(t):
    """The name of a type, with ! where values cannot be null."""

    def field(f):
        return types(f.type) + ("" if f.nullable else "!")

    if isinstance(t, pa.BaseExtensionType):
        return types(t.storage_type)
    if pa.types.is_map(t):
        return f"map<{types(t.key_type)},{field(t.item_field)}>"
    if pa.types.is_fixed_size_list(t):
        return f"fixed_size_list<{field(t.value_field)}>[{t.list_size}]"
    if pa.types.is_list(t) or pa.types.is_large_list(t):
        return ("large_" if pa.types.is_large_list(t) else "") + f"list<{field(t.value_field)}>"
    if pa.types.is_struct(t):
        return "struct<" + ",".join(f.name + ":" + field(f) for f in t.fields) + ">"
    if pa.types.is_dictionary(t):
        return f"dictionary<{types(t.index_type)},{types(t.value_type)}>"
    return NAMES.get(str(t), str(t).replace("decimal128(", "decimal("))


def quoted(b):
    try:
        text = b.decode()
    except UnicodeDecodeError:
        text = None
    escapes = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
    if text is None:
        return '"' + "".join(f"\\x{c:02x}" if c < 32 or c > 126 else escapes.get(chr(c), chr(c)) for c in b) + '"'
    return '"' + "".join(escapes.get(c, c if c >= " " else f"\\x{ord(c):02x}") for c in text) + '"'


def value(s):
    """A scalar as arrowtest.Value writes it."""
    t = s.type
    if not s.is_valid:
        return "null"
    if isinstance(t, pa.BaseExtensionType):
        return value(s.value)
    if pa.types.is_dictionary(t):
        return value(s.dictionary[s.index.as_py()])
    if pa.types.is_map(t):
        return "[" + ",".join("{" + value(e[0]) + "," + value(e[1]) + "}" for e in map(tuple_of, s.values)) + "]"
    if pa.types.is_struct(t):
        return "{" + ",".join(value(v) for v in tuple_of(s)) + "}"
    if pa.types.is_nested(t):
        return "[" + ",".join(value(v) for v in s.values) + "]"
    if pa.types.is_boolean(t):
        return str(s.as_py()).lower()
    if str(t) in FLOATS:
        return struct.pack(FLOATS[str(t)], s.as_py()).hex()
    if pa.types.is_fixed_size_binary(t) and not pa.types.is_decimal(t):
        return quoted(s.as_py())
    if pa.types.is_decimal(t):
        unscaled = int(s.as_py().scaleb(t.scale, context=__import__("decimal").Context(prec=100)))
        return unscaled.to_bytes(t.bit_width // 8, "little", signed=True).hex()
    if str(t) == "month_day_nano_interval":
        v = s.as_py()
        return struct.pack("<iiq", v.months, v.days, v.nanoseconds).hex()
    if pa.types.is_temporal(t):
        return int(s.value).to_bytes(t.bit_width // 8, "little", signed=True).hex()
    if pa.types.is_integer(t):
        return int(s.as_py()).to_bytes(t.bit_width // 8, "little", signed=not str(t).startswith("u")).hex()
    v = s.as_py()
    return quoted(v if isinstance(v, bytes) else v.encode())


def tuple_of(s):
    return [s[i] for i in range(len(s.type.fields))]


def describe(name, table):
    columns = [
        {
            "name": f.name,
            "type": types(f.type) + ("" if f.nullable else "!"),
            "values": [value(v) for v in table.column(i)],
        }
        for i, f in enumerate(table.schema)
    ]
    base = path(name.split(".")[0] + ".json")
    if base != path(f"{name}.json"):
        others = {c["name"]: c for c in json.loads(base.read_text())}
        columns = [c for c in columns if c != others[c["name"]]]
    lines = ",\n".join(json.dumps(c, separators=(",", ":"), ensure_ascii=False) for c in columns)
    if columns:
        path(f"{name}.json").write_text(f"[{lines}]\n")


def path(name):
    p = FOLDER / name
    p.parent.mkdir(parents=True, exist_ok=True)
    return p


def stored(t, arrow_schema):
    """The type that a Parquet file has for a type of Arrow, with or without an Arrow schema among its metadata."""

    def field(f):
        return f.with_type(stored(f.type, arrow_schema))

    s = str(t)
    if isinstance(t, pa.BaseExtensionType):
        return stored(t.storage_type, arrow_schema)
    if s == "date64[ms]":
        return pa.date32()
    if s == "time32[s]":
        return pa.time32("ms")
    if pa.types.is_timestamp(t):
        zone = t.tz if arrow_schema else t.tz and "UTC"
        return pa.timestamp("ms" if t.unit == "s" else t.unit, zone)
    if s in ("string_view", "binary_view"):
        return pa.string() if s == "string_view" else pa.binary()
    if s.startswith("decimal32") or s.startswith("decimal64"):
        return pa.decimal128(t.precision, t.scale)
    if pa.types.is_map(t):
        return pa.map_(stored(t.key_type, arrow_schema), field(t.item_field))
    if pa.types.is_struct(t):
        return pa.struct([field(f) for f in t.fields])
    if pa.types.is_dictionary(t) and arrow_schema:  # both are those of Parquet
        return pa.dictionary(pa.int32(), stored(t.value_type, False))
    if pa.types.is_dictionary(t):
        return stored(t.value_type, arrow_schema)
    if pa.types.is_fixed_size_list(t) and arrow_schema:
        return pa.list_(field(t.value_field), t.list_size)
    if pa.types.is_large_list(t) and arrow_schema:
        return pa.large_list(field(t.value_field))
    if pa.types.is_nested(t) and hasattr(t, "value_field"):
        return pa.list_(field(t.value_field))
    if not arrow_schema:
        if pa.types.is_duration(t):
            return pa.int64()
        if s == "large_string":
            return pa.string()
        if s == "large_binary":
            return pa.binary()
        if pa.types.is_null(t):
            return pa.null()
        if s.startswith("decimal256") and t.precision <= 38:
            return pa.decimal128(t.precision, t.scale)
    return t


def in_parquet(table, arrow_schema=True):
    fields = [f.with_type(stored(f.type, arrow_schema)) for f in table.schema]
    columns = []
    for f, c in zip(fields, table.columns):
        c = c.combine_chunks()
        if isinstance(c.type, pa.BaseExtensionType):
            c = c.storage
        if c.type != f.type:
            c = pa.array(c.to_pylist(), f.type) if pa.types.is_nested(c.type) else c.cast(f.type)
        columns.append(c)
    return pa.table(columns, schema=pa.schema(fields))
