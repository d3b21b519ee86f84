"""Tables that pyiceberg and iceberg-go write are rewritten by arrowsort-iceberg and read by pyiceberg and DuckDB.

Usage: tables.py ARROWSORT_ICEBERG DEMO
"""

import datetime
import decimal
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
import uuid

import duckdb
import pyarrow as pa
from pyiceberg import types
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.conversions import from_bytes
from pyiceberg.expressions import EqualTo
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.sorting import NullOrder, SortDirection, SortField, SortOrder
from pyiceberg.transforms import BucketTransform, DayTransform, IdentityTransform

COMMAND, DEMO = sys.argv[1:3] if len(sys.argv) > 2 else ("arrowsort-iceberg", "iceberg-demo")

UTC = datetime.timezone.utc

SCHEMA = Schema(
    types.NestedField(1, "id", types.LongType(), required=True),
    types.NestedField(2, "origin", types.StringType()),
    types.NestedField(3, "time", types.TimestamptzType()),
    types.NestedField(4, "delay", types.IntegerType()),
    types.NestedField(5, "distance", types.DoubleType()),
    types.NestedField(6, "price", types.DecimalType(9, 2)),
    types.NestedField(7, "key", types.BinaryType()),
    types.NestedField(8, "tags", types.ListType(9, types.StringType(), element_required=False)),
    types.NestedField(10, "place", types.StructType(
        types.NestedField(11, "city", types.StringType()), types.NestedField(12, "height", types.FloatType()))),
    types.NestedField(13, "date", types.DateType()),
    types.NestedField(14, "flight", types.UUIDType()),
)


def rows(rng, schema, first, count):
    """Random rows; one value in eight is null, and some numbers are NaN."""

    def some(value):
        return None if rng.random() < 0.125 else value

    def row(number):
        seconds = rng.randrange(3 * 86400)
        return {
            "id": number,
            "origin": some(rng.choice(["ATL", "DEN", "ORD", "SFO"])),
            "time": some(datetime.datetime(2001, 3, 1, tzinfo=UTC) + datetime.timedelta(seconds=seconds)),
            "delay": some(rng.randrange(-20, 200)),
            "distance": some(math.nan if rng.random() < 0.05 else rng.random() * 5000),
            "price": some(decimal.Decimal(rng.randrange(-99999, 9999999)) / 100),
            "key": some(rng.randbytes(rng.randrange(40))),
            "tags": some([some("tag%d" % rng.randrange(5)) for _ in range(rng.randrange(4))]),
            "place": {"city": some("city %d" % rng.randrange(9)), "height": some(float(rng.randrange(100)))},
            "date": some(datetime.date(2001, 3, 1) + datetime.timedelta(days=rng.randrange(50))),
            "flight": some(uuid.UUID(int=rng.getrandbits(128)).bytes),
        }

    return pa.Table.from_pylist([row(first + i) for i in range(count)], schema=schema.as_arrow())


def values(table):
    """The rows of an Arrow table in the order of their ids, as texts, for which NaN is NaN."""
    return [repr(row) for row in sorted(table.to_pylist(), key=lambda row: row["id"])]


def duckdb_differences(before, after):
    """The number of rows that DuckDB finds in one table and not in the other, and of all rows of the second."""
    connection = duckdb.connect()
    for name in ("avro", "iceberg"):
        module = __import__("duckdb_extension_" + name)
        connection.execute("INSTALL '%s'" % extension(module, name))
        connection.execute("LOAD " + name)
    old, new = ("(FROM iceberg_scan('%s'))" % t.metadata_location for t in (before, after))
    query = "SELECT (SELECT count(*) FROM (%s EXCEPT ALL %s))" % (old, new)
    query += " + (SELECT count(*) FROM (%s EXCEPT ALL %s)), (SELECT count(*) FROM %s)" % (new, old, new)
    return connection.execute(query).fetchone()


def extension(module, name):
    """The file of an extension in its Python package."""
    found = list(pathlib.Path(module.__path__[0]).rglob(name + ".duckdb_extension"))
    return found[0]


def rewrite(database, table, *flags):
    done = subprocess.run(
        [COMMAND, "rewrite", "--catalog", "sqlite:%s" % database, "--json", *flags, table],
        check=True, stdout=subprocess.PIPE,
    )
    return json.loads(done.stdout)


