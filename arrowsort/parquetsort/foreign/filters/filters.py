"""Reads what arrowsort writes with Arrow C++, Polars, DuckDB and DataFusion: python filters.py ARROWSORT.

A file of many row groups and pages is sorted by each of its columns. Filters on that column and on another one find the
same rows with the statistics of the file as without, and in all readers. So do aggregates that readers take from them.
"""

import datetime as dt, decimal, math, pathlib, random, subprocess, sys, tempfile
import datafusion, duckdb, polars as pl, pyarrow as pa, pyarrow.dataset as ds, pyarrow.parquet as pq

ROWS = 2000
D = decimal.Decimal


def table():
    r = random.Random(12)

    def some(typ, make, nulls=0.1):
        return pa.array([None if r.random() < nulls else make() for _ in range(ROWS)], typ)

    when = lambda: dt.datetime(2000, 1, 1) + dt.timedelta(microseconds=r.randrange(-(10**16), 10**16))
    number = lambda: r.choice([r.gauss(0, 1000), 0.0, -0.0, math.inf, -math.inf])
    c = {"bool": some(pa.bool_(), lambda: r.random() < 0.5)}
    for bits in 8, 16, 32, 64:
        c[f"int{bits}"] = some(getattr(pa, f"int{bits}")(), lambda: r.randrange(-(2 ** (bits - 1)), 2 ** (bits - 1)))
        c[f"uint{bits}"] = some(getattr(pa, f"uint{bits}")(), lambda: r.randrange(2**bits))
    c |= {
        "float": some(pa.float32(), number),
        "double": some(pa.float64(), number),
        "floatnan": some(pa.float32(), lambda: r.choice([math.nan, number(), number()])),
        "doublenan": some(pa.float64(), lambda: r.choice([math.nan, number(), number()])),
        "signnan": some(pa.float64(), lambda: r.choice([-math.nan, math.nan, number(), number()])),
        "fewnan": some(pa.float64(), lambda: r.gauss(0, 1) if r.random() < 0.99 else math.nan),
        "date": some(pa.date32(), lambda: when().date()),
        "time_ms": some(pa.time32("ms"), lambda: r.randrange(86400000)),
        "time_us": some(pa.time64("us"), lambda: when().time()),
        "at_ms": some(pa.timestamp("ms"), lambda: when().replace(microsecond=0)),
        "at_us": some(pa.timestamp("us"), when),
        "zone": some(pa.timestamp("us", "UTC"), when),
        "dec5": some(pa.decimal128(5, 2), lambda: D(r.randrange(-(10**5) + 1, 10**5)).scaleb(-2)),
        "dec15": some(pa.decimal128(15, 3), lambda: D(r.randrange(-(10**15) + 1, 10**15)).scaleb(-3)),
        "dec30": some(pa.decimal128(30, 1), lambda: D(r.randrange(-(10**28), 10**28)).scaleb(-1)),
        "text": some(pa.string(), lambda: r.choice(["", "a", "é漢", "\U0001f600", str(r.random())])),
        "long": some(pa.string(), lambda: "x" * 70 + "é" * 30 + str(r.random())),
        "longest": some(pa.string(), lambda: r.choice([str(r.random()), "y" * 5000, "\U0010ffff" * 70])),
        "last": some(pa.binary(), lambda: r.randbytes(4) if r.random() < 0.9 else b"\xff" * r.randrange(60, 90)),
        "large": some(pa.large_string(), lambda: str(r.randrange(300))),
        "bytes": some(pa.binary(), lambda: r.randbytes(r.randrange(80))),
        "fixed": some(pa.binary(16), lambda: r.randbytes(16)),
        "nulls": some(pa.int32(), lambda: 7, 1),
        "required": pa.array([r.randrange(500) for _ in range(ROWS)]),
    }
    t = pa.table(c | {"row": pa.array(range(ROWS))})
    at = t.schema.get_field_index("required")
    return t.set_column(at, pa.field("required", pa.int64(), nullable=False), t["required"])


