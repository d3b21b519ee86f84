package icebergsort

import (
	"database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"
	"github.com/stretchr/testify/require"
)

// changes are what may happen to the schema of a table.
var changes = map[string][]func(u *table.UpdateSchema){
	"none":   nil,
	"rename": {func(u *table.UpdateSchema) { u.RenameColumn([]string{"origin"}, "departure") }},
	"add":    {func(u *table.UpdateSchema) { addText(u, "airport") }},
	"drop":   {func(u *table.UpdateSchema) { u.DeleteColumn([]string{"distance"}) }},
	"move":   {func(u *table.UpdateSchema) { u.MoveBefore([]string{"carrier"}, []string{"origin"}) }},
	"first":  {func(u *table.UpdateSchema) { u.MoveFirst([]string{"id"}) }},
	"promote": {func(u *table.UpdateSchema) {
		u.UpdateColumn([]string{"delay"}, table.ColumnUpdate{FieldType: iceberg.Optional[iceberg.Type]{Valid: true,
			Val: iceberg.PrimitiveTypes.Int64}})
	}},
	"drop and add": {func(u *table.UpdateSchema) {
		u.DeleteColumn([]string{"origin"})
		addText(u, "airport")
	}},
	"the same name": {
		func(u *table.UpdateSchema) { u.DeleteColumn([]string{"origin"}) },
		func(u *table.UpdateSchema) { addText(u, "origin") },
	},
	"exchange names": {
		func(u *table.UpdateSchema) { u.RenameColumn([]string{"origin"}, "x") },
		func(u *table.UpdateSchema) { u.RenameColumn([]string{"carrier"}, "origin") },
		func(u *table.UpdateSchema) { u.RenameColumn([]string{"x"}, "carrier") },
	},
}

func addText(u *table.UpdateSchema, name string) {
	u.AddColumn([]string{name}, iceberg.PrimitiveTypes.String, "", false, nil)
}

// changeSchema changes the schema of a table, without a snapshot.
func changeSchema(t *testing.T, tbl *table.Table, change func(u *table.UpdateSchema)) *table.Table {
	t.Helper()
	return transact(t, tbl, func(tx *table.Transaction) error {
		update := tx.UpdateSchema(true, true)
		change(update)
		return update.Commit()
	})
}

// Files from before a change of the schema become files of the current schema, whether a snapshot has it or not.
// Columns are those of their field ids: two that have exchanged their names or places keep their values.
func TestSchemasThatHaveChanged(t *testing.T) {
	for name, updates := range changes {
		for _, appended := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " appended ", appended), func(t *testing.T) {
				t.Parallel()
				rng := seeded(t)
				cat, _ := newCatalog(t)
				fields := append(flights().Fields(), iceberg.NestedField{ID: 6, Name: "carrier",
					Type: iceberg.PrimitiveTypes.String})
				tbl := fillTable(t, newTable(t, cat, iceberg.NewSchema(0, fields...)), rng, 2, 30)
				for _, update := range updates {
					tbl = changeSchema(t, tbl, update)
				}
				if appended {
					appendRows(t, tbl, random(t, tbl.Schema(), rng, 600, 30))
				}
				_, tbl = rewrite(t.Context(), t, cat, Options{Sort: "id"})
				requireSorted(t, tbl, "id")
				for _, f := range dataFiles(t, tbl) {
					path, err := localPath(f.FilePath())
					require.NoError(t, err)
					columns, err := currentColumns(path, tbl.Schema())
					require.NoError(t, err)
					require.NotNil(t, columns)
				}
			})
		}
	}
}

// Rows whose columns are not those of the table are an error, not columns of other names.
func TestRowsOfAnotherSchema(t *testing.T) {
	columns, err := table.SchemaToArrowSchema(flights(), nil, true, false)
	require.NoError(t, err)
	wrong := arrow.Field{Name: "delay", Type: arrow.PrimitiveTypes.Float64}
	for want, fields := range map[string][]arrow.Field{
		"rows of 4 columns were read":       columns.Fields()[:4],
		"column origin of type utf8 was":    slices.Insert(columns.Fields()[1:], 1, columns.Field(0)),
		"was read as delay of type float64": append(columns.Fields()[:2:2], wrong, columns.Field(3), columns.Field(4)),
	} {
		b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
		defer b.Release()
		for _, f := range b.Fields() {
			f.AppendEmptyValue()
		}
		to, err := ipc.NewFileWriter(io.Discard, ipc.WithSchema(columns))
		require.NoError(t, err)
		err = writeAs(to, columns, b.NewRecordBatch())
		require.ErrorIs(t, err, ErrUnsupported)
		require.ErrorContains(t, err, want)
		require.NoError(t, to.Close())
	}
}

