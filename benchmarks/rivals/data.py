"""The data files: uncompressed Arrow IPC files of one batch, the same for every engine, written once and kept."""

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

SEED = 11


def _random_int64(r, n):
    return r.integers(-(2**63), 2**63, n, dtype=np.int64)


def _with_payload(r, key, first=0):
    n = len(key)
    return pa.table({"key": key, "row": np.arange(first, first + n, dtype=np.int64), "value": r.standard_normal(n)})


def w(r, n, first=0):
    return _with_payload(r, _random_int64(r, n), first)


def wf(r, n):
    """A normal key: 5 % null, 1 % NaN of many bit patterns, 1 % zeros of both signs. No NaN has its sign set:
    DataFusion sorts it first.
    """
    key = r.standard_normal(n)
    dice = r.integers(0, 100, n)
    nan = dice == 0
    patterns = np.uint64(0x7FF8 << 48) | r.integers(0, 1000, n, dtype=np.uint64) << np.uint64(20)
    key[nan] = patterns.view(np.float64)[nan]
    key[dice == 1] = np.where(r.integers(0, 2, n) == 0, 0.0, -0.0)[dice == 1]
    return _with_payload(r, pa.array(key, mask=r.integers(0, 20, n) == 0))


def twokeys(r, n):
    """(int32, int64): half the first keys repeat an earlier row's, and half of those the high half of its second key
    too.
    """
    home = np.arange(n)
    repeat = r.integers(0, 2, n) == 0
    repeat[0] = False
    earlier = np.where(repeat, (r.random(n) * home).astype(np.int64), home)
    both = repeat & (r.integers(0, 2, n) == 0)
    second = _random_int64(r, n)
    high = second[_roots(np.where(both, earlier, home))] & ~np.int64(0xFFFFFFFF)
    second = np.where(both, high | (second & 0xFFFFFFFF), second)
    first = r.integers(-(2**31), 2**31, n, dtype=np.int32)[_roots(earlier)]
    return pa.table({"key1": first, "key2": second, "row": home.astype(np.int64)})


def _roots(earlier):
    """Follows references to earlier rows to their ends."""
    while True:
        further = earlier[earlier]
        if np.array_equal(further, earlier):
            return earlier
        earlier = further


