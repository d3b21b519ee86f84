#!/usr/bin/env python3
"""Times `arrowsort sort` on Parquet files, by the CPU engine and by the GPU, in turns: what --engine auto weighs.

    benchmarks/devices/command.py build/arrowsort-gpu --rows 10,30,100 --threads 2,16 --columns 2,10

A file has an int64 key of random numbers and some more columns of random 8-byte numbers, without compression. Times
are medians of whole processes, in seconds: from start to exit, what the process reports of its phases, the rest, and
how long the device has sorted. Each last output is read to see whether its keys are in order. Needs pyarrow and numpy,
and twice the largest file in --folder.
"""
import argparse
import json
import os
import statistics
import subprocess
import time

import numpy
import pyarrow
import pyarrow.parquet


def numbers(text):
    return [int(part) for part in text.split(",")]


def make(path, rows, columns):
    random = numpy.random.default_rng(rows)
    data = {"key": random.integers(-(2**63), 2**63 - 1, rows)}
    for i in range(columns):
        data[f"c{i}"] = random.random(rows) if i % 2 else numpy.arange(rows)
    pyarrow.parquet.write_table(pyarrow.table(data), path, compression="none", use_dictionary=False)


def run(program, source, target, engine, threads):
    start = time.perf_counter()
    done = subprocess.run(
        [program, "sort", "-k", "key", "-o", target, "--engine", engine, "--threads", str(threads), "--json", source],
        capture_output=True, text=True)
    wall = time.perf_counter() - start
    if done.returncode:
        raise SystemExit(done.stderr)
    report = json.loads(done.stdout)
    inside = [report[f"{phase}_seconds"] for phase in ("read", "sort", "write")]
    device = sum(sum(gpu["seconds"].values()) for gpu in report.get("gpus", []))
    return [wall, *inside, wall - sum(inside), device], report["engine"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--rows", type=numbers, default=[10, 30, 100], help="millions")
    parser.add_argument("--threads", type=numbers, default=[2, 16])
    parser.add_argument("--columns", type=numbers, default=[2])
    parser.add_argument("--engines", default="cpu,gpu")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", default="/dev/shm")
    args = parser.parse_args()
    source, target = os.path.join(args.folder, "in.parquet"), os.path.join(args.folder, "out.parquet")
    print(f"{'program':28} {'Mrows':>6} {'columns':>7} {'threads':>7} {'engine':28}"
          f" {'wall':>7} {'read':>7} {'sort':>7} {'write':>7} {'rest':>7} {'device':>7}")
    for columns in args.columns:
        for rows in args.rows:
            make(source, rows * 1_000_000, columns)
            for threads in args.threads:
                cases = [(p, e) for p in args.programs for e in args.engines.split(",")]
                times, used, keys = {c: [] for c in cases}, {}, None
                for _ in range(args.runs):
                    for case in cases:
                        seconds, used[case] = run(case[0], source, target, case[1], threads)
                        times[case].append(seconds)
                for case in cases:
                    middle = [statistics.median(column) for column in zip(*times[case])]
                    print(f"{case[0]:28} {rows:6} {columns:7} {threads:7} {case[1] + ': ' + used[case]:28}"
                          + "".join(f" {seconds:7.3f}" for seconds in middle), flush=True)
                keys = pyarrow.parquet.read_table(target, columns=["key"])["key"].to_numpy()
                assert len(keys) == rows * 1_000_000 and (keys[1:] >= keys[:-1]).all(), "not sorted"
    for path in (source, target):
        os.remove(path)


if __name__ == "__main__":
    main()
