package icebergsort

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"
	"github.com/stretchr/testify/require"
)

func TestLocations(t *testing.T) {
	for location, want := range map[string]string{
		"s3://bucket/table":    "scheme s3",
		"gs://bucket/table":    "scheme gs",
		"hdfs://host/table":    "scheme hdfs",
		"abfss://c@host/table": "scheme abfss",
		"file://host/table":    "no URI of a file of this machine",
		"file:///a#b":          "no URI of a file of this machine",
		"file:///a?b":          "no URI of a file of this machine",
		"file:///a%b":          "invalid URL escape",
	} {
		_, err := localPath(location)
		require.ErrorIs(t, err, ErrUnsupported)
		require.ErrorContains(t, err, want)
		require.ErrorIs(t, checkFolder(location), ErrUnsupported)
	}
	for location, want := range map[string]string{
		"/a/b:c": "/a/b:c", "file:///a/b": "/a/b", "file:/a/b": "/a/b", "a/b:c": "a/b:c", "a/b": "a/b",
		"FILE://localhost/a b": "/a b", "file:///a%20b": "/a b", "/a%20b": "/a%20b", "/a#b?": "/a#b?",
	} {
		path, err := localPath(location)
		require.NoError(t, err)
		require.Equal(t, want, path)
		require.NoError(t, checkFolder(location))
	}
}

// A URI with a % is a file of this name, if there is one, and of the decoded name otherwise.
func TestEncodedLocations(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"decoded:1", "literal%3A1", "both:1", "both%3A1", "only%3A1"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o666))
	}
	for name, want := range map[string]string{"decoded%3A1": "decoded:1", "literal%3A1": "literal%3A1",
		"both%3A1": "both%3A1", "only%3A1": "only%3A1", "none%3A1": "none:1"} {
		path, err := localPath("file://" + filepath.Join(folder, name))
		require.NoError(t, err)
		require.Equal(t, filepath.Join(folder, want), path)
		require.Equal(t, strings.Contains(want, "%"), checkFolder("file://"+filepath.Join(folder, name)) != nil)
	}
}

// strangeOrigins are values of a partition, which are in the names of folders.
var strangeOrigins = []string{"a b", "a%20b", "a/b", "#?", "ä", "x=y&z", "[*]", "..", ".", "t:1"}

// newStrangeTable makes a table below a location, with a partition for each of strangeOrigins and two files in each.
func newStrangeTable(t *testing.T, warehouse string) (catalog.Catalog, error) {
	t.Helper()
	cat, err := OpenCatalog(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "c.db"), CatalogOptions{Name: "demo",
		Create: true, Warehouse: warehouse})
	require.NoError(t, err)
	require.NoError(t, cat.CreateNamespace(t.Context(), []string{"demo"}, nil))
	spec := iceberg.NewPartitionSpec(iceberg.PartitionField{SourceIDs: []int{1}, FieldID: 1000, Name: "origin",
		Transform: iceberg.IdentityTransform{}})
	tbl, err := cat.CreateTable(t.Context(), tableName, flights(), catalog.WithPartitionSpec(&spec))
	if err != nil {
		return nil, err
	}
	columns, err := table.SchemaToArrowSchema(flights(), nil, true, false)
	require.NoError(t, err)
	for k := range 2 {
		var rows []string
		for i, o := range strangeOrigins {
			rows = append(rows, fmt.Sprintf(`{"origin": %q, "id": %d}`, o, 100*k+i))
		}
		rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, columns,
			strings.NewReader("["+strings.Join(rows, ",")+"]"))
		require.NoError(t, err)
		tbl = appendRows(t, tbl, rec)
	}
	return cat, nil
}

// Tables in folders of any name are rewritten, whatever values their partitions have; what is committed is found by
// readers and is no orphan. In a URI a folder is encoded, or as it is.
func TestStrangeFolders(t *testing.T) {
	for i, warehouse := range []string{"plain", "a b", "a%20b", "a[b]", "ä+&", "file://plain", "file://a b",
		"file://a%20b", "file://a[b]", "file://ä+&"} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			t.Log(warehouse)
			root := t.TempDir()
			name, uri := strings.CutPrefix(warehouse, "file://")
			folder := filepath.Join(root, name)
			if uri {
				folder = "file://" + folder
			}
			cat, err := newStrangeTable(t, folder)
			require.NoError(t, err)
			result, tbl := rewrite(t.Context(), t, cat, Options{Sort: "id"})
			require.Equal(t, len(strangeOrigins), result.FilesOut)
			for _, f := range dataFiles(t, tbl) {
				require.NotContains(t, strings.TrimPrefix(f.FilePath(), tbl.Location()), "%", warehouse)
			}
			requireNoOrphans(t, cat)
			local, err := localPath(tbl.Location())
			require.NoError(t, err)
			left := filepath.Join(local, "left")
			require.NoError(t, os.WriteFile(left, nil, 0o666))
			require.Equal(t, []string{left}, orphans(t, cat))
		})
	}
}

// Java and Python write a % of a location as it is: such files are read, copied where rows are deleted, and no orphans.
func TestFilesNamedByOtherWriters(t *testing.T) {
	for _, deleted := range []bool{false, true} {
		cat, err := newStrangeTable(t, "file://"+filepath.Join(t.TempDir(), "w"))
		require.NoError(t, err)
		tbl := reload(t, cat)
		if deleted {
			tbl = deleteWhere(t, tbl, "id >= 100", "merge-on-read")
		}
		want, _ := rowsOf(t, tbl)
		paths := map[string]bool{}
		tasks, err := tbl.Scan().PlanFiles(t.Context())
		require.NoError(t, err)
		for _, task := range tasks {
			for _, f := range append(deleteFiles(task), task.File) {
				paths[f.FilePath()] = true
			}
		}
		for location := range paths {
			literal := strings.TrimPrefix(location, "file://")
			path, err := localPath(location)
			require.NoError(t, err)
			require.NoError(t, os.MkdirAll(filepath.Dir(literal), 0o777))
			require.NoError(t, os.Rename(path, literal))
		}
		require.Empty(t, orphans(t, cat))
		_, err = Orphans(t.Context(), cat, tableName, OrphanOptions{OlderThan: 1, Remove: true})
		require.NoError(t, err)
		_, err = Rewrite(t.Context(), cat, tableName, Options{Sort: "id"})
		require.NoError(t, err)
		got, _ := rowsOf(t, reload(t, cat))
		require.Equal(t, want, got)
		require.Empty(t, orphans(t, cat))
	}
}

// What stands of several outputs is removed, in folders whose names are patterns, too, and nothing else.
func TestSeriesAreRemoved(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a[b]*?")
	require.NoError(t, os.MkdirAll(folder, 0o777))
	for _, name := range []string{"x.parquet", "x-1.parquet", "x-00002.parquet", "y-1.parquet", "old.parquet"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o666))
	}
	require.NoError(t, removeSeries(filepath.Join(folder, "x.parquet")))
	require.Equal(t, []string{filepath.Join(folder, "old.parquet"), filepath.Join(folder, "y-1.parquet")},
		filesBelow(t, folder))
}
