"""Polars beside arrowsort at what is around a sort: rank, search_sorted, row numbers, first rows of groups, and 8
sorted runs as one.

    benchmarks/.venv/bin/python benchmarks/rivals/around.py [--repeats N] [--no-build]

Both have the table W of the other comparisons, a random int64 and two more columns: arrowsort by the Go benchmarks,
Polars here, in turns. Prints the fastest seconds of each. run.sh makes the virtual environment.
"""

import argparse
import os
import re
import subprocess
import time
from pathlib import Path

os.environ.setdefault("POLARS_MAX_THREADS", str(len(os.sched_getaffinity(0))))

import numpy as np
import polars as pl

import data

# The Go benchmark of each job; of W that is 10 million rows.
JOBS = {
    "row numbers": "BenchmarkSortIndicesW",
    "rank, min": "BenchmarkRankMin",
    "rank, dense": "BenchmarkRankDense",
    "rank, average": "BenchmarkRankAverage",
    "rank of sorted rows, min": "BenchmarkRankSorted",
    "3 of each of 1,000 groups": "BenchmarkSelectKPerGroup",
    "groups": "BenchmarkGroups/.*/type=int64/rows=10000000/dist=uniform/nulls=0",
    "search, random values": "BenchmarkSearchSorted/.*/type=int64/rows=10000000/dist=uniform/nulls=0/values=random",
    "search, sorted values": "BenchmarkSearchSorted/.*/type=int64/rows=10000000/dist=uniform/nulls=0/values=sorted",
    "merge of 8 runs": "BenchmarkMerge/engine=cpu/type=int64/rows=10000000/dist=uniform/nulls=0",
    "copy of 8 runs": "BenchmarkMerge/engine=copy/type=int64/rows=10000000/dist=uniform/nulls=0",
}


def polars_calls(rows=10_000_000):
    """What Polars does for a job; groups and copies are not compared."""
    frame = pl.from_arrow(data.w(np.random.default_rng(1), rows))
    key = frame.columns[0]
    random, in_order = frame[key], frame[key].sort()
    runs = [frame.slice(rows * i // 8, rows * (i + 1) // 8 - rows * i // 8).sort(key) for i in range(8)]
    values = {"group": np.random.default_rng(2).integers(0, 1000, rows), "value": random}
    grouped = pl.DataFrame(values).with_row_index("row")
    return {
        "row numbers": lambda: random.arg_sort(),
        "rank, min": lambda: random.rank("min"),
        "rank, dense": lambda: random.rank("dense"),
        "rank, average": lambda: random.rank("average"),
        "rank of sorted rows, min": lambda: in_order.rank("min"),
        "3 of each of 1,000 groups": lambda: grouped.group_by("group").agg(pl.col("row").bottom_k_by("value", 3)),
        "search, random values": lambda: in_order.search_sorted(random),
        "search, sorted values": lambda: in_order.search_sorted(in_order),
        "merge of 8 runs": lambda: pl.concat(runs).sort(key),
    }


def arrowsort_seconds(program, pattern):
    """The seconds of a Go benchmark, the fastest of those that match."""
    parts = "/".join(f"^{part}$" for part in pattern.split("/"))
    out = subprocess.run([program, "-test.run", "^$", "-test.bench", parts, "-test.benchtime", "1x"],
                         check=True, capture_output=True, text=True).stdout
    found = [float(ns) / 1e9 for ns in re.findall(r"\s([\d.]+) ns/op", out)]
    if not found:
        raise SystemExit(f"no benchmark matches {pattern}:\n{out}")
    return min(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--no-build", action="store_true", help="build/around.test is there already")
    args = parser.parse_args()
    root = Path(__file__).resolve().parents[2]
    program = root / "build" / "around.test"
    if not args.no_build:
        subprocess.run(["go", "test", "-c", "-o", program, "./benchmarks"], cwd=root, check=True)
    calls = polars_calls()
    print(f"{'seconds':26}{'arrowsort':>10}{'Polars ' + pl.__version__:>16}{'times':>8}", flush=True)
    for job, pattern in JOBS.items():
        ours, theirs = [], []
        for _ in range(args.repeats):
            ours.append(arrowsort_seconds(program, pattern))
            if job in calls:
                start = time.perf_counter()
                calls[job]()
                theirs.append(time.perf_counter() - start)
        line = f"{job:26}{min(ours):10.3f}"
        if theirs:
            line += f"{min(theirs):16.3f}{min(theirs) / min(ours):8.1f}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
