package icebergsort

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"
	"github.com/stretchr/testify/require"
)

// Files from before a change of the schema become files of the current schema.
func TestSchemasThatHaveChanged(t *testing.T) {
	rng := seeded(t)
	cat, _ := newCatalog(t)
	fillTable(t, newTable(t, cat, flights()), rng, 2, 300)
	tx := reload(t, cat).NewTransaction()
	update := tx.UpdateSchema(true, false).
		AddColumn([]string{"carrier"}, iceberg.PrimitiveTypes.String, "", false, nil).
		RenameColumn([]string{"origin"}, "departure").
		DeleteColumn([]string{"distance"}).
		UpdateColumn([]string{"delay"}, table.ColumnUpdate{FieldType: iceberg.Optional[iceberg.Type]{Valid: true,
			Val: iceberg.PrimitiveTypes.Int64}})
	require.NoError(t, update.Commit())
	tbl, err := tx.Commit(t.Context())
	require.NoError(t, err)
	appendRows(t, tbl, random(t, tbl.Schema(), rng, 600, 300))

	_, tbl = rewrite(t.Context(), t, cat, Options{Sort: "departure, id"})
	requireSorted(t, tbl, "departure, id")
	for _, f := range dataFiles(t, tbl) {
		path, err := localPath(f.FilePath())
		require.NoError(t, err)
		columns, err := currentColumns(path, tbl.Schema())
		require.NoError(t, err)
		require.NotNil(t, columns)
	}
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
			tx := tbl.NewTransaction()
			if want == "format version 3" {
				require.NoError(t, tx.UpgradeFormatVersion(3))
			}
			require.NoError(t, tx.SetProperties(properties))
			_, err := tx.Commit(t.Context())
			require.NoError(t, err)
			before := filesBelow(t, folder)
			_, err = Rewrite(t.Context(), cat, tableName, Options{Sort: "id"})
			require.ErrorIs(t, err, ErrUnsupported)
			require.ErrorContains(t, err, want)
			require.Equal(t, before, filesBelow(t, folder))
		})
	}
	for location, want := range map[string]string{
		"s3://bucket/table":    "scheme s3",
		"gs://bucket/table":    "scheme gs",
		"hdfs://host/table":    "scheme hdfs",
		"abfss://c@host/table": "scheme abfss",
	} {
		_, err := localPath(location)
		require.ErrorIs(t, err, ErrUnsupported)
		require.ErrorContains(t, err, want)
	}
	for location, want := range map[string]string{
		"/a/b:c": "/a/b:c", "file:///a/b": "/a/b", "file:/a/b": "/a/b", "a/b:c": "a/b:c", "a/b": "a/b",
	} {
		path, err := localPath(location)
		require.NoError(t, err)
		require.Equal(t, want, path)
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

func TestCatalogAddresses(t *testing.T) {
	folder := t.TempDir()
	for address, want := range map[string]string{
		"":                           "give sqlite:PATH",
		"catalog.db":                 "give sqlite:PATH",
		"glue:":                      "give sqlite:PATH",
		"sqlite:" + folder + "/x.db": "there is no catalog",
		"sqlite:":                    "there is no catalog",
	} {
		_, err := OpenCatalog(t.Context(), address, CatalogOptions{})
		require.ErrorIs(t, err, ErrOption, address)
		require.ErrorContains(t, err, want, address)
	}
	require.NoFileExists(t, folder+"/x.db")

	text := filepath.Join(folder, "text.db")
	require.NoError(t, os.WriteFile(text, []byte(strings.Repeat("no database ", 100)), 0o666))
	_, err := OpenCatalog(t.Context(), "sqlite:"+text, CatalogOptions{})
	require.ErrorIs(t, err, ErrOption)
	require.ErrorContains(t, err, "text.db is no catalog of Iceberg")

	two := "sqlite:///" + filepath.Join(folder, "two.db")
	for _, name := range []string{"first", "second"} {
		cat, err := OpenCatalog(t.Context(), two, CatalogOptions{Name: name, Create: true})
		require.NoError(t, err)
		require.NoError(t, cat.CreateNamespace(t.Context(), []string{"demo"}, nil))
		_, err = OpenCatalog(t.Context(), two, CatalogOptions{})
		if name == "first" {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, ErrOption)
			require.ErrorContains(t, err, "holds the catalogs first, second")
		}
	}
	_, err = OpenCatalog(t.Context(), two, CatalogOptions{Name: "second"})
	require.NoError(t, err)
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
			tx := tbl.NewTransaction()
			require.NoError(t, tx.UpdateSchema(true, false).RenameColumn([]string{"int"}, "number").Commit())
			tbl, err := tx.Commit(t.Context())
			require.NoError(t, err)
			return tbl
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
