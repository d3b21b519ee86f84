"""The table of the jobs from Parquet to Parquet: seconds and peak memory of every engine, and the limits."""

import parquet_jobs
import report


def table(results: dict) -> tuple[str, bool]:
    """The Markdown, and whether every limit that was measured is met."""
    lines, met = [], True
    for job in parquet_jobs.JOBS:
        entries = results["jobs"].get(job.name)
        if not entries:
            continue
        for limit in job.limits:
            own = find(entries, "arrowsort", limit.way or "default")
            rivals = [find(entries, e) for e in parquet_jobs.RIVALS]
            time, memory, verdict = judge(own, [find(entries, e) for e in limit.rivals], limit)
            met = met and verdict == "pass"
            lines.append([limit.title, cell(own), *map(cell, rivals), time, memory, verdict])
    limits = ["time: measured / allowed", "peak: measured / allowed"]
    return report.markdown(limits, lines, notes(results)), met


def find(entries: list[dict], engine: str, variant: str = "") -> dict:
    return next((e for e in entries if e["engine"] == engine and e["variant"] == variant), {})


def cell(entry: dict) -> str:
    """Seconds of the statement, of a rival's whole process in brackets, and peak memory."""
    if entry.get("error"):
        return "failed"
    if "median" not in entry:
        return ""
    whole = "" if entry["engine"] == "arrowsort" else f" ({entry['median']:.3g})"
    limit = f", limit {entry['memory'] / 1e6:.0f} MB" if entry["engine"] != "arrowsort" and entry["memory"] else ""
    return f"{entry['inner']:.3g} s{whole}, {entry['peak'] / 1e6:,.0f} MB{limit}"


def judge(own: dict, rivals: list[dict], limit: parquet_jobs.Limit) -> tuple[str, str, str]:
    """Time as a multiple of the faster rival's statement (of its whole process in brackets), peak memory, and pass or
    miss.
    """
    rivals = [r for r in rivals if "median" in r]
    if "median" not in own or not rivals:
        return "-", "-", "not measured"
    ratio = own["median"] / min(r["inner"] for r in rivals)
    whole = own["median"] / min(r["median"] for r in rivals)
    peak = limit.peak or min(r["peak"] for r in rivals)
    missed = [what for what, bad in (("time", ratio > limit.factor), ("memory", own["peak"] > peak)) if bad]
    verdict = f"**miss** {', '.join(missed)}" if missed else "pass"
    return f"{ratio:.2f} ({whole:.2f}) / {limit.factor:g}", f"{own['peak'] / 1e6:,.0f} / {peak / 1e6:,.0f} MB", verdict


def notes(results: dict) -> list[str]:
    m = results["machine"]
    realtime = f", real-time priority {results['realtime']}" if results["realtime"] else ""
    return [
        f"Medians of {results['runs']} runs or more, alternating, a fresh process each, "
        f"{results['threads']} threads{realtime}, {m['date'][:16]}, "
        f"{report.machine(m)}; {report.versions(m)}.",
        f"{results['codec']}, row groups of {results['row_group_rows']:,} rows; flights are those of "
        f"{results['flights']}; inputs are in the page cache. Seconds of the statement, in brackets those of the whole "
        "process; arrowsort's are always those of the whole process. "
        "Peak: the most resident memory of all runs.",
        *report.reservations(results),
    ]
