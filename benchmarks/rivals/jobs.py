"""The jobs: which data, which keys, who takes part, and what arrowsort may take at most."""

from dataclasses import dataclass, field

ALL = ("arrowsort", "polars", "duckdb", "datafusion", "pyarrow")
OWN = ("arrowsort",)


@dataclass(frozen=True)
class Limit:
    """At most `factor` times the fastest of `variants`, each "engine" or "engine/variant"; a variant of another job as
    "job:engine".
    """

    factor: float
    variants: tuple[str, ...]
    name: str


@dataclass(frozen=True)
class Job:
    name: str
    title: str
    data: str
    keys: tuple[str, ...] = ("key",)
    mode: str = "sort"
    engines: tuple[str, ...] = ALL
    limits: tuple[Limit, ...] = ()
    rows: int = 0  # leading rows of the data; 0: all
    needs: tuple[str, ...] = ()  # jobs whose figures the limits refer to
    optional: bool = False
    stable: bool = field(default=False)  # the data has a column "row" that must rise among equal keys


POLARS = ("polars/sort", "polars/stable")
FLOOR = (Limit(2.0, ("copy:arrowsort",), "copy"),)


def _small(n: int) -> Job:
    limit = Limit(1.0, ("arrowsort/slices",), "slices.SortFunc")
    return Job(f"small{n}", f"{n:,} rows, argsort", "w", mode="small", engines=OWN, limits=(limit,), rows=n)


# fmt: off
JOBS = (
    Job("w", "W, record to sorted record", "w", stable=True,
        limits=(Limit(0.22, POLARS, "Polars"), Limit(0.18, ("duckdb/arrow",), "DuckDB Arrow to Arrow"))),
    Job("argsort", "W, argsort uint64", "w", mode="argsort", engines=("arrowsort", "polars", "duckdb", "pyarrow"),
        limits=(Limit(0.22, ("polars",), "Polars arg_sort"),)),
    Job(
        "wf",
        "W with a float64 key, 5 % null, 1 % NaN, -0.0",
        "wf",
        stable=True,
        limits=(Limit(0.2, POLARS, "Polars"),),
    ),
    Job("flights", "flights by origin, delay, date, 5 columns with strings", "flights", ("origin", "delay", "date"),
        limits=(Limit(0.35, ("duckdb/table", *POLARS), "the better of DuckDB (table) and Polars"),)),
    Job("twokeys", "two keys (int32, int64), half the first repeated", "twokeys", ("key1", "key2"), stable=True,
        limits=(Limit(0.3, POLARS, "Polars"),)),
    Job("copy", "copy of W into fresh pages (the floor)", "w", mode="copy", engines=OWN),
    Job("sorted", "W already sorted", "sorted", engines=OWN, limits=FLOOR, needs=("copy",), stable=True),
    Job("reversed", "W reversed", "reversed", engines=OWN, limits=FLOOR, needs=("copy",), stable=True),
    Job("constant", "W constant", "constant", engines=OWN, limits=FLOOR, needs=("copy",), stable=True),
    _small(100), _small(1_000), _small(10_000), _small(100_000),
    Job("strings", "5M random strings of 5 to 40 bytes", "strings",
        limits=(Limit(0.6, (*POLARS, "duckdb"), "the better of Polars and DuckDB"),)),
    Job("wide", "wide: 1M rows x 100 float64 columns by one int64", "wide", limits=(Limit(0.5, POLARS, "Polars"),)),
    Job("cli", "command line, flights by delay, Parquet to Parquet", "flights-parquet", ("delay",), mode="cli",
        engines=("arrowsort", "polars", "duckdb"),
        limits=(Limit(1.0, ("polars", "duckdb"), "the better of Polars and DuckDB"),)),
    Job("memory", "temp memory of W beside input and output", "w", mode="memory", engines=OWN, stable=True),
    Job("w100m", "100M rows of W", "w100m", engines=OWN, limits=(Limit(17.0, ("w:arrowsort",), "W"),), needs=("w",),
        optional=True, stable=True),
)


def choose(names: str, with_100m: bool) -> list[Job]:
    """The jobs of a comma-separated list (empty: all), and those that their limits refer to, in the order of JOBS."""
    known = {job.name: job for job in JOBS}
    wanted = [name for name in names.split(",") if name] or [job.name for job in JOBS if not job.optional]
    if with_100m:
        wanted.append("w100m")
    for name in wanted:
        if name not in known:
            raise SystemExit(f"unknown job {name!r}: use some of {', '.join(known)}")
        wanted += [need for need in known[name].needs if need not in wanted]
    return [job for job in JOBS if job.name in wanted]
