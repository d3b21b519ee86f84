"""What the drivers of the comparisons in memory and of files share: their arguments, the choice of jobs, and what is
done with the results.
"""

import argparse
import json
import sys
from pathlib import Path

from runners import HERE

BENCHMARKS = HERE.parent


def arguments(name: str, about: str, jobs: tuple, runs: str) -> argparse.ArgumentParser:
    """The arguments that both have: of the program with a name and what it does. The help of --runs is theirs."""
    parser = argparse.ArgumentParser(prog=f"benchmarks/rivals/{name}", description=about)
    add = parser.add_argument
    sample = BENCHMARKS.parent / "examples" / "data" / "flights.parquet"
    add("--flights", type=Path, default=sample, help="flights Parquet file; the sample repeated when left out")
    add("--runs", type=int, default=int(runs[0]), help=f"timed runs of each engine (default {runs})")
    add("--jobs", default="", help="only these, separated by commas: " + ", ".join(job.name for job in jobs))
    add("--scale", type=float, default=1.0, help="size of the data, 1 for the rows of the table")
    add("--threads", type=int, default=2)
    add("--no-check", action="store_true", help="do not check results, for quick repetition")
    add("--json", type=Path, help="where results go; by default benchmarks/results, for full runs only")
    return parser


def choose(names: str, jobs: tuple, more: list[str] | None = None) -> list:
    """The jobs of a comma-separated list (empty: all that are not optional), more of them, and those that their limits
    refer to, in the order of all jobs.
    """
    known = {job.name: job for job in jobs}
    wanted = [name for name in names.split(",") if name] or [job.name for job in jobs if not job.optional]
    wanted += more or []
    for name in wanted:
        if name not in known:
            raise SystemExit(f"unknown job {name!r}: use some of {', '.join(known)}")
        wanted += [need for need in known[name].needs if need not in wanted]
    return [job for job in jobs if job.name in wanted]


def save(results: dict, target: Path) -> None:
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(results, indent=1) + "\n")


def finish(results: dict, table: tuple[str, bool], target: Path | None) -> int:
    """Prints the table and what failed, saves the results, and returns the exit code: 0 if every limit is met."""
    text, met = table
    print(text)
    if target:
        save(results, target)
        print(f"\nresults: {target.name}", file=sys.stderr)
    failed = [(job, e) for job, entries in results["jobs"].items() for e in entries if e.get("error")]
    for job, e in failed:
        print(f"failed: {job}: {e['engine']}: {e['error']}", file=sys.stderr)
    return 0 if met and not failed else 1
