"""Compares arrowsort --curve with z_order of Delta Lake on one web log: time, memory, and the bytes that filters read.

    python3 curve_compare.py --folder FOLDER --arrowsort PROGRAM [--rows N] [--keys user,ts] [--runs N]

Needs deltalake==1.6.6 beside requirements.txt. Files have the same codec and rows of a row group. The filters are
points and ranges on each key alone and on pairs of keys; DataFusion reports the bytes that it reads for them.
"""

import argparse
import datetime
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import machine

SEED = 11
ROW_GROUP = 131_072
START = 1_780_272_000_000_000  # 2026-06-01, microseconds
HERE = Path(__file__).resolve().parent


def web_log(rows: int, path: Path) -> None:
    """Timestamps with jitter, users and hosts by Zipf's law, status and bytes."""
    if path.exists():
        return
    r = np.random.default_rng(SEED)
    hosts = [f"https://www.{name}-{i}.example/" for i in range(400) for name in ("shop", "news", "maps")]
    sink = None
    part = path.with_suffix(".part")
    for first in range(0, rows, 1 << 20):
        n = min(1 << 20, rows - first)
        ts = START + np.arange(first, first + n) * (30 * 86_400_000_000 // rows) + r.integers(-10**7, 10**7, n)
        host = np.minimum(r.zipf(1.3, n) - 1, len(hosts) - 1)
        user = np.minimum(r.zipf(1.2, n), 5_000_000) * 2654435761 % 2**31
        paths = r.integers(0, 50_000, n)
        table = pa.table({
            "ts": pa.array(ts, pa.timestamp("us")),
            "user": pa.array(user, pa.int64()),
            "url": pa.array([f"{hosts[h]}{p:x}" for h, p in zip(host, paths, strict=True)]),
            "status": pa.array(r.choice([200, 304, 404, 500], n, p=[0.85, 0.1, 0.045, 0.005]), pa.int32()),
            "bytes": pa.array(r.lognormal(8, 2, n).astype(np.int64)),
        })  # fmt: skip
        sink = sink or pq.ParquetWriter(part, table.schema, compression="zstd")
        sink.write_table(table, row_group_size=ROW_GROUP)
    sink.close()
    part.rename(path)


def measured(*command: str) -> dict:
    """Seconds and peak resident bytes of a command."""
    run = subprocess.run([sys.executable, str(HERE / "launch.py"), *command], capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(f"{command}: {run.stderr}{run.stdout}")
    return json.loads(run.stdout.splitlines()[-1])


DELTA = """
import sys
from deltalake import DeltaTable, WriterProperties
DeltaTable(sys.argv[1]).optimize.z_order(sys.argv[2].split(","),
    writer_properties=WriterProperties(compression="ZSTD", max_row_group_size=int(sys.argv[3])))
"""


def delta_table(source: Path, folder: Path) -> None:
    """A Delta table of the log, which z_order rewrites."""
    from deltalake import WriterProperties, write_deltalake

    shutil.rmtree(folder, ignore_errors=True)
    batches = pq.ParquetFile(source)
    reader = pa.RecordBatchReader.from_batches(batches.schema_arrow, batches.iter_batches(ROW_GROUP))
    properties = WriterProperties(compression="ZSTD", max_row_group_size=ROW_GROUP)
    write_deltalake(str(folder), reader, writer_properties=properties)


def run_delta(args, source: Path) -> tuple[dict, list[str]]:
    """Rewrites the table along the curve. The folder keeps the files of before, so that those of now are linked."""
    from deltalake import DeltaTable

    folder, kept = args.folder / "delta", args.folder / "delta-zorder"
    delta_table(source, folder)
    run = measured(sys.executable, "-c", DELTA, str(folder), args.keys, str(ROW_GROUP))
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir()
    for i, uri in enumerate(DeltaTable(str(folder)).file_uris()):
        os.link(uri.removeprefix("file://"), kept / f"{i}.parquet")
    return run, [str(file) for file in kept.iterdir()]


def run_arrowsort(args, source: Path, way: str) -> tuple[dict, list[str]]:
    """Sorts the log, along a curve unless the way is linear."""
    out = args.folder / f"{way}.parquet"
    out.unlink(missing_ok=True)
    command = [args.arrowsort, "sort", "-q", "--compression", "zstd", "--row-group-rows", str(ROW_GROUP)]
    command += ["-o", str(out)] + (["--memory", args.memory] if args.memory else [])
    command += ["--curve", way] if way != "linear" else []
    for key in args.keys.split(","):
        command += ["-k", key]
    return measured(*command, str(source)), [str(out)]


def filters(table: pa.Table, keys: list[str], n: int) -> list[str]:
    """Points and ranges of 0.1 % to 10 % of the rows on each key, and ranges on two keys at once."""
    r = np.random.default_rng(SEED)
    ordered = {key: table[key].take(pc.sort_indices(table[key])) for key in keys}
    return [_filter(r, table, ordered, keys) for _ in range(n)]


def _filter(r, table, ordered, keys) -> str:
    key = keys[r.integers(len(keys))]
    kind = r.integers(3)
    if kind == 0:
        return f"{key} = {_literal(table[key][int(r.integers(len(table)))])}"
    if kind == 1 or len(keys) == 1:
        return _range(r, ordered, key, 10 ** r.uniform(-3, -1))
    other = keys[(keys.index(key) + 1 + r.integers(len(keys) - 1)) % len(keys)]
    return _range(r, ordered, key, 0.1) + " AND " + _range(r, ordered, other, 0.1)


def _range(r, ordered, key, share) -> str:
    values = ordered[key]
    first = int(r.integers(int(len(values) * (1 - share))))
    last = first + int(len(values) * share)
    return f"{key} BETWEEN {_literal(values[first])} AND {_literal(values[last])}"


def _literal(value) -> str:
    value = value.as_py()
    if isinstance(value, datetime.datetime):
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)


def bytes_read(files: list[str], conditions: list[str]) -> list[int]:
    """What DataFusion reads for each condition."""
    import datafusion

    context = datafusion.SessionContext(datafusion.SessionConfig().with_target_partitions(2))
    context.register_parquet("log", files[0] if len(files) == 1 else str(Path(files[0]).parent))
    sizes = []
    for condition in conditions:
        plan = context.sql(f"EXPLAIN ANALYZE SELECT count(*), sum(bytes) FROM log WHERE {condition}").to_pydict()
        text = " ".join(plan["plan"])
        found = re.findall(r"bytes_scanned=([\d.]+) ?([KMG]?)", text)
        sizes.append(int(sum(float(n) * {"": 1, "K": 1e3, "M": 1e6, "G": 1e9}[unit] for n, unit in found)))
    return sizes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--arrowsort", required=True)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--keys", default="user,ts")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--filters", type=int, default=200)
    parser.add_argument("--memory", default="")
    parser.add_argument("--only", default="linear,zorder,hilbert,delta")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    keys, source = args.keys.split(","), args.folder / f"log-{args.rows}.parquet"
    web_log(args.rows, source)
    table = pq.read_table(source, columns=keys)
    conditions = filters(table, keys, args.filters)
    results = {"source": {"size": source.stat().st_size, "read": bytes_read([str(source)], conditions)}}
    del table
    runs, files = {way: [] for way in args.only.split(",")}, {}
    for _ in range(args.runs):
        for way in runs:
            run = run_delta(args, source) if way == "delta" else run_arrowsort(args, source, way)
            runs[way].append(run[0])
            files[way] = run[1]
    for way, of_way in runs.items():
        results[way] = {name: statistics.median(r[name] for r in of_way) for name in ("seconds", "cpu", "peak")}
        results[way] |= {
            "runs": [r["seconds"] for r in of_way], "size": sum(Path(f).stat().st_size for f in files[way]),
            "read": bytes_read(files[way], conditions),
        }  # fmt: skip
    print(json.dumps({"machine": machine.describe(), "rows": args.rows, "keys": keys, "results": results}), flush=True)
    print(f"{'':8} {'seconds':>8} {'cpu s':>8} {'peak MB':>8} {'size MB':>8} {'read MB, mean':>14}", file=sys.stderr)
    for way, r in results.items():
        figures = f"{r.get('seconds', 0):8.2f} {r.get('cpu', 0):8.2f} {r.get('peak', 0) / 1e6:8.0f}"
        read = statistics.mean(r["read"]) / 1e6
        print(f"{way:8} {figures} {r['size'] / 1e6:8.1f} {read:14.2f}", file=sys.stderr)


if __name__ == "__main__":
    main()
