"""Runs arrowsort and its rivals on the same data, alternately, and prints one table; see benchmarks/README.md."""

import argparse
import json
import sys
from pathlib import Path

import data
import driver
import jobs
import machine
import measure
import report
from driver import BENCHMARKS
from runners import Settings, build


def arguments() -> argparse.Namespace:
    parser = driver.arguments("run.sh", __doc__, jobs.JOBS, "5; 3 where one takes over 2 s")
    add = parser.add_argument
    add("--only", default=",".join(jobs.ALL), help="only these engines, for example arrowsort")
    add("--with-100m", action="store_true", help="also sort 100M rows (10 GB of memory, 2.4 GB of disk)")
    add("--no-huge-pages", action="store_true", help="for all engines (Linux)")
    add("--no-build", action="store_true", help="run the programs in benchmarks/.bin, on a machine without Go")
    add("--against", type=Path, help="results of an earlier run: its figures stand in for engines left out")
    add("--pprof", type=Path, metavar="FOLDER", help="write a CPU profile of arrowsort per job")
    return parser.parse_args()


def main() -> int:
    args = arguments()
    engines = args.only.split(",")
    unknown = set(engines) - set(jobs.ALL)
    if unknown:
        raise SystemExit(f"unknown engine {unknown.pop()!r}: use some of {', '.join(jobs.ALL)}")
    if args.pprof:
        args.pprof.mkdir(parents=True, exist_ok=True)
    if args.no_huge_pages:
        machine.without_huge_pages()
    chosen = driver.choose(args.jobs, jobs.JOBS, ["w100m"] if args.with_100m else [])
    if "arrowsort" in engines and not args.no_build:
        for package in {
            "arrowsort/cmd/arrowsort" if job.mode == "cli" else "benchmarks/cmd/rivalbench" for job in chosen
        }:
            build(package)
    store = data.Store(BENCHMARKS / ".data", args.scale, args.flights)
    session = measure.Session(store, Settings(args.threads, args.pprof), args.runs, not args.no_check)

    results = {"machine": machine.describe(), "threads": args.threads, "runs": args.runs, "scale": args.scale}
    results |= {"flights": args.flights.name, "jobs": {}}
    if args.no_huge_pages:
        results["machine"]["huge_pages"] = "none, by --no-huge-pages"
    machine.touch_memory()
    for job in chosen:
        results["jobs"][job.name] = session.job(job, [e for e in job.engines if e in engines])
        results["disturbed"] = session.disturbed
        if args.json:
            driver.save(results, args.json)  # what is measured stays if the run is stopped

    earlier = json.loads(args.against.read_text())["jobs"] if args.against else {}
    full = args.scale == 1 and not args.jobs and set(engines) == set(jobs.ALL) and not args.no_huge_pages
    now = results["machine"]["date"][:16].replace(":", "")
    target = args.json or (BENCHMARKS / "results" / f"{now}.json" if full else None)
    return driver.finish(results, report.table(chosen, results, earlier), target)


if __name__ == "__main__":
    sys.exit(main())