// Values in other units and widths than Iceberg's, as pyarrow and others write them, become those of the table, and so
// do their bounds.
func TestUnitsOfOtherWriters(t *testing.T) {
	stored := arrow.NewSchema([]arrow.Field{
		withID("ms", 1, &arrow.TimestampType{Unit: arrow.Millisecond}),
		withID("small", 2, arrow.PrimitiveTypes.Int16),
		withID("unsigned", 3, arrow.PrimitiveTypes.Uint8)}, nil)
	cat, folder := newCatalog(t)
	tbl := newTable(t, cat, iceberg.NewSchema(0,
		iceberg.NestedField{ID: 1, Name: "ms", Type: iceberg.PrimitiveTypes.Timestamp},
		iceberg.NestedField{ID: 2, Name: "small", Type: iceberg.PrimitiveTypes.Int32},
		iceberg.NestedField{ID: 3, Name: "unsigned", Type: iceberg.PrimitiveTypes.Int32}))
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, stored, strings.NewReader(
		`[{"ms": "2001-03-01 00:00:00.001", "small": -5, "unsigned": 200},
		{"ms": "2001-02-01 00:00:00.001", "small": 5, "unsigned": 2}]`))
	require.NoError(t, err)
	path := filepath.Join(folder, "other.parquet")
	f, err := os.Create(path)
	require.NoError(t, err)
	to, err := pqarrow.NewFileWriter(stored, f, nil, pqarrow.DefaultWriterProps())
	require.NoError(t, err)
	require.NoError(t, to.Write(rec))
	require.NoError(t, to.Close())

	columns, err := currentColumns(path, tbl.Schema())
	require.NoError(t, err)
	require.Nil(t, columns)
	info, err := os.Stat(path)
	require.NoError(t, err)
	b, err := iceberg.NewDataFileBuilder(*iceberg.UnpartitionedSpec, iceberg.EntryContentData, "file://"+path,
		iceberg.ParquetFile, nil, nil, nil, 2, info.Size())
	require.NoError(t, err)
	transact(t, tbl, func(tx *table.Transaction) error {
		return tx.AddDataFiles(t.Context(), []iceberg.DataFile{b.Build()}, nil)
	})

	_, tbl = rewrite(t.Context(), t, cat, Options{Sort: "ms"})
	requireSorted(t, tbl, "ms")
	for text, want := range map[string]int{"ms > '2001-02-28T00:00:00'": 1, "ms > '2001-03-02T00:00:00'": 0,
		"ms < '2001-02-02T00:00:00'": 1, "unsigned > 199": 1, "unsigned > 200": 0, "small < -4": 1, "small < -5": 0} {
		where, err := parseWhere(text, tbl.Schema())
		require.NoError(t, err, text)
		require.Len(t, dataFiles(t, tbl, table.WithRowFilter(where)), want, text)
	}
}

func withID(name string, id int, typ arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: typ, Nullable: true,
		Metadata: arrow.NewMetadata([]string{"PARQUET:field_id"}, []string{fmt.Sprint(id)})}
}

// The order, the filter and everything else that was asked for wrongly, and tables that cannot be rewritten, are errors
// of one line before any file is written.
func TestBadInput(t *testing.T) {
	cat, folder := newCatalog(t)
	fillTable(t, newTable(t, cat, everyType()), seeded(t), 1, 10)
	before := filesBelow(t, folder)
	for want, opts := range map[string]Options{
		"no sort order":               {},
		"the table has no column x":   {Sort: "x"},
		"column list is a list":       {Sort: "list"},
		"column struct is a struct":   {Sort: "struct"},
		"within a list":               {Sort: "list.element"},
		"a row has many":              {Sort: "map.key"},
		"in the sort order twice":     {Sort: "int, date, int desc"},
		"a column is missing":         {Sort: "int,"},
		"filter \"x = 1\"":            {Sort: "int", Where: "x = 1"},
		"depth of 1":                  {Sort: "int", MinDepth: 1},
		"target file size of -1":      {Sort: "int", TargetFileSize: -1},
		"-1 threads":                  {Sort: "int", Threads: -1},
		"a curve is over 2 to 8":      {Sort: "int", Curve: 1},
		"the order has 9":             {Sort: "int,date,float,bool,time,string,uuid,fixed,binary", Curve: 2},
		"a sort order of no column":   {Sort: "  "},
		"\"desc\" follows column int": {Sort: "int desc desc"},
	} {
		if want == "a sort order of no column" {
			want = "the sort order is empty"
		}
		_, err := Rewrite(t.Context(), cat, tableName, opts)
		require.ErrorIs(t, err, ErrOption, want)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "\n")
	}
	_, err := Rewrite(t.Context(), cat, []string{"demo", "missing"}, Options{Sort: "int"})
	require.ErrorIs(t, err, catalog.ErrNoSuchTable)
	require.Equal(t, before, filesBelow(t, folder))
}

