"""Sorts Parquet files with arrowsort and its rivals, a fresh process for every run, and prints one table; see
benchmarks/README.md.
"""

import argparse
import datetime
import json
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import check
import driver
import machine
import measure
import parquet_check
import parquet_data
import parquet_jobs
import parquet_report
import parquet_sort
from driver import BENCHMARKS
from runners import BIN, Failed, Settings, build, launch


def arguments() -> argparse.Namespace:
    parser = driver.arguments("run.sh parquet", __doc__, parquet_jobs.JOBS, "3")
    add = parser.add_argument
    add("--only", default="", help="only these engines, for example arrowsort,polars")
    realtime = "run with this real-time priority, on a machine that others use too"
    add("--realtime", type=int, metavar="PRIORITY", help=realtime)
    earlier = "results of an earlier run of other jobs or engines: add these to them"
    add("--add-to", type=Path, metavar="FILE", help=earlier)
    add("--binary", type=Path, help="the arrowsort to measure; built from this repository when left out")
    add("--data", type=Path, default=BENCHMARKS / ".data", help="folder of the data files and the outputs")
    return parser.parse_args()


def main() -> int:
    args = arguments()
    engines = args.only.split(",") if args.only else ["arrowsort", *parquet_jobs.RIVALS]
    jobs = driver.choose(args.jobs, parquet_jobs.JOBS)
    if "arrowsort" in engines and not args.binary:
        build("arrowsort/cmd/arrowsort")
        args.binary = BIN / "arrowsort"
    args.data.mkdir(parents=True, exist_ok=True)
    results = {
        "machine": machine.describe(),
        "threads": args.threads,
        "runs": args.runs,
        "scale": args.scale,
        "disturbed": 0,
    }
    results |= {"flights": args.flights.name, "realtime": args.realtime, "codec": parquet_data.CODEC}
    results |= {"row_group_rows": parquet_data.ROW_GROUP}
    results |= {
        "limits": [{"job": job.name} | asdict(limit) for job in parquet_jobs.JOBS for limit in job.limits],
        "jobs": {},
    }
    if args.add_to and args.add_to.exists():
        earlier = json.loads(args.add_to.read_text())
        results["jobs"], results["disturbed"] = earlier["jobs"], earlier["disturbed"]
    for job in jobs:
        session = Session(args, job)
        entries = session.measure(engines)
        others = [e for e in results["jobs"].get(job.name, []) if e["engine"] not in engines]
        results["jobs"][job.name] = entries + others
        results["disturbed"] += session.disturbed
    results["runs"] = min(len(e["runs"]) for es in results["jobs"].values() for e in es if not e.get("error"))
    full = args.scale == 1 and not args.jobs and not args.only
    target = args.json or args.add_to
    if full and not target:
        target = BENCHMARKS / "results" / f"{results['machine']['date'][:10]}-parquet.json"
    return driver.finish(results, parquet_report.table(results), target)


class Session:
    """One job: every way of every engine is checked once, then all of them run alternately."""

    def __init__(self, args: argparse.Namespace, job: parquet_jobs.Job):
        self.args, self.job = args, job
        self.source = parquet_data.path(args.data, job.data, args.scale, args.flights)
        self.environment = Settings(args.threads).environment
        self.disturbed = 0

    def measure(self, engines: list[str]) -> list[dict]:
        print(f"{self.job.name}:", end=" ", file=sys.stderr, flush=True)
        entries = []
        if "arrowsort" in engines:
            ways = dict.fromkeys(limit.way for limit in self.job.limits)
            entries += [{"engine": "arrowsort", "variant": way or "default", "memory": way, "runs": []} for way in ways]
        entries += [{"engine": e, "variant": "", "memory": 0, "runs": []} for e in self.job.rivals if e in engines]
        checker = None if self.args.no_check else parquet_check.Checker(self.source, self.job.keys)
        for entry in entries:
            self._first(entry, checker)
        self.disturbed += measure.alternate(entries, self.args.runs, self._timed)
        for entry in entries:
            entry["date"] = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
            measure.summarize(entry)
            if "median" in entry:
                entry["peak"] = max(run["peak"] for run in entry["runs"])
                if entry["engine"] != "arrowsort":
                    entry["memory_limit"] = entry["memory"]
        print(
            ", ".join(f"{e['engine']} {e.get('inner', float('nan')):.4g}" for e in entries), file=sys.stderr, flush=True
        )
        return entries

    def _first(self, entry: dict, checker: parquet_check.Checker | None) -> None:
        """The first run is the one that is checked. A rival that is to be limited gets the least memory that it can
        work with.
        """
        target = self._target(entry)
        limits = self.job.memory if entry["engine"] != "arrowsort" else ()
        try:
            for memory in limits or (entry["memory"],):
                entry["memory"] = memory
                try:
                    self._run(entry)
                    break
                except Failed:
                    if memory == (limits or (memory,))[-1]:
                        raise
            if checker:
                stable = entry["engine"] == "arrowsort"
                entry |= checker.check(target, stable)
                entry["checked"] = "rows, stable order, checksum" if stable else "rows, order, checksum"
        except (Failed, check.Wrong) as error:
            entry["error"] = str(error)
        finally:
            target.unlink(missing_ok=True)

    def _timed(self, entry: dict) -> dict:
        try:
            return self._run(entry)
        finally:
            self._target(entry).unlink(missing_ok=True)

    def _run(self, entry: dict) -> dict:
        """One process from input file to output file, the input in the page cache and nothing left to write to the
        disk.
        """
        target = self._target(entry)
        target.unlink(missing_ok=True)
        with open(self.source, "rb") as source:
            while source.read(1 << 24):
                pass
        subprocess.run(["sync"], check=True)
        realtime = ("chrt", "-r", str(self.args.realtime)) if self.args.realtime else ()
        try:
            run, printed = launch(self._command(entry, target), self.environment, realtime)
        finally:
            shutil.rmtree(f"{target}.spill", ignore_errors=True)
        inner = run["seconds"] if entry["engine"] == "arrowsort" else float(printed)
        return run | {"size": target.stat().st_size, "inner": inner}

    def _command(self, entry: dict, target: Path) -> list[str]:
        job, args = self.job, self.args
        if entry["engine"] == "arrowsort":
            keys = [flag for key in job.keys for flag in ("-k", key)]
            memory = ["--memory", entry["memory"], "--spill-dir", str(args.data)] if entry["memory"] else []
            return [str(args.binary.resolve()), "sort", "--quiet", *keys, *memory, "-o", str(target), str(self.source)]
        return parquet_sort.command(
            entry["engine"], self.source, target, job.keys, args.threads, parquet_data.CODEC, parquet_data.ROW_GROUP,
            entry["memory"],
        )  # fmt: skip

    def _target(self, entry: dict) -> Path:
        return self.args.data / f"parquet-out-{entry['engine']}-{entry['variant']}.parquet"


if __name__ == "__main__":
    sys.exit(main())
