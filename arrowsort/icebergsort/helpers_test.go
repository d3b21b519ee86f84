package icebergsort

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/internal/testrun"
)

var tableName = table.Identifier{"demo", "flights"}

// newCatalog creates a SQLite catalog with a namespace.
func newCatalog(t *testing.T) (catalog.Catalog, string) {
	t.Helper()
	folder := t.TempDir()
	cat, err := OpenCatalog(t.Context(), "sqlite:"+filepath.Join(folder, "catalog.db"), CatalogOptions{Name: "demo",
		Create: true, Warehouse: "file://" + filepath.Join(folder, "warehouse")})
	require.NoError(t, err)
	require.NoError(t, cat.CreateNamespace(t.Context(), []string{"demo"}, nil))
	return cat, folder
}

// newTable creates a table.
func newTable(t *testing.T, cat catalog.Catalog, schema *iceberg.Schema, opts ...catalog.CreateTableOpt) *table.Table {
	t.Helper()
	tbl, err := cat.CreateTable(t.Context(), tableName, schema, opts...)
	require.NoError(t, err)
	return tbl
}

// flights is a schema of a few columns: one to partition by, some to sort by.
func flights() *iceberg.Schema {
	return iceberg.NewSchema(0,
		iceberg.NestedField{ID: 1, Name: "origin", Type: iceberg.PrimitiveTypes.String},
		iceberg.NestedField{ID: 2, Name: "date", Type: iceberg.PrimitiveTypes.Date},
		iceberg.NestedField{ID: 3, Name: "delay", Type: iceberg.PrimitiveTypes.Int32},
		iceberg.NestedField{ID: 4, Name: "distance", Type: iceberg.PrimitiveTypes.Float64},
		iceberg.NestedField{ID: 5, Name: "id", Type: iceberg.PrimitiveTypes.Int64, Required: true})
}

// everyType is a schema with every type of versions 1 and 2 of the format, and nested ones.
func everyType() *iceberg.Schema {
	fields := []iceberg.NestedField{
		{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64, Required: true},
		{ID: 2, Name: "bool", Type: iceberg.PrimitiveTypes.Bool},
		{ID: 3, Name: "int", Type: iceberg.PrimitiveTypes.Int32},
		{ID: 4, Name: "float", Type: iceberg.PrimitiveTypes.Float32},
		{ID: 5, Name: "double", Type: iceberg.PrimitiveTypes.Float64},
		{ID: 6, Name: "date", Type: iceberg.PrimitiveTypes.Date},
		{ID: 7, Name: "time", Type: iceberg.PrimitiveTypes.Time},
		{ID: 8, Name: "timestamp", Type: iceberg.PrimitiveTypes.Timestamp},
		{ID: 9, Name: "timestamptz", Type: iceberg.PrimitiveTypes.TimestampTz},
		{ID: 10, Name: "string", Type: iceberg.PrimitiveTypes.String},
		{ID: 11, Name: "uuid", Type: iceberg.PrimitiveTypes.UUID},
		{ID: 12, Name: "fixed", Type: iceberg.FixedTypeOf(5)},
		{ID: 13, Name: "binary", Type: iceberg.PrimitiveTypes.Binary},
		{ID: 14, Name: "decimal9", Type: iceberg.DecimalTypeOf(9, 2)},
		{ID: 15, Name: "decimal18", Type: iceberg.DecimalTypeOf(18, 3)},
		{ID: 16, Name: "decimal38", Type: iceberg.DecimalTypeOf(38, 10)},
		{ID: 17, Name: "list", Type: &iceberg.ListType{ElementID: 18, Element: iceberg.PrimitiveTypes.String}},
		{ID: 19, Name: "map", Type: &iceberg.MapType{KeyID: 20, KeyType: iceberg.PrimitiveTypes.String, ValueID: 21,
			ValueType: iceberg.PrimitiveTypes.Float64}},
		{ID: 22, Name: "struct", Type: &iceberg.StructType{FieldList: []iceberg.NestedField{
			{ID: 23, Name: "a", Type: iceberg.PrimitiveTypes.Int32},
			{ID: 24, Name: "b", Type: iceberg.PrimitiveTypes.Float32}}}},
	}
	return iceberg.NewSchema(0, fields...)
}

// random returns rows of a schema. Column id counts from first; of other columns one in ten values is null, and few
// values differ. Floating-point numbers are also NaN, infinite and -0.0.
func random(t *testing.T, schema *iceberg.Schema, rng *rand.Rand, first, rows int) arrow.RecordBatch {
	t.Helper()
	columns, err := table.SchemaToArrowSchema(schema, nil, true, false)
	require.NoError(t, err)
	b := array.NewRecordBuilder(memory.DefaultAllocator, columns)
	defer b.Release()
	for i := range rows {
		for c, f := range columns.Fields() {
			if f.Name == "id" {
				b.Field(c).(*array.Int64Builder).Append(int64(first + i))
				continue
			}
			appendRandom(b.Field(c), rng)
		}
	}
	return b.NewRecordBatch()
}

