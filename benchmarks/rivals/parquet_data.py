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
LETTERS = np.frombuffer(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", np.uint8)


def w(r, first, n):
    key = r.integers(-(2**63), 2**63, n, dtype=np.int64)
    return pa.table({"key": key, "row": np.arange(first, first + n), "value": r.standard_normal(n)})


def is_sorted(r, first, n):
    row = np.arange(first, first + n)
    return pa.table({"key": row // 3 * 1000, "row": row, "value": r.standard_normal(n)})


def wide(r, first, n):
    columns = {"key": r.integers(-(2**63), 2**63, n, dtype=np.int64)}
    return pa.table(columns | {f"value{i}": r.random(n) for i in range(1, 100)})


def strings(r, first, n):
    return pa.table({name: _text(r, n) for name in ("key", "name", "text")})


def _text(r, n):
    """Strings of 10 to 60 letters and digits."""
    offsets = np.concatenate(([0], np.cumsum(r.integers(10, 61, n)))).astype(np.int32)
    text = LETTERS[r.integers(0, len(LETTERS), offsets[-1], dtype=np.uint8)]
    return pa.StringArray.from_buffers(n, pa.py_buffer(offsets), pa.py_buffer(text))


# What makes each file, row group by row group, and its rows at full scale.
MAKERS = {
    "w": (w, 10_000_000), "tenw": (w, 100_000_000), "wide": (wide, 1_000_000), "strings": (strings, 10_000_000),
    "sorted": (is_sorted, 10_000_000),
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
    group = make(r, 0, min(ROW_GROUP, rows))
    with pq.ParquetWriter(part, group.schema, compression=CODEC) as sink:
        for first in starts:
            if first:
                group = make(r, first, min(ROW_GROUP, rows - first))
            sink.write_table(group)
