"""Reads the partitions that arrowsort writes with Arrow C++, Polars and DuckDB: python partitions.py ARROWSORT.

Each reader finds in every row the value that names its folder, of every type that may name folders, by one column and
by two. A filter on the column finds its rows.
"""

import datetime as dt, decimal, pathlib, random, subprocess, sys, tempfile
import duckdb, polars as pl, pyarrow as pa, pyarrow.dataset as ds, pyarrow.parquet as pq

ROWS = 400
TEXTS = ["ORD", "", "a b", "é/漢", "007", "\"#%'*/:=?\\\x7f{[]^", "\x01\n\x1f", "%41", "..",
         " ", "a+b&c~d<e>|", "null"]  # fmt: skip


def columns():
    """Name, type, values, and the types of DuckDB and Polars."""
    D = decimal.Decimal
    for bits in 8, 16, 32, 64:
        least, most = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
        duck = {8: "tinyint", 16: "smallint", 32: "integer", 64: "bigint"}[bits]
        yield f"int{bits}", getattr(pa, f"int{bits}")(), [least, most, 0], duck, getattr(pl, f"Int{bits}")
        yield f"uint{bits}", getattr(pa, f"uint{bits}")(), [0, 2**bits - 1], "u" + duck, getattr(pl, f"UInt{bits}")
    yield "bool", pa.bool_(), [True, False], "boolean", pl.Boolean
    for name, typ in ("text", pa.string()), ("large", pa.large_string()):
        yield name, typ, TEXTS, "varchar", pl.String
    yield "words", pa.dictionary(pa.int16(), pa.string()), TEXTS, "varchar", pl.String
    yield "date", pa.date32(), [dt.date(2001, 2, 3), dt.date(1969, 12, 31), dt.date(9999, 12, 31)], "date", pl.Date
    yield "dec", pa.decimal128(9, 2), [D("1.50"), D("-0.05"), D("1234567.89")], "decimal(9,2)", pl.Decimal(9, 2)
    times = [dt.datetime(2001, 2, 3, 4, 5, 6, 700000), dt.datetime(1970, 1, 1)]
    yield "at", pa.timestamp("us"), times, "timestamp", pl.Datetime("us")


def duckdb_rows(path, parts, types):
    hive = ", ".join(f"'{p}': '{t[0]}'" for p, t in zip(parts, types))
    db = duckdb.connect()
    source = f"read_parquet('{path}/**/*.parquet', hive_partitioning = true, hive_types = {{{hive}}})"
    names = ", ".join(f'"{p}"' for p in parts)
    rows = db.execute(f"select row, {names} from {source}").fetchall()
    # A filter that is compared with the value as text is one on the names of the folders.
    for value in {r[1] for r in rows}:
        found = db.execute(f'select row from {source} where "{parts[0]}" is not distinct from ?', [value]).fetchall()
        assert sorted(found) == sorted((r[0],) for r in rows if r[1] == value), f"{path}: DuckDB: rows of {value!r}"
    return rows


def polars_rows(path, parts, types):
    frame = pl.scan_parquet(f"{path}/", hive_partitioning=True, hive_schema={p: t[1] for p, t in zip(parts, types)})
    rows = frame.select("row", *parts).collect().rows()
    for value in {r[1] for r in rows}:
        found = frame.filter(pl.col(parts[0]).eq_missing(pl.lit(value, dtype=types[0][1]))).select("row").collect()
        assert sorted(found["row"]) == sorted(r[0] for r in rows if r[1] == value), f"{path}: Polars: rows of {value!r}"
    return rows


def arrow_rows(path, parts, types):
    typed = [t[2].value_type if pa.types.is_dictionary(t[2]) else t[2] for t in types]
    # Arrow C++ reads no decimals from names: they are compared as text.
    as_text = [pa.string() if pa.types.is_decimal(t) else t for t in typed]
    folders = ds.partitioning(pa.schema(list(zip(parts, as_text))), flavor="hive")
    table = ds.dataset(path, partitioning=folders).to_table(columns=["row", *parts])
    for i, t in enumerate(typed):
        if t != as_text[i]:
            table = table.set_column(i + 1, parts[i], table[parts[i]].cast(t))
    return list(zip(*(c.to_pylist() for c in table.columns)))


def check(arrowsort, folder, parts, types, values, extra):
    r = random.Random(7)
    picked = [[r.choice(v + [None]) for _ in range(ROWS)] for v in values]
    table = pa.table(
        {"key": pa.array([r.randrange(9) for _ in range(ROWS)])}
        | {p: pa.array(v, t[2]) for p, v, t in zip(parts, picked, types)}
        | {"row": pa.array(range(ROWS))}
    )
    source, out = folder / "in.parquet", folder / ("out of " + " ".join(parts))
    pq.write_table(table, source)
    by = [word for p in parts for word in ("--partition-by", p)]
    subprocess.run([arrowsort, "sort", "-q", "-k", "key", *by, *extra, "-o", out, source], check=True)
    want = sorted(enumerate(zip(*picked)))
    for read in duckdb_rows, polars_rows, arrow_rows:
        found = sorted(((row, tuple(v)) for row, *v in read(str(out), parts, types)), key=lambda r: r[0])
        assert found == want, f"{parts}: {read.__name__}: {[p for p in zip(found, want) if p[0] != p[1]][:3]}"
    for path in out.glob("**/*.parquet"):
        keys = pq.read_table(path, partitioning=None)
        assert keys.column_names == ["key", "row"], f"{path}: {keys.column_names}"
        order = list(zip(keys["key"].to_pylist(), keys["row"].to_pylist()))
        assert order == sorted(order), f"{path}: not in order"
    return len(want)


def main():
    all_columns, rows = list(columns()), 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for i, (name, typ, values, duck, polars) in enumerate(all_columns):
            other, other_typ, other_values, other_duck, other_polars = all_columns[(i + 5) % len(all_columns)]
            one, two = (duck, polars, typ), (other_duck, other_polars, other_typ)
            rows += check(sys.argv[1], folder, [name], [one], [values], ["--rows-per-file", "20"])
            rows += check(sys.argv[1], folder, [name, other], [one, two], [values, other_values], [])
    print(f"{rows} rows of partitions by {len(all_columns)} types of columns, each in 3 readers")


main()
