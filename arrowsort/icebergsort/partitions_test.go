package icebergsort

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"
	"github.com/stretchr/testify/require"
)

// byCarrier is a table of flights, partitioned by a text, with the rows of a JSON text.
func byCarrier(t *testing.T, cat catalog.Catalog, field, rows string) *table.Table {
	t.Helper()
	fields := append(flights().Fields(), iceberg.NestedField{ID: 6, Name: "carrier",
		Type: iceberg.PrimitiveTypes.String})
	spec := iceberg.NewPartitionSpec(iceberg.PartitionField{SourceIDs: []int{6}, FieldID: 1000, Name: field,
		Transform: iceberg.IdentityTransform{}})
	tbl := newTable(t, cat, iceberg.NewSchema(0, fields...), catalog.WithPartitionSpec(&spec))
	columns, err := table.SchemaToArrowSchema(tbl.Schema(), nil, true, false)
	require.NoError(t, err)
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, columns, strings.NewReader(rows))
	require.NoError(t, err)
	defer rec.Release()
	return appendRows(t, tbl, rec)
}

// requireUnsupported checks that a rewrite is refused before any work, with a text.
func requireUnsupported(t *testing.T, cat catalog.Catalog, folder string, opts Options, text string) {
	t.Helper()
	before := filesBelow(t, folder)
	_, err := Rewrite(t.Context(), cat, tableName, opts)
	require.ErrorIs(t, err, ErrUnsupported)
	require.ErrorContains(t, err, text)
	require.Equal(t, before, filesBelow(t, folder))
}

// iceberg-go writes the empty text into the bounds of a manifest as if it were null, and readers skip it: also where
// the files of that partition are not rewritten.
func TestPartitionOfTheEmptyText(t *testing.T) {
	cat, folder := newCatalog(t)
	byCarrier(t, cat, "p", `[{"id": 1, "carrier": ""}, {"id": 2, "carrier": "b"}, {"id": 3}]`)
	for _, where := range []string{"", "carrier = 'b'"} {
		requireUnsupported(t, cat, folder, Options{Sort: "id desc", Where: where}, "the empty text as p")
	}
}

func dropPartition(tx *table.Transaction) error { return tx.UpdateSpec(true).RemoveField("p").Commit() }

// The value of a partition whose column was dropped would be lost, and with it which rows are deleted.
func TestPartitionsOfDroppedColumns(t *testing.T) {
	cat, folder := newCatalog(t)
	tbl := byCarrier(t, cat, "p", `[{"id": 1, "carrier": "a"}, {"id": 2, "carrier": "b"}, {"id": 3, "carrier": "b"}]`)
	deleteWhere(t, tbl, "id = 2", "merge-on-read")
	tbl = transact(t, reload(t, cat), dropPartition)
	changeSchema(t, tbl, func(u *table.UpdateSchema) { u.DeleteColumn([]string{"carrier"}) })
	for _, where := range []string{"", "id = 1"} {
		requireUnsupported(t, cat, folder, Options{Sort: "id", Where: where}, "by p, whose column")
	}
}

// A column that is dropped while a rewrite runs is a conflict, if the manifests have to be written again.
func TestPartitionColumnIsDroppedMeanwhile(t *testing.T) {
	cat, _ := newCatalog(t)
	byCarrier(t, cat, "p", `[{"id": 1, "carrier": "a"}, {"id": 2, "carrier": "b"}]`)
	faulty := &faultyCatalog{CatalogIO: cat}
	faulty.before = once(func() {
		changed := transact(t, reload(t, cat), dropPartition)
		changed = changeSchema(t, changed, func(u *table.UpdateSchema) { u.DeleteColumn([]string{"carrier"}) })
		fillTable(t, changed, seeded(t), 1, 10) // so that the rewrite is tried again
	})
	_, err := Rewrite(t.Context(), faulty, tableName, Options{Sort: "id desc"})
	require.ErrorIs(t, err, ErrConflict)
}

// Manifests cannot have any name of a partition field.
func TestNamesOfPartitionFields(t *testing.T) {
	for name, ok := range map[string]bool{"carrier_2": true, "_": true, "a-b": false, "1x": false, "ü": false,
		"": false, "a.b": false, "a b%": false} {
		require.Equal(t, ok, avroName.MatchString(name), name)
	}
}

// Files without the column that their folder names have its values nowhere else.
func TestFilesWithoutTheColumnOfTheirPartition(t *testing.T) {
	cat, folder := newCatalog(t)
	tbl := byCarrier(t, cat, "p", `[{"id": 1, "carrier": "a"}, {"id": 2, "carrier": "a"}]`)
	path, err := localPath(dataFiles(t, tbl)[0].FilePath())
	require.NoError(t, err)
	columns, err := table.SchemaToArrowSchema(flights(), nil, true, false)
	require.NoError(t, err)
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, columns, strings.NewReader(`[{"id": 1}, {"id": 2}]`))
	require.NoError(t, err)
	defer rec.Release()
	rows := array.NewTableFromRecords(columns, []arrow.RecordBatch{rec})
	defer rows.Release()
	f, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, pqarrow.WriteTable(rows, f, 2, nil, pqarrow.DefaultWriterProps()))
	requireUnsupported(t, cat, folder, Options{Sort: "id desc"}, "does not store the column of partition field p")
}

// Files of a table whose folder has two paths are no orphans.
func TestOrphansOfAFolderByALink(t *testing.T) {
	cat, folder := newCatalog(t)
	tbl := fillTable(t, newTable(t, cat, flights()), seeded(t), 2, 50)
	root, err := localPath(tbl.Location())
	require.NoError(t, err)
	link := filepath.Join(folder, "link")
	require.NoError(t, os.Symlink(root, link))
	move := table.NewSetLocationUpdate("file://" + link)
	_, _, err = cat.CommitTable(t.Context(), tableName, nil, []table.Update{move})
	require.NoError(t, err)
	require.Equal(t, "file://"+link, reload(t, cat).Location())
	require.Empty(t, orphans(t, cat))
}

// A context that ends while rows are copied leaves nothing.
func TestCancelledWhileRowsAreCopied(t *testing.T) {
	cat, _ := newCatalog(t)
	tbl := fillTable(t, newTable(t, cat, flights()), seeded(t), 2, 200)
	deleteWhere(t, tbl, "id < 10", "merge-on-read")
	opts := Options{Sort: "id"}
	opts.Memory.SpillDir = t.TempDir()
	p, err := makePlan(t.Context(), reload(t, cat), opts)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = (&writer{plan: p, opts: opts}).copyRows(ctx, p.groups[0])
	require.ErrorIs(t, err, context.Canceled)
	left, err := os.ReadDir(opts.Memory.SpillDir)
	require.NoError(t, err)
	require.Empty(t, left)
}