def filters(column):
    """Operators and values, of which some are there and some are not."""
    values = column.drop_null().unique().to_pylist()
    values = sorted(v for v in values if v == v) + [v for v in values if v != v][:1]
    picked = [values[i] for i in sorted({0, len(values) // 2, len(values) - 1}) if values]
    typ = column.type
    if pa.types.is_floating(typ):
        picked += [0.0, -0.0]
    for v in picked:
        yield from (("=", v), ("<", v), (">", v), (">=", v), ("between", v, picked[-1]))
    yield from (("is null",), ("is not null",))


OPERATORS = {
    "=": lambda c, v: c == v,
    "<": lambda c, v: c < v,
    ">": lambda c, v: c > v,
    ">=": lambda c, v: c >= v,
    "between": lambda c, v, w: (c >= v) & (c <= w),
}


class Arrow:
    nan_is_greatest = False

    def __init__(self, path):
        self.file, self.table = ds.dataset(path), pq.read_table(path)

    def rows(self, column, op, *values):
        c = ds.field(column)
        values = [pa.scalar(v, self.table.schema.field(column).type) for v in values]
        e = {"is null": c.is_null(), "is not null": c.is_valid()}.get(op) if not values else OPERATORS[op](c, *values)
        return (
            self.file.to_table(columns=["row"], filter=e)["row"].to_pylist(),
            self.table.filter(e)["row"].to_pylist(),
        )


class Polars:
    nan_is_greatest = True

    def __init__(self, path):
        self.file, self.table = pl.scan_parquet(path, use_statistics=True), pl.read_parquet(path)

    def rows(self, column, op, *values):
        c = pl.col(column)
        values = [pl.lit(v, dtype=self.table.schema[column]) for v in values]
        e = (
            {"is null": c.is_null(), "is not null": c.is_not_null()}.get(op)
            if not values
            else OPERATORS[op](c, *values)
        )
        return tuple(t.lazy().filter(e).select("row").collect()["row"].to_list() for t in (self.file, self.table))


class DuckDB:
    nan_is_greatest = True

    def __init__(self, path):
        self.db = duckdb.connect()
        self.db.execute("set timezone = 'UTC'")
        self.db.execute(f"create view file as from read_parquet('{path}')")
        self.db.execute("create table memory as from file")
        self.types = {name: typ for name, typ, *_ in self.db.execute("describe memory").fetchall()}

    def rows(self, column, op, *values):
        if "TIME ZONE" in self.types[column]:
            values = [v.replace(tzinfo=dt.timezone.utc) for v in values]
        values = [str(v) if isinstance(v, decimal.Decimal) else v for v in values]
        marks = f" and ?::{self.types[column]}" if op == "between" else ""
        condition = f'"{column}" {op}' + (f" ?::{self.types[column]}" if values else "") + marks
        return tuple(
            [r for r, in self.db.execute(f"select row from {t} where {condition}", values).fetchall()]
            for t in ("file", "memory")
        )


class DataFusion:
    nan_is_greatest = True

    def __init__(self, path):
        def context(pruning):
            config = datafusion.SessionConfig().set("datafusion.execution.collect_statistics", pruning)
            for name in "pruning", "enable_page_index", "bloom_filter_on_read", "pushdown_filters":
                config = config.set(f"datafusion.execution.parquet.{name}", pruning)
            ctx = datafusion.SessionContext(config)
            ctx.register_parquet("file", path)
            return ctx

        self.contexts = [context("true"), context("false")]
        self.frames = [c.table("file") for c in self.contexts]
        self.schema = self.frames[0].schema()

    def rows(self, column, op, *values):
        c = datafusion.col(f'"{column}"')
        values = [datafusion.lit(pa.scalar(v, self.schema.field(column).type)) for v in values]
        e = (
            {"is null": c.is_null(), "is not null": c.is_not_null()}.get(op)
            if not values
            else OPERATORS[op](c, *values)
        )
        return tuple([v for b in f.filter(e).select("row").collect() for v in b[0].to_pylist()] for f in self.frames)


def check_aggregates(path, column, db, contexts):
    """Readers may take these from statistics. Zeros and NaNs are equal, whatever their sign."""
    select = f'select min("{column}"), max("{column}"), count("{column}"), count(distinct "{column}") from '
    text = lambda row: [{"-0.0": "0.0", "-nan": "nan"}.get(v, v) for v in map(str, row)]

    rows = [text(v[0] for v in c.sql(select + "file").to_pydict().values()) for c in contexts]
    assert rows[0] == rows[1], f"{path}: DataFusion: {select}: {rows}"
    rows = [
        text(db.execute(f"select a::varchar, b::varchar, c, d from ({select} {t}) x(a, b, c, d)").fetchone())
        for t in ("file", "memory")
    ]
    assert rows[0] == rows[1], f"{path}: DuckDB: {select}: {rows}"


def check_bloom_filters(path, column, values):
    """DuckDB skips row groups by their filters: none that has a value, and most of those that do not."""
    typ = str(values.type)
    values = values.drop_null().unique().to_pylist()
    if typ not in ("int32", "int64", "string", "double"):
        return
    db, skipped, probes = duckdb.connect(), 0, 0
    for v in values[:40]:
        probe = "select file_name, row_group_id from parquet_bloom_probe(?, ?, ?) where bloom_filter_excludes"
        excluded = {g for _, g in db.execute(probe, [path, column, v]).fetchall()}
        groups = pq.ParquetFile(path)
        for g in range(groups.num_row_groups):
            there = any(x == v or x != x and v != v for x in groups.read_row_group(g, [column])[column].to_pylist())
            assert not (there and g in excluded), f"{path}: row group {g} has {v}, and its Bloom filter has not"
            probes, skipped = probes + (not there), skipped + (g in excluded)
    assert skipped >= probes * 0.9, f"{path}: Bloom filters of {column} skip {skipped} of {probes} row groups"


def check(path, columns, source):
    readers = [reader(path) for reader in (Arrow, Polars, DuckDB, DataFusion)]
    checked = 0
    for column in columns:
        check_aggregates(path, column, readers[2].db, readers[3].contexts)
        nan = column.endswith("nan")
        for f in filters(source[column]):
            found = {}
            for reader in readers:
                with_statistics, without = map(sorted, reader.rows(column, *f))
                name = f"{path}: {type(reader).__name__}: {column} {f}"
                assert (
                    with_statistics == without
                ), f"{name}: {len(with_statistics)} rows with statistics, {len(without)} without"
                order = reader.nan_is_greatest if nan else None
                if column == "signnan":  # DataFusion sorts NaN by its sign
                    order = type(reader)
                found.setdefault(order, {})[name] = without
                checked += 1
            for rows in found.values():
                first = next(iter(rows))
                for name in rows:
                    assert rows[name] == rows[first], f"{name}: {len(rows[name])} rows, {first}: {len(rows[first])}"
    return checked


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_all(sys.argv[1], pathlib.Path(folder), table())


def check_all(arrowsort, folder, source):
    pq.write_table(source, folder / "in.parquet")
    columns = [c for c in source.column_names if c != "row"]
    checked = 0
    blooms = [word for c in columns if c != "bool" for word in ("--bloom-filter", c)]
    for i, column in enumerate(columns):
        for order in "", ":desc":
            out = str(folder / f"{column}{order[1:]}.parquet")
            subprocess.run(
                [
                    arrowsort,
                    "sort",
                    "-q",
                    "-k",
                    column + order,
                    "--row-group-rows",
                    "450",
                    "--page-rows",
                    "50",
                    *(blooms if order else []),
                    "-o",
                    out,
                    folder / "in.parquet",
                ],
                check=True,
            )
            if order and column != "bool":
                check_bloom_filters(out, column, source[column])
            checked += check(out, [column, columns[(i + 7) % len(columns)]] if not order else [column], source)
    print(f"{checked} filters on {2 * len(columns)} files")


main()
