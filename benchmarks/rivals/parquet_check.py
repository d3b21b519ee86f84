"""Checks a sorted Parquet file against its input row group by row group, so that files larger than memory can be
checked.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import check

ROWS = 1 << 20


class Checker:
    """Knows the input by a checksum over its rows; where no column `row` numbers them, also by the hashes of its rows
    in stable order.
    """

    def __init__(self, source: Path, keys: tuple[str, ...]):
        self.source, self.keys = source, keys
        file = pq.ParquetFile(source)
        self.rows, self.names = file.metadata.num_rows, file.schema_arrow.names
        self.numbered = "row" in self.names
        self._sum: int | None = None
        self._stable: np.ndarray | None = None

    def check(self, result: Path, stable: bool) -> dict:
        """Raises check.Wrong if the file is not the sorted input, or not its stable order where that is asked for. Says
        how it is laid out.
        """
        file = pq.ParquetFile(result)
        if file.schema_arrow.names != self.names:
            raise check.Wrong(f"columns {file.schema_arrow.names}, want {self.names}")
        if file.metadata.num_rows != self.rows:
            raise check.Wrong(f"{file.metadata.num_rows} rows, want {self.rows}")
        last, total, first = None, 0, 0
        for table in _tables(file):
            hashes = check.row_hashes(table)
            total += int(np.sum(hashes, dtype=np.uint64))
            if stable and not self.numbered:
                differs = hashes != self._stable_hashes()[first : first + len(table)]
                if differs.any():
                    raise check.Wrong(f"row {first + int(np.argmax(differs))} is not that of the stable order")
            joined = table if last is None else pa.concat_tables([last, table])
            try:
                check.in_order(joined, self.keys, stable and self.numbered)
            except check.Wrong as wrong:
                raise check.Wrong(f"from row {first} on: {wrong}") from None
            last, first = table.slice(len(table) - 1), first + len(table)
        if total % 2**64 != self._checksum():
            raise check.Wrong("the rows are not those of the input")
        return layout(file)

    def _checksum(self) -> int:
        if self._sum is None:
            self._sum = sum(check.checksum(table) for table in _tables(pq.ParquetFile(self.source))) % 2**64
        return self._sum

    def _stable_hashes(self) -> np.ndarray:
        """The hashes of the input's rows in stable order, by Arrow C++, whose sort of row numbers is stable."""
        if self._stable is None:
            table = pq.read_table(self.source)
            order = pc.sort_indices(table, sort_keys=[(key, "ascending") for key in self.keys])
            self._stable = check.row_hashes(table)[order.to_numpy()]
        return self._stable


def layout(file: pq.ParquetFile) -> dict:
    """The codecs and the most rows of a row group."""
    meta = file.metadata
    groups = [meta.row_group(i) for i in range(meta.num_row_groups)]
    codecs = {group.column(i).compression for group in groups for i in range(meta.num_columns)}
    return {
        "codecs": ",".join(sorted(codecs)),
        "row_groups": len(groups),
        "row_group_rows": max((g.num_rows for g in groups), default=0),
    }


def _tables(file: pq.ParquetFile):
    for batch in file.iter_batches(batch_size=ROWS):
        yield pa.Table.from_batches([batch])
