"""The table: one line per job, a column per engine, and whether arrowsort is within what it may take."""

from jobs import RIVALS, Job

NAMES = {
    "arrowsort": "arrowsort",
    "polars": "Polars",
    "duckdb": "DuckDB",
    "datafusion": "DataFusion",
    "pyarrow": "Arrow C++",
}
MEMORY_PER_ROW, MEMORY_PER_WORKER = 2, 4 << 20


def table(jobs: list[Job], results: dict, earlier: dict) -> tuple[str, bool]:
    """The Markdown, and whether every limit is met. Figures that this run lacks come from the earlier one."""
    figures = Figures(results["jobs"], earlier)
    lines, met = [], True
    for job in jobs:
        if job.mode == "memory":
            measured, allowed, verdict = memory(job, results)
            own = measured
        else:
            measured, allowed, verdict = limits(job, figures)
            own = figures.cell(job.name, "arrowsort")
        met = met and "miss" not in verdict and "failed" not in own
        rivals = [figures.cell(job.name, e) for e in RIVALS]
        lines.append([job.title, own, *rivals, measured, allowed, verdict])
    return markdown(["measured", "allowed"], lines, notes(results, figures)), met


def markdown(limits: list[str], lines: list[list[str]], notes: list[str]) -> str:
    """A table with a column for each engine, then of limits and of verdicts; and notes."""
    heads = ["job", "arrowsort", *(NAMES[e] for e in RIVALS), *limits, ""]
    table = ["| " + " | ".join(cells) + " |" for cells in (heads, *lines)]
    table.insert(1, "|---" * len(heads) + "|")
    return "\n".join([*table, "", *notes])


class Figures:
    """Medians by job, engine and variant."""

    def __init__(self, now: dict, earlier: dict):
        self.borrowed = False
        self.entries: dict[tuple[str, str], list[dict]] = {}
        for jobs, borrowed in ((earlier, True), (now, False)):
            for job, entries in jobs.items():
                for engine in {e["engine"] for e in entries}:
                    self.entries[job, engine] = [e | {"borrowed": borrowed} for e in entries if e["engine"] == engine]

    def median(self, job: str, variant: str) -> float | None:
        """Of "engine" (its fastest variant), "engine/variant" or "job:engine/variant"; without the start of a rival's
        interpreter.
        """
        job, _, variant = variant.rpartition(":") if ":" in variant else (job, "", variant)
        engine, _, way = variant.partition("/")
        if engine == "arrowsort" and not way:
            way = self._own(job)
        found = self.entries.get((job, engine), [])
        times = [e.get("inner", e["median"]) for e in found if "median" in e and way in ("", e["variant"])]
        return min(times, default=None)

    def _own(self, job: str) -> str:
        """The variant that is arrowsort's own: slices.SortFunc runs in the same process."""
        variants = [e["variant"] for e in self.entries.get((job, "arrowsort"), [])]
        return "arrowsort" if "arrowsort" in variants else ""

    def cell(self, job: str, engine: str) -> str:
        """All variants of an engine, in seconds; for processes the whole process and its peak memory as well."""
        entries = self.entries.get((job, engine), [])
        if not entries:
            return ""
        if any(e.get("error") for e in entries):
            return "failed"
        self.borrowed = self.borrowed or entries[0]["borrowed"]
        parts = []
        for e in entries:
            if "median" not in e:
                continue
            text = seconds(e.get("inner", e["median"]))
            if e["variant"] not in (engine, "parquet", "copy") and len(entries) > 1:
                text += f" {e['variant']}"
            if "peak" in e:
                whole = "" if engine == "arrowsort" else f"process {seconds(e['median'])}, "
                text += f" ({whole}{e['peak'] / 1e6:,.0f} MB)"
            parts.append(text)
        return "; ".join(parts)


def limits(job: Job, figures: Figures) -> tuple[str, str, str]:
    """The ratio to each rival that has one, the ratio allowed, and pass or miss."""
    own = figures.median(job.name, "arrowsort")
    measured, allowed, verdicts = [], [], []
    for limit in job.limits:
        allowed.append(f"{limit.factor:.3g} x {limit.name}")
        rivals = [t for v in limit.variants if (t := figures.median(job.name, v)) is not None]
        if own is None or not rivals:
            measured.append("-")
            verdicts.append("not measured")
            continue
        ratio = own / min(rivals)
        measured.append(f"{ratio:.3g} x")
        verdicts.append("pass" if ratio <= limit.factor else "**miss**")
    if set(verdicts) == {"not measured"}:
        return "-", "; ".join(allowed), "not measured"
    return "; ".join(measured), "; ".join(allowed), "; ".join(verdicts)


def memory(job: Job, results: dict) -> tuple[str, str, str]:
    entry = results["jobs"][job.name][0] if results["jobs"][job.name] else {}
    if "bytes" not in entry:
        return "failed" if entry.get("error") else "-", "", "not measured"
    allowed = MEMORY_PER_ROW * entry["rows"] + MEMORY_PER_WORKER * results["threads"]
    verdict = "pass" if entry["bytes"] <= allowed else "**miss**"
    return f"{entry['bytes'] / 2**20:.1f} MiB", f"{allowed / 2**20:.1f} MiB", verdict


def seconds(s: float) -> str:
    """Three digits, in the unit that suits."""
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if s * factor >= 1 or unit == "µs" or unit == "s" and s >= 0.1:
            return f"{s * factor:.3g} {unit}"
    raise AssertionError


def notes(results: dict, figures: Figures) -> list[str]:
    m = results["machine"]
    out = [
        f"Medians of {results['runs']} runs, {results['threads']} threads, {m['date'][:10]}, "
        f"{machine(m)}, huge pages {m['huge_pages']}; {versions(m)}."
    ]
    if any(name in results["jobs"] for name in ("flights", "cli")):
        out.append(f"Flights are those of {results['flights']}.")
    out += reservations(results)
    if figures.borrowed:
        out.append("Figures of engines that did not run this time are from the earlier run.")
    return out


def machine(m: dict) -> str:
    return f"{m['cpu']}, {m['cores']} cores, {m['memory_gib']} GiB"


def versions(m: dict) -> str:
    return ", ".join(f"{name} {version}" for name, version in m["versions"].items())


def reservations(results: dict) -> list[str]:
    """What makes the figures of a run less than those of a full one on an idle machine."""
    out = []
    if results["scale"] != 1:
        out.append(f"Data at {results['scale']:g} of full size: the limits hold for full size only.")
    if results["disturbed"]:
        out.append(f"{results['disturbed']} runs were disturbed: other programs wanted the processors at the time.")
    return out
