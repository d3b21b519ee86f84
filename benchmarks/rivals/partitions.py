"""Compares arrowsort sort --partition-by with DuckDB and Polars: benchmarks/rivals/run.sh partitions ARROWSORT FILE KEY
PARTITION [--runs N] [--folder DIR] [--threads N].

Each engine reads a Parquet file, sorts it by PARTITION and KEY, and writes a folder for each value of PARTITION, with
zstd, in a fresh process; the engines take turns. Printed are the median of the seconds of the whole process, its memory
at most, the bytes and number of the files, and whether the rows of each file are in the order of KEY. arrowsort syncs
its files to the disk, which the others do not: with --folder in a file system in memory it is measured without that.
"""

import argparse
import os
import shutil
import statistics
import sys
from pathlib import Path

from runners import Settings, launch

POLARS = """
import sys, polars as pl
source, target, key, part = sys.argv[1:]
pl.scan_parquet(source).sort(part, key, nulls_last=True).sink_parquet(
    pl.PartitionBy(target, key=part, include_key=False), compression="zstd", mkdir=True)
"""
DUCKDB = """
import sys, duckdb
source, target, key, part = sys.argv[1:]
con = duckdb.connect(config={"threads": THREADS})
con.execute("set enable_progress_bar = false")
con.execute(f'copy (from read_parquet(\\'{source}\\') order by "{part}", "{key}" nulls last) to \\'{target}\\' '
            f'(format parquet, compression zstd, partition_by ("{part}"))')
"""


def commands(args: argparse.Namespace, target: str) -> dict[str, list[str]]:
    names = [str(args.file), target, args.key, args.partition]
    sort = [args.arrowsort, "sort", "-q", "--engine", "cpu", "--threads", str(args.threads), "-k", args.key]
    sort += ["--partition-by", args.partition, "--compression", "zstd", "-o", target, str(args.file)]
    return {
        "arrowsort": sort,
        "arrowsort 128MiB": sort + ["--memory", "128MiB"],
        "polars": [sys.executable, "-c", POLARS, *names],
        "duckdb": [sys.executable, "-c", DUCKDB.replace("THREADS", str(args.threads)), *names],
    }


def describe(target: Path, key: str) -> tuple[int, int, str]:
    import pyarrow.parquet as pq

    files = sorted(target.glob("**/*.parquet"))
    ordered = 0
    for path in files:
        keys = pq.read_table(path, columns=[key], partitioning=None)[key].drop_null().combine_chunks()
        ordered += keys.equals(keys.sort())
    return sum(f.stat().st_size for f in files), len(files), "all" if ordered == len(files) else f"{ordered} files"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("arrowsort")
    parser.add_argument("file", type=Path)
    parser.add_argument("key")
    parser.add_argument("partition")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=Path("."))
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    args = parser.parse_args()
    target = args.folder / "partitions-of-rivals"
    seconds: dict[str, list[float]] = {}
    memory: dict[str, int] = {}
    made: dict[str, tuple[int, int, str]] = {}
    for _ in range(args.runs):
        for name, command in commands(args, str(target)).items():
            shutil.rmtree(target, ignore_errors=True)
            os.sync()
            run, _ = launch(command, Settings(args.threads).environment)
            seconds.setdefault(name, []).append(run["seconds"])
            memory[name] = max(memory.get(name, 0), run["peak"])
            made[name] = describe(target, args.key)
    shutil.rmtree(target, ignore_errors=True)
    print("| engine | seconds | memory, MB | MB of files | files | in order |\n|---|---|---|---|---|---|")
    for name, (size, files, order) in made.items():
        middle = statistics.median(seconds[name])
        print(f"| {name} | {middle:.2f} | {memory[name] / 1e6:.0f} | {size / 1e6:.1f} | {files:,} | {order} |")


main()
