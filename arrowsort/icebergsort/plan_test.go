package icebergsort

import (
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"
	"github.com/stretchr/testify/require"
)

// Files that a scan divides into several tasks are one file: of a dry run, of a rewrite, and where rows are deleted.
func TestLargeFilesAreOneFile(t *testing.T) {
	for _, deleted := range []bool{false, true} {
		cat, _ := newCatalog(t)
		tbl := newTable(t, cat, flights(), catalog.WithProperties(iceberg.Properties{
			"read.split.target-size": "2000", "write.parquet.row-group-limit": "100"}))
		tbl = fillTable(t, tbl, seeded(t), 2, 1000)
		if deleted {
			tbl = deleteWhere(t, tbl, "id < 50", "merge-on-read")
		}
		tasks, err := tbl.Scan().PlanFiles(t.Context())
		require.NoError(t, err)
		require.Greater(t, len(tasks), 4)
		result, _ := rewrite(t.Context(), t, cat, Options{Sort: "id", DryRun: true})
		require.Equal(t, 2, result.FilesIn)
		require.Equal(t, int64(2000), result.Rows)
		result, _ = rewrite(t.Context(), t, cat, Options{Sort: "id"})
		require.Equal(t, 2, result.FilesIn)
	}
}

// A table that has a file twice has its rows twice, and cannot be rewritten.
func TestFilesThatAreInTheTableTwice(t *testing.T) {
	cat, _ := newCatalog(t)
	tbl := fillTable(t, newTable(t, cat, flights()), seeded(t), 1, 10)
	paths := []string{dataFiles(t, tbl)[0].FilePath()}
	transact(t, tbl, func(tx *table.Transaction) error { return tx.AddFiles(t.Context(), paths, nil, true) })
	_, err := Rewrite(t.Context(), cat, tableName, Options{Sort: "id"})
	require.ErrorIs(t, err, ErrUnsupported)
	require.ErrorContains(t, err, "twice")
}

// A second rewrite in the table's order has nothing to do, with and without a dry run, until something has changed.
func TestFilesInOrderAreLeft(t *testing.T) {
	rng := seeded(t)
	cat, _ := newCatalog(t)
	sorting, err := table.NewSortOrder(1, []table.SortField{{SourceIDs: []int{5},
		Transform: iceberg.IdentityTransform{}, Direction: table.SortASC, NullOrder: table.NullsFirst}})
	require.NoError(t, err)
	fillTable(t, newTable(t, cat, flights(), catalog.WithSortOrder(sorting)), rng, 3, 2000)
	first, tbl := rewrite(t.Context(), t, cat, Options{TargetFileSize: smallFiles})
	require.Greater(t, first.FilesOut, 2)
	for _, opts := range []Options{{}, {Sort: "id"}, {Sort: "id nulls first"}, {DryRun: true}, {Where: "id < 100"}} {
		opts.TargetFileSize = smallFiles
		result, same := rewrite(t.Context(), t, cat, opts)
		require.Equal(t, 0, result.FilesIn)
		require.Positive(t, result.FilesKept)
		require.False(t, result.Committed)
		require.Equal(t, tbl.MetadataLocation(), same.MetadataLocation())
	}
	for name, opts := range map[string]Options{
		"another size":  {TargetFileSize: 1 << 20},
		"another order": {TargetFileSize: smallFiles, Sort: "id desc"},
		"more columns":  {TargetFileSize: smallFiles, Sort: "id, date"},
	} {
		opts.DryRun = true
		result, _ := rewrite(t.Context(), t, cat, opts)
		require.Equal(t, first.FilesOut, result.FilesIn, name)
		require.Equal(t, 0, result.FilesKept, name)
	}
	for name, change := range map[string]func(tbl *table.Table){
		"rows are deleted": func(tbl *table.Table) { deleteWhere(t, tbl, "id = 7", "merge-on-read") },
		"files overlap":    func(tbl *table.Table) { appendRows(t, tbl, random(t, tbl.Schema(), rng, 50, 100)) },
	} {
		change(reload(t, cat))
		result, _ := rewrite(t.Context(), t, cat, Options{TargetFileSize: smallFiles})
		require.True(t, result.Committed, name)
	}
}

// Files share values where both have nulls or NaN, which bounds do not have.
func TestFilesThatShareNulls(t *testing.T) {
	double := iceberg.PrimitiveTypes.Float64
	p := &plan{target: 1000, order: &order{id: 1, exact: true, fields: []iceberg.NestedField{{ID: 4, Type: double}}}}
	one := 1
	file := func(low, high, nulls, nans byte) iceberg.DataFile {
		b, err := iceberg.NewDataFileBuilder(*iceberg.UnpartitionedSpec, iceberg.EntryContentData, "/x",
			iceberg.ParquetFile, nil, nil, nil, 10, 1000)
		require.NoError(t, err)
		bound := func(v byte) []byte { return []byte{7: 0x40, 6: v} }
		return b.LowerBoundValues(map[int][]byte{4: bound(low)}).UpperBoundValues(map[int][]byte{4: bound(high)}).
			NullValueCounts(map[int]int64{4: int64(nulls)}).NaNValueCounts(map[int]int64{4: int64(nans)}).
			SortOrderID(one).Build()
	}
	for name, c := range map[string]struct {
		files []iceberg.DataFile
		want  bool
	}{
		"apart":       {[]iceberg.DataFile{file(1, 2, 1, 0), file(3, 4, 0, 1)}, true},
		"at a border": {[]iceberg.DataFile{file(3, 4, 0, 0), file(1, 3, 0, 0)}, true},
		"overlap":     {[]iceberg.DataFile{file(1, 3, 0, 0), file(2, 4, 0, 0)}, false},
		"within":      {[]iceberg.DataFile{file(1, 9, 0, 0), file(2, 4, 0, 0)}, false},
		"nulls":       {[]iceberg.DataFile{file(1, 2, 1, 0), file(3, 4, 1, 0)}, false},
		"NaN":         {[]iceberg.DataFile{file(1, 2, 0, 1), file(3, 4, 0, 1)}, false},
	} {
		require.Equal(t, c.want, p.settledFiles(c.files), name)
	}
}
