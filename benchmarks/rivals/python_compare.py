"""Sorts the same data in Python by pandas, pyarrow, Polars, DuckDB and arrowsort, and prints a table of seconds.

    benchmarks/rivals/python_compare.py [--rows 10000000] [--runs 5] [--flights examples/data/flights.parquet]

Needs the package arrowsort (python/README.md) and the requirements of its tests, as build/python has them after
`make python-test`. Each engine starts from data as its own library has them, and its result is checked against that of
arrowsort; the engines alternate.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("--rows", type=int, default=10_000_000, help="of the large table")
parser.add_argument("--runs", type=int, default=5)
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--flights", type=Path, default=ROOT / "examples" / "data" / "flights.parquet")
settings = parser.parse_args()
os.environ["POLARS_MAX_THREADS"] = str(settings.threads)  # before Polars is imported

import duckdb  # noqa: E402
import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
import polars as pl  # noqa: E402
import pyarrow as pa  # noqa: E402
import pyarrow.compute as pc  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

import arrowsort  # noqa: E402

ENGINES = ["arrowsort", "pandas", "pyarrow", "Polars", "DuckDB"]
pa.set_cpu_count(settings.threads)
connection = duckdb.connect(config={"threads": settings.threads})


def table_of(rows: int) -> pa.Table:
    """Three columns of random values, the first of which is the key."""
    random = np.random.default_rng(1)
    return pa.table(
        {
            "key": random.integers(-(1 << 63), (1 << 63) - 1, rows),
            "number": random.integers(0, 1 << 62, rows),
            "price": random.random(rows),
        }
    )


def in_arrow(table: pa.Table, keys: list[str]) -> dict:
    """A table of pyarrow in and out, for other engines their own data."""
    frame, polars = table.to_pandas(), pl.from_arrow(table, rechunk=True)
    connection.register("data", table)
    order = ", ".join(f'"{key}" NULLS LAST' for key in keys)
    return {
        "arrowsort": lambda: arrowsort.sort(table, keys, threads=settings.threads),
        "pandas": lambda: frame.sort_values(keys),
        "pyarrow": lambda: table.sort_by([(key, "ascending") for key in keys]),
        "Polars": lambda: polars.sort(keys, nulls_last=True),
        "DuckDB": lambda: connection.sql(f"FROM data ORDER BY {order}").to_arrow_table(),
    }


def in_pandas(table: pa.Table) -> dict:
    """A DataFrame in and out."""
    frame = table.to_pandas()
    connection.register("frame", frame)
    return {
        "arrowsort": lambda: arrowsort.sort(frame, "key", threads=settings.threads),
        "pandas": lambda: frame.sort_values("key"),
        "pyarrow": lambda: pa.Table.from_pandas(frame).sort_by("key").to_pandas(),
        "Polars": lambda: pl.from_pandas(frame).sort("key").to_pandas(),
        "DuckDB": lambda: connection.sql("FROM frame ORDER BY key").df(),
    }


def row_numbers(table: pa.Table) -> dict:
    """Row numbers of a small column."""
    column = table["key"].chunk(0)
    series, numbers = pl.Series(column), column.to_pandas()
    return {
        "arrowsort": lambda: arrowsort.sort_indices(column),
        "pandas": lambda: numbers.argsort(),
        "pyarrow": lambda: pc.sort_indices(column),
        "Polars": lambda: series.arg_sort(),
    }


def files(source: Path, target: Path) -> dict:
    """A Parquet file to a Parquet file."""
    return {
        "arrowsort": lambda: arrowsort.sort_file(source, target, "key", threads=settings.threads),
        "pandas": lambda: pd.read_parquet(source).sort_values("key").to_parquet(target, compression="zstd"),
        "pyarrow": lambda: pq.write_table(pq.read_table(source).sort_by("key"), target, compression="zstd"),
        "Polars": lambda: pl.scan_parquet(source).sort("key").sink_parquet(target, compression="zstd"),
        "DuckDB": lambda: connection.sql(f"FROM '{source}' ORDER BY key").write_parquet(
            str(target), compression="zstd"
        ),
    }


def keys_of(result: object, keys: list[str]) -> pa.Table:
    """The keys of a result, which all engines must have in the same order."""
    if isinstance(result, pd.DataFrame):
        result = pa.Table.from_pandas(result[keys], preserve_index=False)
    elif isinstance(result, pl.DataFrame):
        result = result.to_arrow()
    return pa.table({key: pc.cast(result[key], pa.large_string()) for key in keys}).combine_chunks()


def measure(name: str, ways: dict, keys: list[str], calls: int = 1) -> None:
    """Prints the median seconds of one call of each engine."""
    if keys:
        want = keys_of(ways["arrowsort"](), keys)
        for engine, way in ways.items():
            if not keys_of(way(), keys).equals(want):
                sys.exit(f"{name}: {engine} has another order than arrowsort")
    seconds = {engine: [] for engine in ways}
    for _ in range(settings.runs):
        for engine, way in ways.items():
            start = time.perf_counter()
            for _ in range(calls):
                result = way()
            seconds[engine].append((time.perf_counter() - start) / calls)
            del result
    cells = [f"{statistics.median(seconds[engine]):.3g}" if engine in seconds else "" for engine in ENGINES]
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    versions = {
        "arrowsort": "arrowsort", "pandas": f"pandas {pd.__version__}", "pyarrow": f"pyarrow {pa.__version__}",
        "Polars": f"Polars {pl.__version__}", "DuckDB": f"DuckDB {duckdb.__version__}",
    }  # fmt: skip
    print(f"| seconds | {' | '.join(versions[engine] for engine in ENGINES)} |\n|---|{'---|' * len(ENGINES)}")
    small = row_numbers(table_of(1000))
    measure("row numbers of 1,000 int64", small, [], calls=1000)
    flights = pq.read_table(settings.flights)
    measure(f"{len(flights):,} flights by origin, delay, date", in_arrow(flights, KEYS), KEYS)
    large = table_of(settings.rows)
    measure(f"{settings.rows:,} rows by an int64, 3 columns", in_arrow(large, ["key"]), ["key"])
    measure("the same, pandas in and out", in_pandas(large), ["key"])
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "in.parquet"
        pq.write_table(large, source, compression="zstd")
        measure("the same, Parquet to Parquet", files(source, Path(folder) / "out.parquet"), [])


KEYS = ["origin", "delay", "date"]

if __name__ == "__main__":
    main()
