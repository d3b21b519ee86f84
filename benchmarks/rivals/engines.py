"""The rivals: each function loads nothing but its own library and returns its ways to do a job on a table in memory.

A way is a name and a function without arguments that returns a result; `to_arrow` turns a result into an Arrow table.
All of them put nulls last, as arrowsort does, and results are as fresh as the library makes them.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc


class Engine(NamedTuple):
    ways: dict[str, Callable[[], Any]]
    to_arrow: Callable[[Any], pa.Table]


def polars(table: pa.Table, keys: list[str], mode: str, threads: int) -> Engine:
    import polars as pl  # POLARS_MAX_THREADS is in the environment

    assert pl.thread_pool_size() == threads
    frame = pl.from_arrow(table, rechunk=True)
    if mode == "argsort":
        key = frame[keys[0]]
        return Engine({"arg_sort": lambda: key.arg_sort(nulls_last=True)}, lambda s: pa.table({"index": s.to_arrow()}))
    return Engine(
        {
            "sort": lambda: frame.sort(keys, nulls_last=True),
            "stable": lambda: frame.sort(keys, nulls_last=True, maintain_order=True),
        },
        lambda result: result.to_arrow(),
    )


def duckdb(table: pa.Table, keys: list[str], mode: str, threads: int) -> Engine:
    import duckdb

    con = duckdb.connect(config={"threads": threads})
    con.register("arrow_table", table)
    con.execute("CREATE TABLE own_table AS FROM arrow_table")
    by = ' COLLATE "de"' if mode == "collate" else ""
    order = "ORDER BY " + ", ".join(f'"{key}"{by} NULLS LAST' for key in keys)

    def way(query):
        return lambda: con.sql(f"{query} {order}").to_arrow_table()

    if mode == "argsort":
        return Engine({"table": way("SELECT rowid FROM own_table")}, lambda result: result)
    return Engine({"table": way("FROM own_table"), "arrow": way("FROM arrow_table")}, lambda result: result)


def datafusion(table: pa.Table, keys: list[str], mode: str, threads: int) -> Engine:
    from datafusion import SessionConfig, SessionContext

    # Partitions of batches of DataFusion's size, as its memory tables are made.
    batches = table.to_batches(max_chunksize=8192)
    partitions = [batches[i * len(batches) // threads : (i + 1) * len(batches) // threads] for i in range(threads)]
    ctx = SessionContext(SessionConfig().with_target_partitions(threads))
    ctx.register_record_batches("t", partitions)
    order = ", ".join(f'"{key}" ASC NULLS LAST' for key in keys)
    return Engine({"sort": lambda: ctx.sql(f"SELECT * FROM t ORDER BY {order}").collect()}, pa.Table.from_batches)


def pyarrow(table: pa.Table, keys: list[str], mode: str, threads: int) -> Engine:
    pa.set_cpu_count(threads)
    order = [(key, "ascending") for key in keys]
    if mode == "argsort":
        return Engine(
            {"sort_indices": lambda: pc.sort_indices(table, sort_keys=order)}, lambda a: pa.table({"index": a})
        )
    return Engine({"sort_by": lambda: table.sort_by(order)}, lambda result: result)


ENGINES = {"polars": polars, "duckdb": duckdb, "datafusion": datafusion, "pyarrow": pyarrow}