class Tables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.database = self.folder / "catalog.db"
        self.rng = random.Random(34)

    def table(self, spec=PartitionSpec(), order=SortOrder(), properties=None, files=4):
        """A table with several files."""
        catalog = SqlCatalog("demo", uri="sqlite:///%s" % self.database, warehouse="file://%s/warehouse" % self.folder)
        catalog.create_namespace("demo")
        table = catalog.create_table(
            "demo.flights", SCHEMA, partition_spec=spec, sort_order=order, properties=properties or {})
        for i in range(files):
            table.append(rows(self.rng, table.schema(), i * 300, 300))
        return catalog, table

    def check(self, catalog, before, filter_by):
        """Compares the rows, and returns the rewritten table and the numbers of files that a filter reads."""
        table = catalog.load_table("demo.flights")
        self.assertEqual(values(before.scan().to_arrow()), values(table.scan().to_arrow()))
        rows_in = sum(task.file.record_count for task in table.scan().plan_files())
        self.assertEqual((0, rows_in), duckdb_differences(before, table))
        for task in table.scan().plan_files():
            self.check_metrics(table, task.file)
        counts = [len(list(t.scan(row_filter=filter_by).plan_files())) for t in (before, table)]
        self.assertEqual(
            values(before.scan(row_filter=filter_by).to_arrow()), values(table.scan(row_filter=filter_by).to_arrow()))
        return table, counts

    def check_metrics(self, table, file):
        """Compares the metrics of a file with its values."""
        path = file.file_path.removeprefix("file://")
        stored = pa.parquet.ParquetFile(path)
        fields = table.schema().fields
        self.assertEqual(
            [int(f.metadata[b"PARQUET:field_id"]) for f in stored.schema_arrow], [f.field_id for f in fields])
        data = stored.read()
        self.assertEqual(len(data), file.record_count)
        self.assertEqual(pathlib.Path(path).stat().st_size, file.file_size_in_bytes)
        for field in fields:
            column = data[field.name]
            if not field.field_type.is_primitive:
                continue
            self.assertEqual(len(column), file.value_counts[field.field_id], field.name)
            self.assertEqual(column.null_count, file.null_value_counts[field.field_id], field.name)
            known = [v for v in column.to_pylist() if v is not None and v == v]
            if field.name == "distance":
                self.assertEqual(
                    len(column) - column.null_count - len(known), file.nan_value_counts[field.field_id])
            if known and field.name in ("id", "time", "delay", "distance", "price", "date", "origin"):
                low = from_bytes(field.field_type, file.lower_bounds[field.field_id])
                high = from_bytes(field.field_type, file.upper_bounds[field.field_id])
                self.assertEqual((plain(min(known)), plain(max(known))), (low, high), field.name)

    def test_unpartitioned(self):
        order = SortOrder(
            SortField(13, IdentityTransform(), SortDirection.ASC, NullOrder.NULLS_FIRST),
            SortField(1, IdentityTransform(), SortDirection.DESC, NullOrder.NULLS_LAST), order_id=1)
        catalog, before = self.table(order=order, properties={"write.parquet.compression-codec": "snappy"})
        result = rewrite(self.database, "demo.flights", "--target-file-size", "12KiB")
        self.assertGreater(result["files_out"], 2)
        table, counts = self.check(catalog, before, EqualTo("date", "2001-03-10"))
        self.assertEqual(4, counts[0])
        self.assertLessEqual(counts[1], 2)
        ids, last = [], None
        for task in sorted(table.scan().plan_files(), key=lambda task: task.file.file_path):
            self.assertEqual(1, task.file.sort_order_id)
            read = pa.parquet.ParquetFile(task.file.file_path.removeprefix("file://"))
            self.assertEqual("SNAPPY", read.metadata.row_group(0).column(0).compression)
            for row in read.read(["date", "id"]).to_pylist():
                key = (row["date"] or datetime.date.min, -row["id"])
                self.assertTrue(last is None or last < key)
                last = key
                ids.append(row["id"])
        self.assertEqual(1200, len(set(ids)))
        self.assertEqual("replace", table.current_snapshot().summary.operation.value)

    def test_partitioned(self):
        spec = PartitionSpec(
            PartitionField(2, 1000, IdentityTransform(), "origin"),
            PartitionField(3, 1001, DayTransform(), "time_day"),
            PartitionField(1, 1002, BucketTransform(2), "id_bucket"))
        catalog, before = self.table(spec=spec, files=2)
        result = rewrite(self.database, "demo.flights", "--sort", "distance desc, id")
        table, counts = self.check(catalog, before, EqualTo("origin", "ORD"))
        self.assertLess(counts[1], counts[0])
        partitions = [
            {repr(task.file.partition): 0 for task in t.scan().plan_files()} for t in (before, table)]
        self.assertEqual(partitions[0].keys(), partitions[1].keys())
        self.assertEqual(len(partitions[1]), result["files_out"])

    def test_deleted_rows(self):
        """Tables whose files pyiceberg has rewritten for deleted rows."""
        catalog, before = self.table()
        before.delete("delay < 10")
        rewrite(self.database, "demo.flights", "--curve", "hilbert", "--sort", "origin, date")
        self.check(catalog, catalog.load_table("demo.flights").refresh() and before, EqualTo("origin", "ORD"))

    def test_table_of_iceberg_go(self):
        folder = self.folder / "demo"
        subprocess.run(
            [DEMO, "--source", str(pathlib.Path(__file__).parents[3] / "examples/data/flights.parquet"), str(folder)],
            check=True, stdout=subprocess.PIPE)
        database = folder / "catalog.db"
        catalog = SqlCatalog("demo", uri="sqlite:///%s" % database, warehouse="file://%s/warehouse" % folder)
        before = catalog.load_table("demo.flights")
        before.append(before.scan(limit=1000).to_arrow())  # a file whose Arrow types are those of pyiceberg
        rewrite(database, "demo.flights", "--sort", "origin, date desc", "--target-file-size", "64KiB")
        after = catalog.load_table("demo.flights")
        self.assertEqual((0, len(before.scan().to_arrow())), duckdb_differences(before, after))
        some = EqualTo("origin", "ORD")
        sort = [(name, "ascending") for name in before.schema().column_names]
        read = [t.scan(row_filter=some).to_arrow().sort_by(sort) for t in (before, after)]
        self.assertTrue(read[0].equals(read[1]))
        counts = [len(list(t.scan(row_filter=some).plan_files())) for t in (before, after)]
        self.assertLess(counts[1], counts[0])


def plain(value):
    """A value as pyiceberg's bounds have it."""
    if isinstance(value, datetime.datetime):
        return (value - datetime.datetime(1970, 1, 1, tzinfo=UTC)) // datetime.timedelta(microseconds=1)
    if isinstance(value, datetime.date):
        return (value - datetime.date(1970, 1, 1)).days
    return value


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
