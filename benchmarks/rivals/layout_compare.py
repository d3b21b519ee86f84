"""Compares the files that engines write in an order: their size, the time to write them, and what filters on all
columns read and take, in DataFusion, DuckDB and Polars.

    benchmarks/.venv/bin/python benchmarks/rivals/layout_compare.py [--tables flights,weblog,taxi] [--rows N] ...

All files have codec zstd and row groups of as many rows. Delta Lake's z_order takes part if deltalake is installed.
Every filter has to find as many rows in each file as Arrow C++ finds in the table.
"""

import argparse
import importlib.util
import json
import shutil
import statistics
import sys
from pathlib import Path

import pyarrow.parquet as pq

import filter_workload as workload
import layout_data
import machine
from runners import BIN, HERE, Failed, build, launch

ROOT = HERE.parents[1]
ROW_GROUP = 122_880  # a multiple of the rows of DuckDB's vectors

# The columns by which a table is laid out, in linear orders the most significant first.
KEYS = {
    "flights": ["origin", "date"],
    "weblog": ["user", "ts"],
    "taxi": ["pickup_lon", "pickup_lat", "pickup"],
}

# What writes a layout: source, target, keys, rows of a row group.
WRITERS = {
    "polars": """
import sys, polars as pl
source, target, keys, rows = sys.argv[1:]
pl.scan_parquet(source).sort(keys.split(","), maintain_order=True, nulls_last=True).sink_parquet(
    target, compression="zstd", row_group_size=int(rows), statistics="full")
""",
    "duckdb": """
import sys, duckdb
source, target, keys, rows = sys.argv[1:]
order = ", ".join(f'"{k}"' for k in keys.split(","))
duckdb.connect().execute(f"SET threads=2; COPY (SELECT * FROM read_parquet('{source}') ORDER BY {order}) TO '{target}' "
                         f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {rows})")
""",
    "delta z-order": """
import sys
from deltalake import DeltaTable, WriterProperties
source, target, keys, rows = sys.argv[1:]
DeltaTable(target).optimize.z_order(keys.split(","),
    writer_properties=WriterProperties(compression="ZSTD", max_row_group_size=int(rows)))
""",
}
LAYOUTS = ["polars", "duckdb", "delta z-order", "arrowsort", "arrowsort zorder", "arrowsort hilbert"]


def source_of(args, name: str) -> Path:
    if name != "flights":
        return layout_data.path(args.folder, name, args.rows, ROW_GROUP)
    file = args.folder / "layout-flights.parquet"
    if not file.exists():
        args.folder.mkdir(parents=True, exist_ok=True)
        pq.write_table(pq.read_table(args.flights), file, compression="zstd", row_group_size=ROW_GROUP)
    return file


