"""Tables that people lay out for their readers: a web log and taxi rides. Written once and kept."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

SEED = 11
START = 1_780_272_000_000_000  # 2026-06-01, microseconds
MONTH = 30 * 86_400_000_000
PART = 1 << 20


def _web_log(r, first: int, n: int, rows: int) -> pa.Table:
    """Timestamps with jitter, users and hosts by Zipf's law, status and bytes."""
    hosts = [f"https://www.{name}-{i}.example/" for i in range(400) for name in ("shop", "news", "maps")]
    ts = START + np.arange(first, first + n) * (MONTH // rows) + r.integers(-(10**7), 10**7, n)
    host = np.minimum(r.zipf(1.3, n) - 1, len(hosts) - 1)
    paths = r.integers(0, 50_000, n)
    return pa.table({
        "ts": pa.array(ts, pa.timestamp("us")),
        "user": np.minimum(r.zipf(1.2, n), 5_000_000) * 2654435761 % 2**31,
        "url": pa.array([f"{hosts[h]}{p:x}" for h, p in zip(host, paths, strict=True)]),
        "status": r.choice(np.array([200, 304, 404, 500], np.int32), n, p=[0.85, 0.1, 0.045, 0.005]),
        "bytes": r.lognormal(8, 2, n).astype(np.int64),
    })  # fmt: skip


def _taxi(r, first: int, n: int, rows: int) -> pa.Table:
    """Rides by their start, a few minutes out of order: two timestamps, two positions about eight centers, fares."""
    pickup = START + np.arange(first, first + n) * (MONTH // rows) + r.integers(0, 6 * 10**8, n)
    seconds = np.maximum(60, r.lognormal(6.5, 0.6, n)).astype(np.int64)
    lon, lat = _places(r, n)
    away = r.lognormal(0.7, 0.7, n) / 100
    angle = r.uniform(0, 2 * np.pi, n)
    miles = np.round(away * 60, 2)
    return pa.table({
        "pickup": pa.array(pickup, pa.timestamp("us")),
        "dropoff": pa.array(pickup + seconds * 1_000_000, pa.timestamp("us")),
        "pickup_lon": lon,
        "pickup_lat": lat,
        "dropoff_lon": np.round(lon + away * np.cos(angle), 5),
        "dropoff_lat": np.round(lat + away * np.sin(angle), 5),
        "passengers": r.choice(np.arange(1, 7, dtype=np.int8), n, p=[0.7, 0.15, 0.05, 0.04, 0.04, 0.02]),
        "miles": miles,
        "fare": np.round(3 + 2.5 * miles + seconds / 120, 2),
    })  # fmt: skip


def _places(r, n: int) -> tuple[np.ndarray, np.ndarray]:
    centers = np.array([(-73.98, 40.75), (-73.99, 40.73), (-73.96, 40.78), (-73.87, 40.77), (-73.79, 40.64),
                        (-73.95, 40.68), (-73.92, 40.83), (-74.0, 40.71)])  # fmt: skip
    center = centers[r.choice(8, n, p=[0.3, 0.2, 0.2, 0.08, 0.07, 0.06, 0.03, 0.06])]
    return np.round(center[:, 0] + r.normal(0, 0.012, n), 5), np.round(center[:, 1] + r.normal(0, 0.012, n), 5)


MAKERS = {"weblog": _web_log, "taxi": _taxi}


def path(folder: Path, name: str, rows: int, row_group: int) -> Path:
    """The file of a table, in the order in which its rows came; it is written on first use."""
    file = folder / f"layout-{name}-{rows}.parquet"
    if file.exists():
        return file
    folder.mkdir(parents=True, exist_ok=True)
    r, part, sink = np.random.default_rng(SEED), file.with_suffix(".part"), None
    for first in range(0, rows, PART):
        table = MAKERS[name](r, first, min(PART, rows - first), rows)
        sink = sink or pq.ParquetWriter(part, table.schema, compression="zstd")
        sink.write_table(table, row_group_size=row_group)
    sink.close()
    part.rename(file)
    return file