def is_sorted(r, n, first=0):
    return _with_payload(r, np.arange(first, first + n, dtype=np.int64) // 3 * 1000, first)


def is_reversed(r, n):
    return _with_payload(r, -np.arange(n, dtype=np.int64) * 1000)


def constant(r, n):
    return _with_payload(r, np.full(n, 42, dtype=np.int64))


def swapped(r, n):
    """Sorted, but for n/200 pairs of rows whose keys are swapped."""
    key = np.arange(n, dtype=np.int64) * 1000
    pairs = r.permutation(n)[: n // 200 * 2].reshape(2, -1)
    key[pairs] = key[pairs[::-1]]
    return _with_payload(r, key)


def jitter(r, n):
    """Timestamps with 64 rows each that arrive up to 600 later."""
    return _with_payload(r, np.arange(n, dtype=np.int64) // 64 + r.integers(0, 600, n))


def runs(r, n):
    """Eight sorted runs of random keys, one after the other."""
    return _with_payload(r, np.concatenate([np.sort(part) for part in np.array_split(_random_int64(r, n), 8)]))


def strings(r, n):
    return pa.table({"key": random_strings(r, n)})


def words(r, n):
    return pa.table({"key": random_strings(r, 1000).take(pa.array(r.integers(0, 1000, n)))})


def urls(r, n):
    """Pages of 10,000 hosts, of which few have many: long common prefixes."""
    host = np.minimum(10_000 * r.random(n) ** 3, 9_999).astype(np.int64)
    sections = pa.array(["articles", "archive/2026", "images/large", "users", "search"])
    parts = (
        pa.array([f"https://www.host{i:05d}.example" for i in range(10_000)]).take(pa.array(host)),
        sections.take(pa.array(r.integers(0, len(sections), n))),
        pa.array(r.integers(0, 10**7, n)).cast(pa.string()),
    )
    return pa.table({"key": pc.binary_join_element_wise(*parts, "/")})


def lists(r, n):
    """Lists of 0 to 8 random int32."""
    offsets = np.concatenate(([0], np.cumsum(r.integers(0, 9, n)))).astype(np.int32)
    values = r.integers(-(2**31), 2**31, offsets[-1], np.int32)
    return pa.table({"key": pa.ListArray.from_arrays(offsets, values)})


def names(r, n):
    """First and last names of random syllables, 4.3 million distinct, of which 40 % have an umlaut or accent."""
    starts = "A Be Chri Da E Fa Ge Ha I Ja Ka Lo Mar Ni O Pe Ro Sa Ti U Vo Wi Zo Ä Jö".split()
    ends = "na ter stian vid lke bian rda nnes da kob rin tte tin ko laf tra bert bine mo we lker lli ë rgen".split()
    middles = ["", "", "l", "ri", "n", "sse", "ü", "-"]

    def word():
        parts = (pa.array(p).take(pa.array(r.integers(0, len(p), n))) for p in (starts, middles, ends))
        return pc.binary_join_element_wise(*parts, "")

    return pa.table({"key": pc.binary_join_element_wise(word(), word(), " ")})


def random_strings(r, n, shortest=5, longest=40, draw=np.int64):
    """Letters and digits, which are drawn as integers of a type."""
    offsets = np.concatenate(([0], np.cumsum(r.integers(shortest, longest + 1, n)))).astype(np.int32)
    letters = np.frombuffer(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", np.uint8)
    text = letters[r.integers(0, len(letters), offsets[-1], dtype=draw)]
    return pa.StringArray.from_buffers(n, pa.py_buffer(offsets), pa.py_buffer(text))


def wide(r, n, values=100):
    columns = {"key": _random_int64(r, n)}
    for i in range(values):
        columns[f"value{i}"] = r.random(n)
    return pa.table(columns)


# What makes each file, and its rows at full scale.
MAKERS = {
    "w": (w, 10_000_000), "wf": (wf, 10_000_000), "twokeys": (twokeys, 10_000_000), "sorted": (is_sorted, 10_000_000),
    "reversed": (is_reversed, 10_000_000), "constant": (constant, 10_000_000), "swapped": (swapped, 10_000_000),
    "jitter": (jitter, 10_000_000), "runs": (runs, 10_000_000), "strings": (strings, 5_000_000),
    "urls": (urls, 5_000_000), "words": (words, 10_000_000), "lists": (lists, 5_000_000),
    "names": (names, 5_000_000),
    "wide": (wide, 1_000_000), "wide100k": (wide, 100_000),
    "columns11": (lambda r, n: wide(r, n, 10), 10_000_000), "w100m": (w, 100_000_000),
}  # fmt: skip
FLIGHTS_ROWS = 3_000_000


class Store:
    """A folder of data files for one scale."""

    def __init__(self, folder: Path, scale: float, flights: Path):
        self.folder, self.scale, self.flights = folder, scale, flights
        folder.mkdir(parents=True, exist_ok=True)

    def path(self, name: str) -> Path:
        """The file of that name; it is written on first use."""
        if name in ("flights", "flights-parquet"):
            return self._flights(name)
        make, rows = MAKERS[name]
        rows = max(int(rows * self.scale), 1000)
        path = self.folder / f"{name}-{rows}.arrow"
        if not path.exists():
            write(path, make(np.random.default_rng(SEED), rows))
            os.sync()  # or the disk would be busy during the runs
        return path

    def _flights(self, name: str) -> Path:
        """The flights at this scale. The committed sample is repeated to the full number of rows; a larger file is used
        as it is.
        """
        source = pq.ParquetFile(self.flights)
        compression = source.metadata.row_group(0).column(0).compression
        stat = self.flights.stat()
        stem = f"{self.flights.stem}-{stat.st_size}-{self.scale:g}"
        path = self.folder / (f"{stem}.arrow" if name == "flights" else f"{stem}.parquet")
        if path.exists():
            return path
        if name == "flights-parquet" and self.scale == 1 and source.metadata.num_rows >= FLIGHTS_ROWS:
            return self.flights
        table = source.read()
        times = -(-FLIGHTS_ROWS // len(table)) if len(table) < FLIGHTS_ROWS else 1
        table = pa.concat_tables([table] * times)
        table = table.slice(0, max(int(len(table) * self.scale), 1000))
        if name == "flights":
            write(path, table)
        else:
            part = path.with_suffix(".part")
            pq.write_table(
                table, part, compression=compression.lower().replace("uncompressed", "none"), row_group_size=272_727
            )
            os.replace(part, path)
        return path


def write(path: Path, table: pa.Table) -> None:
    """Writes a table as an Arrow IPC file of one record batch."""
    table = table.combine_chunks()
    part = path.with_suffix(".part")
    with pa.ipc.new_file(part, table.schema) as sink:
        sink.write_table(table, max_chunksize=max(len(table), 1))
    os.replace(part, path)


def read(path: Path) -> pa.Table:
    """Reads an Arrow IPC or Parquet file into memory, not mapped, so that no run pays for the disk."""
    if path.suffix == ".parquet":
        return pq.read_table(path)
    with pa.OSFile(str(path)) as source:
        return pa.ipc.open_file(source).read_all()
