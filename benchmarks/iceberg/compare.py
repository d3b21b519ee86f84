"""Rewrites the same table by arrowsort-iceberg and by pyiceberg: reads all rows, sorts them and replaces the files.

Each runs in a separate process, on a fresh copy of the table. The peak is that of the process, in MiB; the size is that
of the data files before and of those that are new.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.catalog.sql import SqlCatalog

ORIGINS = pa.array(["ATL", "BOS", "DEN", "JFK", "LAX", "ORD", "SEA", "SFO"])


def catalog(folder):
    return SqlCatalog("demo", uri="sqlite:///%s/catalog.db" % folder, warehouse="file://%s/warehouse" % folder)


def integers(count, seed, limit):
    return pc.floor(pc.multiply(pc.random(count, initializer=seed), float(limit))).cast(pa.int32())


def make(folder, rows, files):
    """A table of flights, every file of which has all origins and dates."""
    cat = catalog(folder)
    cat.create_namespace("demo")
    table = None
    for i in range(files):
        count = rows // files + (i < rows % files)
        batch = pa.table({
            "id": pc.cumulative_sum(pa.repeat(1, count), start=i * (rows // files + 1)),
            "origin": ORIGINS.take(integers(count, 4 * i, len(ORIGINS))),
            "date": integers(count, 4 * i + 1, 5000).cast(pa.date32()),
            "delay": integers(count, 4 * i + 2, 330),
            "distance": pc.multiply(pc.random(count, initializer=4 * i + 3), 5000.0),
        })
        if table is None:
            table = cat.create_table("demo.flights", batch.schema)
        table.append(batch)


def sort_by_pyiceberg(folder):
    table = catalog(folder).load_table("demo.flights")
    rows = table.scan().to_arrow()
    table.overwrite(rows.sort_by([("origin", "ascending"), ("date", "descending")]))


def measured(command):
    """The seconds and the peak memory in MiB of a command."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit("%s: exit status %d" % (command[0], os.waitstatus_to_exitcode(status)))
    return time.monotonic() - begin, usage.ru_maxrss / 1024


def data_files(folder):
    """The bytes of each data file of a table."""
    return {path.name: path.stat().st_size for path in folder.rglob("*.parquet")}


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--command", required=True, help="the program arrowsort-iceberg")
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--files", type=int, default=10)
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--memory", default="1GiB", help="of arrowsort-iceberg")
    options.add_argument("--folder", help="where the tables are made, about 100 bytes a row")
    options.add_argument("--pyiceberg", metavar="FOLDER", help=argparse.SUPPRESS)
    args = options.parse_args()
    if args.pyiceberg:
        sort_by_pyiceberg(args.pyiceberg)
        return
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        table = pathlib.Path(folder, "table")
        ways = {
            "arrowsort-iceberg": [args.command, "rewrite", "--catalog", "sqlite:%s/catalog.db" % table, "--sort",
                                  "origin nulls last, date desc", "--memory", args.memory, "--spill-dir", folder,
                                  "demo.flights"],
            "pyiceberg": [sys.executable, "-B", __file__, "--command", args.command, "--pyiceberg", str(table)],
        }
        table.mkdir()
        make(table, args.rows, args.files)
        kept = pathlib.Path(folder, "kept")
        shutil.copytree(table, kept)
        for run in range(args.runs):
            for name, command in ways.items():
                shutil.rmtree(table)
                shutil.copytree(kept, table)
                before = data_files(table)
                seconds, peak = measured(command)
                written = sum(size for path, size in data_files(table).items() if path not in before)
                print("run %d, %d rows, %s: %.2f s, %.0f MiB; files of %.1f MB, now %.1f MB" % (
                    run + 1, args.rows, name, seconds, peak, sum(before.values()) / 1e6, written / 1e6), flush=True)


if __name__ == "__main__":
    main()
