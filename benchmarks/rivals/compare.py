"""Runs arrowsort and its rivals on the same data, alternately, and prints one table; see benchmarks/README.md."""

import argparse
import json
import sys
from pathlib import Path

import data
import jobs
import machine
import measure
import report
from runners import Settings, build

BENCHMARKS = Path(__file__).resolve().parent.parent


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks/rivals/run.sh", description=__doc__)
    sample = BENCHMARKS.parent / "examples" / "data" / "flights.parquet"
    parser.add_argument(
        "--flights", type=Path, default=sample, help="flights Parquet file; the sample repeated when left out"
    )
    parser.add_argument(
        "--runs", type=int, default=5, help="timed runs of each engine (default 5; 3 where one takes over 2 s)"
    )
    parser.add_argument(
        "--jobs", default="", help="only these, separated by commas: " + ", ".join(j.name for j in jobs.JOBS)
    )
    parser.add_argument("--only", default=",".join(jobs.ALL), help="only these engines, for example arrowsort")
    parser.add_argument(
        "--with-100m", action="store_true", help="also sort 100M rows (10 GB of memory, 2.4 GB of disk)"
    )
    parser.add_argument("--scale", type=float, default=1.0, help="size of the data, 1 for the rows of the table")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--no-huge-pages", action="store_true", help="for all engines (Linux)")
    parser.add_argument(
        "--no-build", action="store_true", help="run the programs in benchmarks/.bin, on a machine without Go"
    )
    parser.add_argument("--no-check", action="store_true", help="do not check results, for quick repetition")
    parser.add_argument(
        "--against", type=Path, help="results of an earlier run: its figures stand in for engines left out"
    )
    parser.add_argument("--pprof", type=Path, metavar="FOLDER", help="write a CPU profile of arrowsort per job")
    parser.add_argument("--json", type=Path, help="where results go; by default benchmarks/results, for full runs only")
    return parser.parse_args()


def save(results: dict, target: Path) -> None:
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(results, indent=1) + "\n")


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
    chosen = jobs.choose(args.jobs, args.with_100m)
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
            save(results, args.json)  # what is measured stays if the run is stopped

    earlier = json.loads(args.against.read_text())["jobs"] if args.against else {}
    table, met = report.table(chosen, results, earlier)
    print(table)
    full = args.scale == 1 and not args.jobs and set(engines) == set(jobs.ALL) and not args.no_huge_pages
    target = args.json or (
        BENCHMARKS / "results" / f"{results['machine']['date'][:16].replace(':', '')}.json" if full else None
    )
    if target:
        save(results, target)
        print(f"\nresults: {target.name}", file=sys.stderr)
    wrong = [
        f"{name}: {m['engine']}: {m['error']}" for name, ms in results["jobs"].items() for m in ms if m.get("error")
    ]
    for line in wrong:
        print("failed:", line, file=sys.stderr)
    return 0 if met and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