func TestTablesThatAreNotSupported(t *testing.T) {
	for want, properties := range map[string]iceberg.Properties{
		"format version 3": nil,
		targetFileSize:     {targetFileSize: "-5"},
		compressionCodec:   {compressionCodec: "lzo"},
		metricsDefault:     {metricsDefault: "some"},
	} {
		t.Run(want, func(t *testing.T) {
			cat, folder := newCatalog(t)
			tbl := fillTable(t, newTable(t, cat, flights()), seeded(t), 1, 10)
			transact(t, tbl, func(tx *table.Transaction) error {
				if want == "format version 3" {
					require.NoError(t, tx.UpgradeFormatVersion(3))
				}
				return tx.SetProperties(properties)
			})
			requireUnsupported(t, cat, folder, Options{Sort: "id"}, want)
		})
	}
}

// A table whose metadata are in an object store is an error of one line that names them.
func TestTablesInObjectStores(t *testing.T) {
	cat, folder := newCatalog(t)
	newTable(t, cat, flights())
	db, err := sql.Open("sqlite", filepath.Join(folder, "catalog.db"))
	require.NoError(t, err)
	defer db.Close()
	for _, location := range []string{"s3://bucket/v1.metadata.json", "gs://b/v1.json", "hdfs://h/v1.json"} {
		_, err = db.ExecContext(t.Context(), "UPDATE iceberg_tables SET metadata_location = ?", location)
		require.NoError(t, err)
		_, err = Rewrite(t.Context(), cat, tableName, Options{Sort: "id"})
		require.ErrorIs(t, err, ErrUnsupported, location)
		require.ErrorContains(t, err, location)
		require.NotContains(t, err.Error(), "\n")
	}
}

// A data file that is cut off, or gone, is an error that names it; the table and the folder stay as they were.
func TestDamagedFiles(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		"cut":  func(path string) error { return os.Truncate(path, 100) },
		"gone": os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			cat, folder := newCatalog(t)
			tbl := fillTable(t, newTable(t, cat, flights()), seeded(t), 3, 100)
			path, err := localPath(dataFiles(t, tbl)[1].FilePath())
			require.NoError(t, err)
			require.NoError(t, damage(path))
			before := filesBelow(t, folder)
			_, err = Rewrite(t.Context(), cat, tableName, Options{Sort: "id"})
			require.Error(t, err)
			require.ErrorContains(t, err, filepath.Base(path))
			require.Equal(t, before, filesBelow(t, folder))
			require.Equal(t, tbl.MetadataLocation(), reload(t, cat).MetadataLocation())
		})
	}
}

// Files are read as they are; only rows that delete files or an earlier schema have a say in are copied first.
func TestRowsAreCopiedWhereTheyHaveTo(t *testing.T) {
	rng := seeded(t)
	for name, change := range map[string]func(*table.Table) *table.Table{
		"as they are": func(tbl *table.Table) *table.Table { return tbl },
		"deletes": func(tbl *table.Table) *table.Table {
			return deleteWhere(t, tbl, "id < 5", "merge-on-read")
		},
		"another schema": func(tbl *table.Table) *table.Table {
			return changeSchema(t, tbl, func(u *table.UpdateSchema) { u.RenameColumn([]string{"int"}, "number") })
		},
	} {
		t.Run(name, func(t *testing.T) {
			cat, _ := newCatalog(t)
			tbl := change(fillTable(t, newTable(t, cat, everyType()), rng, 2, 50))
			p, err := makePlan(t.Context(), tbl, Options{Sort: "id"})
			require.NoError(t, err)
			w := &writer{plan: p}
			w.opts.Memory.SpillDir = t.TempDir()
			in, err := w.inputs(t.Context(), p.groups[0])
			require.NoError(t, err)
			defer in.remove()
			require.Equal(t, name == "as they are", in.copied == "")
			require.Len(t, in.paths, map[bool]int{true: 2, false: 1}[in.copied == ""])
		})
	}
}