def write(args, layout: str, source: Path, target: Path, keys: list[str]) -> tuple[dict, list[str]]:
    """The seconds and the peak memory of the writer, and its files."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    file = str(target / "data.parquet")
    if layout.startswith("arrowsort"):
        curve = layout.split()[1:]
        by = [word for key in keys for word in ("-k", key)]
        options = ["--curve", *curve] if curve else []
        command = [args.arrowsort, "sort", "-q", "--compression", "zstd", "--row-group-rows", str(ROW_GROUP), *options,
                   *by, "-o", file, str(source)]  # fmt: skip
    else:
        if layout == "delta z-order":
            file = str(target / "table")
            _delta_table(source, file)
        command = [sys.executable, "-c", WRITERS[layout], str(source), file, ",".join(keys), str(ROW_GROUP)]
    try:
        run, _ = launch(command)
    except Failed as error:
        raise SystemExit(f"{layout}: {error}") from None
    return run, _newest_files(file, target) if layout == "delta z-order" else [file]


def _delta_table(source: Path, folder: str) -> None:
    import pyarrow as pa
    from deltalake import WriterProperties, write_deltalake

    file = pq.ParquetFile(source)
    reader = pa.RecordBatchReader.from_batches(file.schema_arrow, file.iter_batches(ROW_GROUP))
    properties = WriterProperties(compression="ZSTD", max_row_group_size=ROW_GROUP)
    write_deltalake(folder, reader, writer_properties=properties)


def _newest_files(table: str, target: Path) -> list[str]:
    """Copies of the files of the newest version alone."""
    from deltalake import DeltaTable

    uris = DeltaTable(table).file_uris()
    (target / "newest").mkdir()
    newest = target / "newest"
    return [str(shutil.copy(uri.removeprefix("file://"), newest / f"{i}.parquet")) for i, uri in enumerate(uris)]


def compare(args, name: str) -> dict:
    source, keys = source_of(args, name), KEYS[name]
    table = pq.read_table(source)
    columns = table.column_names
    loads = {
        "columns": workload.column_filters(table, args.filters),
        "keys": workload.key_filters(table, keys, args.filters),
    }
    found = {load: [workload.matches(table, f) for f in filters] for load, filters in loads.items()}
    del table
    results = {"source": measure(args, [str(source)], columns, loads, found)}
    for layout in args.layouts.split(","):
        if layout.startswith("delta") and not importlib.util.find_spec("deltalake"):
            continue
        runs = []
        for _ in range(args.runs):
            run, files = write(args, layout, source, args.folder / "layout", keys)
            runs.append(run)
        results[layout] = {key: statistics.median(r[key] for r in runs) for key in ("seconds", "cpu", "peak")}
        results[layout] |= measure(args, files, columns, loads, found)
        print_row(name, layout, results[layout])
    filters = {load: [f.sql() for f in of_load] for load, of_load in loads.items()}
    return {"keys": keys, "filters": filters, "layouts": results}


def measure(args, files: list[str], columns: list[str], loads: dict, found: dict) -> dict:
    """The size of the files, and for each filter of each workload the bytes that are read and the seconds it takes."""
    duckdb, polars = workload.DuckDB(files, columns), workload.Polars(files, columns)
    result = {"size": sum(Path(f).stat().st_size for f in files)}
    for load, filters in loads.items():
        for engine in (duckdb, polars):
            for f, rows in zip(filters, found[load], strict=True):
                if (got := engine.run(f)) != rows:
                    raise SystemExit(f"{type(engine).__name__} finds {got} rows of {rows} in {files[0]}: {f.sql()}")
        result[load] = {
            "datafusion_bytes": workload.datafusion_bytes(files, columns, filters),
            "duckdb_bytes": duckdb.bytes(filters, args.folder / "profile.json"),
        }
        for engine, name in (duckdb, "duckdb"), (polars, "polars"):
            times = workload.seconds(engine, filters, args.repeats)
            result[load] |= {f"{name}_{clock}": times[clock] for clock in times}
    return result


def print_row(name: str, layout: str, r: dict) -> None:
    print(
        f"{name} {layout}: written in {r['seconds']:.2f} s, {r['cpu']:.2f} s of processors, {r['peak'] / 1e6:.0f} MB; "
        f"size {r['size'] / 1e6:.1f} MB"
    )
    for load in ("columns", "keys"):
        read = [statistics.mean(r[load][key]) / 1e6 for key in ("datafusion_bytes", "duckdb_bytes")]
        took = [sum(r[load][f"{engine}_{clock}"]) for engine in ("duckdb", "polars") for clock in ("seconds", "cpu")]
        print(
            f"    filters on {load}: DataFusion reads {read[0]:.2f} MB, DuckDB {read[1]:.2f}; "
            f"DuckDB takes {took[0]:.2f} s ({took[1]:.2f} of processors), Polars {took[2]:.2f} ({took[3]:.2f})",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", default=",".join(KEYS))
    parser.add_argument("--layouts", default=",".join(LAYOUTS))
    parser.add_argument("--rows", type=int, default=20_000_000, help="of the web log and of the taxi rides")
    parser.add_argument("--filters", type=int, default=200)
    parser.add_argument("--runs", type=int, default=3, help="of each writer; the median is given")
    parser.add_argument("--repeats", type=int, default=3, help="of each filter; the fastest is given")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "layouts")
    parser.add_argument("--flights", type=Path, default=ROOT / "examples" / "data" / "flights.parquet")
    parser.add_argument("--arrowsort", default="", help="the program; built if it is not given")
    parser.add_argument("--json", type=Path, help="where the figures go")
    args = parser.parse_args()
    if not args.arrowsort:
        build("arrowsort/cmd/arrowsort")
        args.arrowsort = str(BIN / "arrowsort")
    figures = {"machine": machine.describe(), "row_group": ROW_GROUP}
    for name in args.tables.split(","):
        figures[name] = compare(args, name)
    if args.json:
        args.json.write_text(json.dumps(figures, indent=1, default=str) + "\n")


if __name__ == "__main__":
    main()
