"""The jobs from Parquet file to sorted Parquet file: which data, which keys, who takes part, and what arrowsort may
take at most.
"""

from dataclasses import dataclass

from jobs import RIVALS

MB = 1_000_000


@dataclass(frozen=True)
class Limit:
    """What one of arrowsort's ways may take: `factor` times the faster of `rivals`, and `peak` bytes (0: the smaller of
    theirs).
    """

    title: str
    factor: float
    way: str = ""  # --memory of arrowsort; empty: its default
    peak: int = 0
    rivals: tuple[str, ...] = ("polars", "duckdb")


@dataclass(frozen=True)
class Job:
    name: str
    data: str
    limits: tuple[Limit, ...]
    keys: tuple[str, ...] = ("key",)
    rivals: tuple[str, ...] = RIVALS
    memory: tuple[int, ...] = ()  # bytes that a rival is limited to: the first of these that works; none: no limit

    needs, optional = (), False  # see jobs.Job


# fmt: off
JOBS = (
    Job("w", "w", (Limit("10M rows by a random int64, 3 columns", 0.7),
                   Limit("the same, --memory 128MiB", 1.2, "128MiB", 192 * MB))),
    Job("flights", "flights", (Limit("3M flights by origin, delay, date", 0.7),), ("origin", "delay", "date")),
    Job("tenw", "tenw", (Limit("100M rows by a random int64, --memory 256MiB", 0.8, "256MiB", 320 * MB, ("duckdb",)),),
        rivals=("duckdb",), memory=tuple(m * MB for m in (256, 320, 384, 512, 768, 1024, 2048))),
    Job("wide", "wide", (Limit("1M rows by an int64, 100 columns", 1.0),)),
    Job("strings", "strings", (Limit("10M rows by one of three string columns", 1.0),)),
    Job("sorted", "sorted", (Limit("10M rows in order already", 0.5, peak=256 * MB),)),
)
