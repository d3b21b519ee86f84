"""A rival's Parquet file to sorted Parquet file in a fresh process: parquet_sort.py ENGINE IN OUT KEY THREADS

Prints the seconds of the statement alone, without the start of the interpreter and the import of the library.
"""

import sys
import time


def polars(source: str, target: str, key: str, threads: int) -> float:
    import polars as pl  # POLARS_MAX_THREADS is in the environment

    start = time.perf_counter()
    pl.scan_parquet(source).sort(key, nulls_last=True).sink_parquet(target)
    return time.perf_counter() - start


def duckdb(source: str, target: str, key: str, threads: int) -> float:
    import duckdb

    con = duckdb.connect(config={"threads": threads})
    start = time.perf_counter()
    query = f"COPY (FROM '{source}' ORDER BY \"{key}\" NULLS LAST) TO '{target}' (FORMAT parquet, COMPRESSION zstd)"
    con.execute(query)
    return time.perf_counter() - start


if __name__ == "__main__":
    engine, source, target, key, threads = sys.argv[1:]
    print({"polars": polars, "duckdb": duckdb}[engine](source, target, key, int(threads)))
