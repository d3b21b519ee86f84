"""The jobs: which data, which keys, who takes part, and what arrowsort may take at most."""

from dataclasses import dataclass, field

RIVALS = ("polars", "duckdb", "datafusion", "pyarrow")
ALL = ("arrowsort", *RIVALS)
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
DUCKDB = ("duckdb/arrow", "duckdb/table")
BEST = (*POLARS, *DUCKDB, "datafusion")
FLOOR = (Limit(2.0, ("copy:arrowsort",), "copy"),)


def times(ratio: float, variants: tuple[str, ...], name: str) -> Limit:
    """At least ratio times as fast."""
    return Limit(1 / ratio, variants, name)


def _polars(ratio: float) -> tuple[Limit]:
    return (times(ratio, POLARS, "Polars"),)


def _best(ratio: float) -> tuple[Limit]:
    return (times(ratio, BEST, "the best"),)


def _small(n: int, ratio: float) -> Job:
    limit = times(ratio, ("arrowsort/slices",), "slices.SortFunc")
    return Job(f"small{n}", f"{n:,} rows, argsort", "w", mode="small", engines=OWN, limits=(limit,), rows=n)


# fmt: off
JOBS = (
    Job("w", "W, record to sorted record", "w", stable=True,
        limits=(times(6, POLARS, "Polars"), times(8, DUCKDB, "DuckDB"))),
    Job("argsort", "W, argsort uint64", "w", mode="argsort", engines=("arrowsort", "polars", "duckdb", "pyarrow"),
        limits=(times(5.5, ("polars",), "Polars arg_sort"),)),
    Job("wf", "W with a float64 key, 5 % null, 1 % NaN, -0.0", "wf", stable=True, limits=_polars(6)),
    Job("flights", "flights by origin, delay, date, 5 columns with strings", "flights", ("origin", "delay", "date"),
        limits=_best(3)),
    Job("delay", "flights by delay", "flights", ("delay",), limits=_best(3)),
    Job("twokeys", "two keys (int32, int64), half the first repeated", "twokeys", ("key1", "key2"), stable=True,
        limits=_polars(3.3)),
    Job("copy", "copy of W into fresh pages (the floor)", "w", mode="copy", engines=OWN),
    Job("sorted", "W already sorted", "sorted", engines=OWN, limits=FLOOR, needs=("copy",), stable=True),
    Job("reversed", "W reversed", "reversed", engines=OWN, limits=FLOOR, needs=("copy",), stable=True),
    Job("constant", "W constant", "constant", engines=OWN, limits=FLOOR, needs=("copy",), stable=True),
    Job("swapped", "W sorted, 1 % of the rows swapped", "swapped", limits=_polars(10), stable=True),
    Job("jitter", "W of timestamps with jitter", "jitter", limits=_polars(10), stable=True),
    Job("runs", "W of 8 sorted runs", "runs", limits=_polars(10), stable=True),
    _small(100, 1), _small(1_000, 3), _small(10_000, 7), _small(100_000, 7),
    Job("strings", "5M random strings of 5 to 40 bytes", "strings", limits=_best(2.5)),
    Job("urls", "5M URLs of 10,000 hosts", "urls", limits=_best(2.5)),
    Job("words", "10M strings, 1,000 distinct", "words", limits=_best(4)),
    Job("lists", "5M lists of 0 to 8 int32", "lists", engines=("arrowsort", "polars", "duckdb"),
        limits=(times(3, POLARS, "Polars"), times(3, DUCKDB, "DuckDB"))),
    Job("names", "5M names by the rules of German", "names", mode="collate", engines=("arrowsort", "duckdb"),
        limits=(times(5, ("arrowsort/collate",), "collate.Compare on all threads"), times(1, DUCKDB, "DuckDB"))),
    Job("wide", "1M rows x 101 columns", "wide", limits=_best(1.6)),
    Job("wide100k", "100,000 rows x 101 columns", "wide100k", limits=_best(1.6)),
    Job("columns11", "10M rows x 11 columns", "columns11", limits=_best(4)),
    Job("cli", "command line, flights by delay, Parquet to Parquet", "flights-parquet", ("delay",), mode="cli",
        engines=("arrowsort", "polars", "duckdb"),
        limits=(Limit(1.0, ("polars", "duckdb"), "the better of Polars and DuckDB"),)),
    Job("memory", "temp memory of W beside input and output", "w", mode="memory", engines=OWN, stable=True),
    Job("w100m", "100M rows of W", "w100m", engines=OWN, limits=(Limit(11.0, ("w:arrowsort",), "W"),), needs=("w",),
        optional=True, stable=True),
)