func appendRandom(b array.Builder, rng *rand.Rand) {
	if rng.IntN(10) == 0 {
		b.AppendNull()
		return
	}
	n := rng.IntN(200)
	floats := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, math.MaxFloat32}
	float := float64(n)/4 - 20
	if n < len(floats) {
		float = floats[n]
	}
	switch b := b.(type) {
	case *array.BooleanBuilder:
		b.Append(n%2 == 0)
	case *array.Int32Builder:
		b.Append(int32(n - 100))
	case *array.Int64Builder:
		b.Append(int64(n-100) << 40)
	case *array.Float32Builder:
		b.Append(float32(float))
	case *array.Float64Builder:
		b.Append(float)
	case *array.Date32Builder:
		b.Append(arrow.Date32(n*100 - 3000))
	case *array.Time64Builder:
		b.Append(arrow.Time64(n) * 1_000_001)
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(n-100) * 86_400_000_001)
	case *array.StringBuilder:
		b.Append(strings.Repeat(string(rune('a'+n%26)), n%40) + string(rune(0x10000+n)))
	case *extensions.UUIDBuilder:
		b.AppendBytes([16]byte{byte(n), 1, 2, 15: byte(n)})
	case *array.FixedSizeBinaryBuilder:
		b.Append([]byte{byte(n), 0xff, 0, 1, byte(255 - n)})
	case *array.BinaryBuilder:
		b.Append(slices.Repeat([]byte{byte(n), 0xff}, n%20))
	case *array.Decimal128Builder:
		b.Append(decimal128.FromI64(int64(n-100) * 12345))
	case *array.ListBuilder:
		b.Append(true)
		for range n % 4 {
			appendRandom(b.ValueBuilder(), rng)
		}
	case *array.MapBuilder:
		b.Append(true)
		for i := range n % 3 {
			b.KeyBuilder().(*array.StringBuilder).Append(fmt.Sprint("key", i))
			appendRandom(b.ItemBuilder(), rng)
		}
	case *array.StructBuilder:
		b.Append(true)
		for i := range b.NumField() {
			appendRandom(b.FieldBuilder(i), rng)
		}
	default:
		panic(fmt.Sprintf("a builder of %T", b))
	}
}

// fillTable appends batches of random rows, each in a separate commit, and returns the table.
func fillTable(t *testing.T, tbl *table.Table, rng *rand.Rand, batches, rows int) *table.Table {
	t.Helper()
	for i := range batches {
		tbl = appendRows(t, tbl, random(t, tbl.Schema(), rng, i*rows, rows))
	}
	return tbl
}

func appendRows(t *testing.T, tbl *table.Table, rec arrow.RecordBatch) *table.Table {
	t.Helper()
	defer rec.Release()
	r, err := array.NewRecordReader(rec.Schema(), []arrow.RecordBatch{rec})
	require.NoError(t, err)
	defer r.Release()
	tbl, err = tbl.Append(t.Context(), r, nil)
	require.NoError(t, err)
	return tbl
}

// transact commits a transaction and returns the table after it.
func transact(t *testing.T, tbl *table.Table, with func(tx *table.Transaction) error) *table.Table {
	t.Helper()
	tx := tbl.NewTransaction()
	require.NoError(t, with(tx))
	tbl, err := tx.Commit(t.Context())
	require.NoError(t, err)
	return tbl
}

// seeded returns the random numbers of a test.
func seeded(t *testing.T) *rand.Rand {
	t.Helper()
	t.Logf("ARROWSORT_SEED=%d", testrun.Seed())
	return rand.New(rand.NewPCG(testrun.Seed(), 34))
}

// reload returns the table as the catalog has it.
func reload(t *testing.T, cat table.CatalogIO) *table.Table {
	t.Helper()
	tbl, err := cat.LoadTable(t.Context(), tableName)
	require.NoError(t, err)
	return tbl
}

// rowsOf returns the rows of a table as texts in the order of the texts, and those of each of its data files in the
// order of the file, by the file's path.
func rowsOf(t *testing.T, tbl *table.Table) (all []string, byFile map[string][]string) {
	t.Helper()
	tasks, err := tbl.Scan().PlanFiles(t.Context())
	require.NoError(t, err)
	byFile = map[string][]string{}
	for _, task := range tasks {
		_, records, err := tbl.Scan().ReadTasks(t.Context(), []table.FileScanTask{task})
		require.NoError(t, err)
		path := task.File.FilePath()
		for rec, err := range records {
			require.NoError(t, err)
			for i := range int(rec.NumRows()) {
				byFile[path] = append(byFile[path], rowText(rec, i))
			}
			rec.Release()
		}
	}
	for _, rows := range byFile {
		all = append(all, rows...)
	}
	slices.Sort(all)
	return all, byFile
}

func rowText(rec arrow.RecordBatch, row int) string {
	var b strings.Builder
	for c, column := range rec.Columns() {
		fmt.Fprintf(&b, "%s=%s|", rec.ColumnName(c), column.ValueStr(row))
	}
	return b.String()
}

// dataFiles returns the data files of the current snapshot, in the order of their paths.
func dataFiles(t *testing.T, tbl *table.Table, opts ...table.ScanOption) []iceberg.DataFile {
	t.Helper()
	tasks, err := tbl.Scan(opts...).PlanFiles(t.Context())
	require.NoError(t, err)
	files := make([]iceberg.DataFile, len(tasks))
	for i, task := range tasks {
		files[i] = task.File
	}
	slices.SortFunc(files, func(a, b iceberg.DataFile) int { return strings.Compare(a.FilePath(), b.FilePath()) })
	return files
}

// filesBelow returns the files in a folder and all folders in it.
func filesBelow(t *testing.T, folder string) (paths []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			paths = append(paths, path)
		}
		return err
	}))
	return paths
}

// rewrite rewrites the table of a catalog and compares its rows with those from before.
func rewrite(ctx context.Context, t *testing.T, cat table.CatalogIO, opts Options) (*Result, *table.Table) {
	t.Helper()
	before, _ := rowsOf(t, reload(t, cat))
	opts.Memory.SpillDir = t.TempDir()
	result, err := Rewrite(ctx, cat, tableName, opts)
	require.NoError(t, err)
	tbl := reload(t, cat)
	after, _ := rowsOf(t, tbl)
	require.Equal(t, before, after)
	left, err := os.ReadDir(opts.Memory.SpillDir)
	require.NoError(t, err)
	require.Empty(t, left)
	return result, tbl
}
