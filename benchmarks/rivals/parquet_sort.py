"""A rival's Parquet file to sorted Parquet file in a fresh process: parquet_sort.py ENGINE IN OUT KEYS THREADS CODEC
ROW_GROUP MEMORY

KEYS are separated by commas; nulls go last. ROW_GROUP is the rows of a row group of the output, 0 for the rival's own.
MEMORY is the bytes that the rival is limited to, 0 for no limit. Prints the seconds of the statement alone, without the
start of the interpreter and the import of the library.
"""

import sys
import time
from collections.abc import Iterable
from pathlib import Path


def polars(source: str, target: str, keys: list[str], threads: int, codec: str, row_group: int) -> float:
    import polars as pl  # POLARS_MAX_THREADS is in the environment

    start = time.perf_counter()
    pl.scan_parquet(source).sort(keys, nulls_last=True).sink_parquet(
        target, compression=codec, row_group_size=row_group or None
    )
    return time.perf_counter() - start


def duckdb(
    source: str, target: str, keys: list[str], threads: int, codec: str, row_group: int, memory: int = 0
) -> float:
    import duckdb

    config = {"threads": threads, "temp_directory": target + ".spill"}
    if memory:
        config["memory_limit"] = f"{memory}B"
    con = duckdb.connect(config=config)
    order = ", ".join(f'"{key}" NULLS LAST' for key in keys)
    options = f"FORMAT parquet, COMPRESSION {codec}" + (f", ROW_GROUP_SIZE {row_group}" if row_group else "")
    start = time.perf_counter()
    con.execute(f"COPY (FROM '{source}' ORDER BY {order}) TO '{target}' ({options})")
    return time.perf_counter() - start


def datafusion(source: str, target: str, keys: list[str], threads: int, codec: str, row_group: int) -> float:
    from datafusion import SessionConfig, SessionContext

    ctx = SessionContext(SessionConfig().with_target_partitions(threads))
    order = ", ".join(f'"{key}" ASC NULLS LAST' for key in keys)
    options = f"'format.compression' '{codec}'" + (f", 'format.max_row_group_size' '{row_group}'" if row_group else "")
    start = time.perf_counter()
    ctx.register_parquet("t", source)
    ctx.sql(f"COPY (SELECT * FROM t ORDER BY {order}) TO '{target}' STORED AS PARQUET OPTIONS ({options})").collect()
    return time.perf_counter() - start


def pyarrow(source: str, target: str, keys: list[str], threads: int, codec: str, row_group: int) -> float:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pa.set_cpu_count(threads)
    start = time.perf_counter()
    table = pq.read_table(source).sort_by([(key, "ascending") for key in keys])
    pq.write_table(table, target, compression=codec, row_group_size=row_group or None)
    return time.perf_counter() - start


ENGINES = {"polars": polars, "duckdb": duckdb, "datafusion": datafusion, "pyarrow": pyarrow}


def command(
    engine: str, source: Path, target: Path, keys: Iterable[str], threads: int, codec: str = "zstd", row_group: int = 0,
    memory: int = 0,
) -> list[str]:  # fmt: skip
    """The command line of this script."""
    numbers = [str(threads), codec, str(row_group), str(memory)]
    return [sys.executable, __file__, engine, str(source), str(target), ",".join(keys), *numbers]


def main(engine, source, target, keys, threads, codec, row_group, memory) -> None:
    limit = {"memory": int(memory)} if int(memory) else {}
    print(ENGINES[engine](source, target, keys.split(","), int(threads), codec, int(row_group), **limit))


if __name__ == "__main__":
    main(*sys.argv[1:])
