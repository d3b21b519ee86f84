"""Reads nested columns, decimals and small integers with Arrow C++, Polars, DuckDB and DataFusion: python nested.py
ARROWSORT. All of them find the rows that were sorted, whatever encodings were chosen by trial."""

import decimal, pathlib, random, subprocess, sys, tempfile
import datafusion, duckdb, polars as pl, pyarrow as pa, pyarrow.parquet as pq

ROWS = 6000


def table():
    r, i = random.Random(5), range(ROWS)
    lists = lambda make: [None if r.random() < 0.1 else [make(n) for _ in range(r.randrange(4))] for n in i]
    return pa.table({
        "key": pa.array(i),
        **{f"int{b}": pa.array([n * 2 ** (b - 9) // 40 for n in i], getattr(pa, f"int{b}")()) for b in (8, 16)},
        "uint8": pa.array([n // 30 for n in i], pa.uint8()),
        "uint16": pa.array([None if n % 7 == 0 else n * 9 for n in i], pa.uint16()),
        "cents": pa.array([decimal.Decimal(n * 1009).scaleb(-2) for n in i], pa.decimal128(9, 2)),
        "price": pa.array([decimal.Decimal(n * 10**9 + r.randrange(9)).scaleb(-2) for n in i], pa.decimal128(17, 2)),
        "wide": pa.array([decimal.Decimal(n * 10**18).scaleb(-2) for n in i], pa.decimal128(30, 2)),
        "times": pa.array(lists(lambda n: n * 10**6 + r.randrange(10**6)), pa.list_(pa.timestamp("us"))),
        "numbers": pa.array(lists(lambda n: n * 100 + r.randrange(100)), pa.list_(pa.int32())),
        "texts": pa.array(lists(lambda n: f"{r.getrandbits(60):x} {n}"), pa.list_(pa.string())),
        "floats": pa.array(lists(lambda n: r.random()), pa.list_(pa.float64())),
        "place": pa.array([
            None if n % 11 == 0 else {"n": n * 5, "name": f"names that begin alike, number {n:09}", "x": n / 3}
            for n in i
        ]),
    })  # fmt: skip


def main():
    source = table()
    order = list(range(ROWS))
    random.Random(1).shuffle(order)
    with tempfile.TemporaryDirectory() as folder:
        path, out = pathlib.Path(folder, "in.parquet"), pathlib.Path(folder, "out.parquet")
        pq.write_table(source.take(order), path, store_decimal_as_integer=True)
        for version in "1", "2":
            subprocess.run([sys.argv[1], "sort", "-q", "-k", "key", "--row-group-rows", "2500", "--page-rows", "400",
                            "--page-version", version, "-o", out, path], check=True)  # fmt: skip
            meta = pq.ParquetFile(out).metadata.row_group(1)
            chunks = [meta.column(i) for i in range(meta.num_columns)]
            differences = [c.path_in_schema for c in chunks if any("DELTA" in e for e in c.encodings)]
            assert len(differences) >= 9, differences
            want = source.to_pylist()
            context = datafusion.SessionContext()
            found = {
                "Arrow C++": pq.read_table(out).to_pylist(),
                "Polars": pl.read_parquet(out).to_arrow().to_pylist(),
                "DuckDB": duckdb.sql(f"from '{out}'").to_arrow_table().to_pylist(),
                "DataFusion": pa.Table.from_batches(context.read_parquet(str(out)).collect()).to_pylist(),
            }
            for name, rows in found.items():
                for i, (got, row) in enumerate(zip(sorted(rows, key=lambda r: r["key"]), want, strict=True)):
                    assert got == row, f"{name}, version {version}, row {i}: {got}, not {row}"
    print(f"nested columns: {', '.join(differences)}")


main()
