"""Filters on points and ranges of all columns of a file, and what they cost in files of several layouts."""

import datetime
import json
import re
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

THREADS = 2


class Filter(NamedTuple):
    """Rows whose value of a column is low to high, both included, and that are of another filter, if there is one."""

    column: str
    low: object
    high: object
    other: "Filter | None" = None

    def sql(self) -> str:
        text = f'"{self.column}" BETWEEN {_literal(self.low)} AND {_literal(self.high)}'
        if self.low == self.high:
            text = f'"{self.column}" = {_literal(self.low)}'
        return f"{text} AND {self.other.sql()}" if self.other else text


def _literal(value) -> str:
    if isinstance(value, datetime.datetime):
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)


def column_filters(table: pa.Table, count: int, seed: int = 17) -> list[Filter]:
    """Every column in turn: the value of a row, or a range of 0.1 % to 10 % of the rows."""
    r, ordered = np.random.default_rng(seed), _ordered(table)
    names = [table.column_names[i % table.num_columns] for i in range(count)]
    return [
        _range(r, ordered, name, 0 if i // table.num_columns % 2 == 0 else 10 ** r.uniform(-3, -1))
        for i, name in enumerate(names)
    ]


def key_filters(table: pa.Table, keys: list[str], count: int, seed: int = 19) -> list[Filter]:
    """Every key in turn: the value of a row, a range of 0.1 % to 10 %, or ranges of 10 % of it and of the next key."""
    r, ordered, found = np.random.default_rng(seed), _ordered(table.select(keys)), []
    for i in range(count):
        key, following = keys[i % len(keys)], keys[(i + 1) % len(keys)]
        kind = i // len(keys) % 3
        if kind == 2:
            found.append(_range(r, ordered, key, 0.1)._replace(other=_range(r, ordered, following, 0.1)))
        else:
            found.append(_range(r, ordered, key, 10 ** r.uniform(-3, -1) if kind else 0))
    return found


def _ordered(table: pa.Table) -> dict:
    return {name: table[name].drop_null().sort() for name in table.column_names}


def _range(r, ordered: dict, name: str, share: float) -> Filter:
    """A share of the rows; 0 is the value of one of them."""
    values = ordered[name]
    rows = int(len(values) * share)
    first = int(r.integers(len(values) - rows))
    return Filter(name, values[first].as_py(), values[first + rows].as_py())


def matches(table: pa.Table, f: Filter) -> int:
    """The rows of a filter, by Arrow C++: what every engine has to find."""
    found, part = True, f
    while part:
        column = table[part.column]
        low, high = pa.scalar(part.low, column.type), pa.scalar(part.high, column.type)
        found = pc.and_(found, pc.and_(pc.greater_equal(column, low), pc.less_equal(column, high)))
        part = part.other
    return pc.sum(found).as_py() or 0


def _query(columns: list[str], source: str, f: Filter) -> str:
    """All columns of the rows that match are read."""
    return f'SELECT count(*), {", ".join(f"max({chr(34)}{c}{chr(34)})" for c in columns)} FROM {source} WHERE {f.sql()}'


def datafusion_bytes(files: list[str], columns: list[str], workload: list[Filter]) -> list[int]:
    """The bytes that DataFusion scans for each filter, with the page index and filters in the scan."""
    import datafusion

    config = datafusion.SessionConfig({"datafusion.execution.parquet.pushdown_filters": "true"})
    context = datafusion.SessionContext(config.with_target_partitions(THREADS))
    context.register_parquet("log", files[0] if len(files) == 1 else str(Path(files[0]).parent))
    sizes = []
    for f in workload:
        plan = context.sql("EXPLAIN ANALYZE " + _query(columns, "log", f)).to_pydict()
        found = re.findall(r"bytes_scanned=([\d.]+) ?([KMG]?)", " ".join(plan["plan"]))
        sizes.append(int(sum(float(n) * {"": 1, "K": 1e3, "M": 1e6, "G": 1e9}[unit] for n, unit in found)))
    return sizes


class DuckDB:
    """Filters in DuckDB, which reads each time what it needs from the files."""

    def __init__(self, files: list[str], columns: list[str]):
        import duckdb

        self.source, self.columns = f"read_parquet({files})", columns
        self.connection = duckdb.connect()
        self.connection.execute(f"SET enable_external_file_cache=false; SET threads={THREADS}; SET TimeZone='UTC'")

    def run(self, f: Filter) -> int:
        return self.connection.execute(_query(self.columns, self.source, f)).fetchall()[0][0]

    def bytes(self, workload: list[Filter], profile: Path) -> list[int]:
        for setting in ("enable_profiling='json'", f"profiling_output='{profile}'"):
            self.connection.execute("SET " + setting)
        sizes = []
        for f in workload:
            self.run(f)
            sizes.append(json.loads(profile.read_text())["io"]["total_bytes_read"])
        self.connection.execute("PRAGMA disable_profiling")
        return sizes


class Polars:
    """Filters in Polars' streaming engine."""

    def __init__(self, files: list[str], columns: list[str]):
        import polars as pl

        self.pl, self.frame, self.columns = pl, pl.scan_parquet(files), columns

    def run(self, f: Filter) -> int:
        pl, conditions = self.pl, []
        while f:
            column, low, high = pl.col(f.column), pl.lit(f.low), pl.lit(f.high)
            conditions.append(column == low if f.low == f.high else column.is_between(low, high))
            f = f.other
        found = self.frame.filter(*conditions).select(pl.len(), pl.col(self.columns).max()).collect(engine="streaming")
        return found["len"][0]


def seconds(engine, workload: list[Filter], repeats: int) -> dict[str, list[float]]:
    """The fastest time of each filter, and its least time of processors, which a busy machine changes less."""
    timed = [[_timed(engine, f) for _ in range(repeats)] for f in workload]
    return {
        "seconds": [min(seconds for seconds, _ in runs) for runs in timed],
        "cpu": [min(cpu for _, cpu in runs) for runs in timed],
    }


def _timed(engine, f: Filter) -> tuple[float, float]:
    start, cpu = time.perf_counter(), time.process_time()
    engine.run(f)
    return time.perf_counter() - start, time.process_time() - cpu
