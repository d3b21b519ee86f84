"""Measures one job after the other: every engine is checked once, then all of them run alternately."""

import dataclasses
import statistics
import sys
from collections.abc import Callable
from pathlib import Path

import check
import data
from runners import Command, Failed, Settings, Worker

SLOW_SECONDS, SLOW_RUNS = 2.0, 3
# A run is disturbed when tasks of the machine waited for a processor for more than this part of it.
WAITED = 0.04


class Session:
    def __init__(self, store: data.Store, settings: Settings, runs: int, checked: bool):
        self.store, self.settings, self.runs, self.checked = store, settings, runs, checked
        self.disturbed = 0

    def job(self, job, engines: list[str]) -> list[dict]:
        """One dictionary per engine and variant: seconds of each run, their median, whether the result was right."""
        print(f"{job.name}:", end=" ", file=sys.stderr, flush=True)
        path = self.store.path(job.data)
        checker = self._checker(job, path)
        workers, entries = {}, []
        try:
            for engine in engines:
                try:
                    worker = self._open(engine, job, path)
                except Failed as error:
                    entries.append({"engine": engine, "variant": "", "error": str(error)})
                    continue
                workers[engine] = worker
                for variant in worker.variants:
                    entry = {"engine": engine, "variant": variant, "rows": worker.rows, "runs": []}
                    self._check(worker, entry, checker, job)
                    entries.append(entry)
            self.disturbed += alternate(entries, self.runs, lambda entry: self._run(workers[entry["engine"]], entry))
        finally:
            for worker in workers.values():
                worker.close()
        for entry in entries:
            summarize(entry)
        figures = (f"{e['engine']}/{e['variant']} {e.get('median', float('nan')):.4g}" for e in entries)
        print(", ".join(figures), file=sys.stderr)
        return entries

    def _open(self, engine: str, job, path: Path):
        if job.mode == "cli":
            return Command(engine, job, path, self.settings, self.store.folder / f"out-{engine}.parquet")
        return Worker(engine, job, path, self.settings)

    def _checker(self, job, path: Path) -> check.Checker | None:
        if not self.checked:
            return None
        table = data.read(path)
        if job.rows:
            table = table.slice(0, job.rows)
        return check.Checker(table, job.keys, argsort=job.mode in ("argsort", "small"), collated=job.mode == "collate")

    def _check(self, worker, entry: dict, checker: check.Checker | None, job) -> None:
        """The first run of a variant warms up; it is the one that is checked."""
        saved = self.store.folder / ("check.parquet" if job.mode == "cli" else "check.arrow")
        try:
            if checker is None:
                worker.run(entry["variant"])
            elif worker.save(entry["variant"], saved):
                stable = worker.engine == "arrowsort" and (job.stable or checker.argsort)
                checker.check(data.read(saved), stable)
                order = "" if checker.collated else "stable order, " if stable else "order, "
                entry["checked"] = f"rows, {order}checksum"
        except (Failed, check.Wrong) as error:
            entry["error"] = str(error)
        finally:
            saved.unlink(missing_ok=True)

    @staticmethod
    def _run(worker, entry: dict) -> dict | None:
        if len(entry["runs"]) >= SLOW_RUNS and entry["runs"][0]["seconds"] > SLOW_SECONDS:
            return None
        return {k: v for k, v in dataclasses.asdict(worker.run(entry["variant"])).items() if v}


def alternate(entries: list[dict], runs: int, run: Callable[[dict], dict | None]) -> int:
    """Each round runs every entry once, and starts with another one than the round before. An entry without a run has
    enough of them. Returns how many runs were disturbed.
    """
    disturbed = 0
    for i in range(runs):
        first = i % max(len(entries), 1)
        for entry in entries[first:] + entries[:first]:
            if entry.get("error"):
                continue
            before = waited()
            try:
                done = run(entry)
            except Failed as error:
                entry["error"] = str(error)
                continue
            if done:
                disturbed += waited() - before > WAITED * done["seconds"] + 150e-6
                entry["runs"].append(done)
    return disturbed


def summarize(entry: dict) -> None:
    runs = entry.get("runs")
    if not runs or entry.get("error"):
        return
    entry["median"] = statistics.median(run["seconds"] for run in runs)
    for field in ("inner", "cpu", "bytes", "peak", "size"):
        if field in runs[0]:
            entry[field] = statistics.median(run.get(field, 0) for run in runs)


def waited() -> float:
    """Seconds that runnable tasks have waited for a processor since the machine started, 0 where unknown."""
    try:
        return int(Path("/proc/pressure/cpu").read_text().splitlines()[0].split("total=")[1]) / 1e6
    except OSError:
        return 0.0
