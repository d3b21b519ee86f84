"""The Parquet files that are sorted: snappy, as pyarrow writes them otherwise, row groups of 262,144 rows; written once
and kept.
"""

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import data

ROW_GROUP = 262_144
CODEC = "snappy"


def wide(r, n, first):
    columns = {"key": r.integers(-(2**63), 2**63, n, dtype=np.int64)}
    return pa.table(columns | {f"value{i}": r.random(n) for i in range(1, 100)})


def strings(r, n, first):
    return pa.table({name: data.random_strings(r, n, 10, 60, np.uint8) for name in ("key", "name", "text")})


# What makes each file, row group by row group, and its rows at full scale.
MAKERS = {
    "w": (data.w, 10_000_000), "tenw": (data.w, 100_000_000), "wide": (wide, 1_000_000),
    "strings": (strings, 10_000_000), "sorted": (data.is_sorted, 10_000_000),
}  # fmt: skip


def path(folder: Path, name: str, scale: float, flights: Path) -> Path:
    """The file of that name; it is written on first use."""
    if name == "flights":
        file = folder / f"parquet-{flights.stem}-{flights.stat().st_size}-{scale:g}.parquet"
    else:
        make, rows = MAKERS[name]
        rows = max(int(rows * scale), 1000)
        file = folder / f"parquet-{name}-{rows}.parquet"
    if file.exists():
        return file
    part = file.with_suffix(".part")
    if name == "flights":
        table = data.read(data.Store(folder, scale, flights).path("flights"))
        pq.write_table(table, part, compression=CODEC, row_group_size=ROW_GROUP)
    else:
        _write(part, make, rows)
    os.replace(part, file)
    os.sync()  # or the disk would be busy during the runs
    return file


def _write(part: Path, make, rows: int) -> None:
    r = np.random.default_rng(data.SEED)
    starts = range(0, rows, ROW_GROUP)
    group = make(r, min(ROW_GROUP, rows), 0)
    with pq.ParquetWriter(part, group.schema, compression=CODEC) as sink:
        for first in starts:
            if first:
                group = make(r, min(ROW_GROUP, rows - first), first)
            sink.write_table(group)
