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
import machine
import measure
import parquet_check
import parquet_data
import parquet_jobs
import parquet_report
import parquet_sort
from runners import BIN, HERE, Settings, build

BENCHMARKS = HERE.parent


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks/rivals/run.sh parquet", description=__doc__)
    sample = BENCHMARKS.parent / "examples" / "data" / "flights.parquet"
    parser.add_argument(
        "--flights", type=Path, default=sample, help="flights Parquet file; the sample repeated when left out"
    )
    parser.add_argument("--runs", type=int, default=3, help="timed runs of each engine (default 3)")
    parser.add_argument(
        "--jobs", default="", help="only these, separated by commas: " + ", ".join(j.name for j in parquet_jobs.JOBS)
    )
    parser.add_argument("--only", default="", help="only these engines, for example arrowsort,polars")
    parser.add_argument("--scale", type=float, default=1.0, help="size of the data, 1 for the rows of the table")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--realtime",
        type=int,
        metavar="PRIORITY",
        help="run with this real-time priority, on a machine that others use too",
    )
    parser.add_argument("--no-check", action="store_true", help="do not check results, for quick repetition")
    parser.add_argument(
        "--add-to",
        type=Path,
        metavar="FILE",
        help="results of an earlier run of other jobs or engines: add these to them",
    )
    parser.add_argument(
        "--binary", type=Path, help="the arrowsort to measure; built from this repository when left out"
    )
    parser.add_argument(
        "--data", type=Path, default=BENCHMARKS / ".data", help="folder of the data files and the outputs"
    )
    parser.add_argument("--json", type=Path, help="where results go; by default benchmarks/results, for full runs only")
    return parser.parse_args()


def main() -> int:
    args = arguments()
    engines = args.only.split(",") if args.only else ["arrowsort", *parquet_jobs.RIVALS]
    jobs = parquet_jobs.choose(args.jobs)
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
    table, met = parquet_report.table(results)
    print(table)
    full = args.scale == 1 and not args.jobs and not args.only
    target = args.json or args.add_to
    if full and not target:
        target = BENCHMARKS / "results" / f"{results['machine']['date'][:10]}-parquet.json"
    if target:
        target.write_text(json.dumps(results, indent=1) + "\n")
        print(f"\nresults: {target.name}", file=sys.stderr)
    wrong = [
        f"{name}: {e['engine']}: {e['error']}" for name, es in results["jobs"].items() for e in es if e.get("error")
    ]
    for line in wrong:
        print("failed:", line, file=sys.stderr)
    return 0 if met and not wrong else 1


class Failed(Exception):
    """A process that gave an error instead of a result."""


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
        for i in range(self.args.runs):
            at = i % max(len(entries), 1)
            for entry in entries[at:] + entries[:at]:
                self._timed(entry)
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

    def _timed(self, entry: dict) -> None:
        if entry.get("error"):
            return
        before = measure.waited()
        try:
            run = self._run(entry)
        except Failed as error:
            entry["error"] = str(error)
            return
        finally:
            self._target(entry).unlink(missing_ok=True)
        self.disturbed += measure.waited() - before > measure.WAITED * run["seconds"]
        entry["runs"].append(run)

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
        launch = ["chrt", "-r", str(self.args.realtime)] if self.args.realtime else []
        launch += [sys.executable, "-I", "-S", str(HERE / "launch.py"), *self._command(entry, target)]
        done = subprocess.run(launch, capture_output=True, text=True, env=self.environment, check=False)
        shutil.rmtree(f"{target}.spill", ignore_errors=True)
        if done.returncode:
            raise Failed(f"exit code {done.returncode}: {done.stderr.strip()[-300:]}")
        lines = done.stdout.splitlines()
        run = json.loads(lines[-1]) | {"size": target.stat().st_size}
        return run | {"inner": run["seconds"] if entry["engine"] == "arrowsort" else float(lines[0])}

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
