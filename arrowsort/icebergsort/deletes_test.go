package icebergsort

import (
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"
	"github.com/stretchr/testify/require"
)

// deleteWhere deletes rows in one of the modes of the property write.delete.mode.
func deleteWhere(t *testing.T, tbl *table.Table, where, mode string) *table.Table {
	t.Helper()
	filter, err := parseWhere(where, tbl.Schema())
	require.NoError(t, err)
	return transact(t, tbl, func(tx *table.Transaction) error {
		require.NoError(t, tx.SetProperties(iceberg.Properties{"write.delete.mode": mode}))
		return tx.Delete(t.Context(), filter, nil)
	})
}

// Rows that position deletes have deleted are not in the new files; the delete files that no other file needs go with
// the old files, and the others stay and still apply.
func TestPositionDeletesAreApplied(t *testing.T) {
	for _, partitioned := range []bool{false, true} {
		t.Run(strconv.FormatBool(partitioned), func(t *testing.T) {
			cat, _ := newCatalog(t)
			var opts []catalog.CreateTableOpt
			if partitioned {
				spec := iceberg.NewPartitionSpec(iceberg.PartitionField{SourceIDs: []int{3}, FieldID: 1000,
					Name: "delay_bucket", Transform: iceberg.BucketTransform{NumBuckets: 2}})
				opts = append(opts, catalog.WithPartitionSpec(&spec))
			}
			old := fillTable(t, newTable(t, cat, flights(), opts...), seeded(t), 3, 200)
			deleteWhere(t, old, "id >= 50 and id < 250 and delay > -60", "merge-on-read")
			all, _ := rowsOf(t, reload(t, cat))
			deleted := int64(600 - len(all))
			require.Positive(t, deleted)

			// The files with ids from 400 on have no deleted rows, those before 200 are left out here.
			first, _ := rewrite(t.Context(), t, cat, Options{Sort: "date", Where: "id >= 200"})
			require.Positive(t, first.DeleteFiles)
			require.Positive(t, first.RowsDeleted)
			require.Less(t, first.RowsDeleted, deleted)
			result, tbl := rewrite(t.Context(), t, cat, Options{Sort: "date"})
			require.Equal(t, deleted, first.RowsDeleted+result.RowsDeleted)
			tasks, err := tbl.Scan().PlanFiles(t.Context())
			require.NoError(t, err)
			for _, task := range tasks {
				require.Empty(t, deleteFiles(task))
			}
			require.Equal(t, strconv.Itoa(len(all)), tbl.CurrentSnapshot().Summary.Properties["total-records"])
			require.Contains(t, []string{"", "0"}, tbl.CurrentSnapshot().Summary.Properties["total-delete-files"])
		})
	}
}

// All rows of a file may have been deleted: no file is written for them.
func TestAllRowsDeleted(t *testing.T) {
	cat, _ := newCatalog(t)
	tbl := fillTable(t, newTable(t, cat, flights()), seeded(t), 1, 200)
	deleteWhere(t, tbl, "id < 150", "merge-on-read")
	deleteWhere(t, reload(t, cat), "id < 200 and id > 100", "merge-on-read")
	result, tbl := rewrite(t.Context(), t, cat, Options{Sort: "date"})
	require.Equal(t, int64(200), result.RowsDeleted)
	require.Equal(t, 0, result.FilesOut)
	require.Empty(t, dataFiles(t, tbl))
	requireNoOrphans(t, cat)
}

// The files of a partition whose rows have all been deleted go; those of the others are written.
func TestAllRowsOfAPartitionDeleted(t *testing.T) {
	cat, _ := newCatalog(t)
	spec := iceberg.NewPartitionSpec(iceberg.PartitionField{SourceIDs: []int{5}, FieldID: 1000, Name: "id_range",
		Transform: iceberg.TruncateTransform{Width: 100}})
	fillTable(t, newTable(t, cat, flights(), catalog.WithPartitionSpec(&spec)), seeded(t), 1, 500)
	deleteWhere(t, reload(t, cat), "id >= 200 and id < 250", "merge-on-read")
	deleteWhere(t, reload(t, cat), "id > 230 and id < 300", "merge-on-read")
	result, _ := rewrite(t.Context(), t, cat, Options{Sort: "date"})
	require.Equal(t, 5, result.Partitions)
	require.Equal(t, 4, result.FilesOut)
	require.Equal(t, int64(100), result.RowsDeleted)
	requireNoOrphans(t, cat)
}

// deleteIDs deletes rows of a table of flights by their ids, with an equality delete file.
func deleteIDs(t *testing.T, tbl *table.Table, ids ...int64) *table.Table {
	t.Helper()
	columns, err := table.SchemaToArrowSchema(tbl.Schema(), nil, true, false)
	require.NoError(t, err)
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(columns.Fields()[4:], nil))
	defer b.Release()
	b.Field(0).(*array.Int64Builder).AppendValues(ids, nil)
	return transact(t, tbl, func(tx *table.Transaction) error {
		return tx.CommitEqualityDeletes(t.Context(), []int{5}, func(yield func(arrow.RecordBatch, error) bool) {
			yield(b.NewRecordBatch(), nil)
		}, nil)
	})
}

// Equality deletes apply to rows that are older than they are: such rows go, and newer rows of the same values stay,
// before and after a rewrite of some of the files.
func TestEqualityDeletesAreApplied(t *testing.T) {
	rng := seeded(t)
	cat, _ := newCatalog(t)
	tbl := fillTable(t, newTable(t, cat, flights()), rng, 2, 200)
	tbl = deleteIDs(t, tbl, 7, 150, 250, 999)
	appendRows(t, tbl, random(t, tbl.Schema(), rng, 150, 1)) // again
	all, _ := rowsOf(t, reload(t, cat))
	require.Len(t, all, 398)

	result, _ := rewrite(t.Context(), t, cat, Options{Sort: "date", Where: "id < 100"})
	require.Equal(t, int64(2), result.RowsDeleted)
	require.Equal(t, 1, result.DeleteFiles)
	result, tbl = rewrite(t.Context(), t, cat, Options{Sort: "date"})
	require.Equal(t, int64(1), result.RowsDeleted)
	require.Equal(t, "0", tbl.CurrentSnapshot().Summary.Properties["total-equality-deletes"])
}

// A filter chooses files, not delete files: rows that were deleted stay deleted, whether they pass the filter or not.
func TestFiltersKeepDeletes(t *testing.T) {
	for _, where := range []string{"id < 100", "origin = 'A'", "distance < 0"} {
		t.Run(where, func(t *testing.T) {
			cat, _ := newCatalog(t)
			tbl := fillTable(t, newTable(t, cat, flights()), seeded(t), 2, 200)
			deleteIDs(t, tbl, 150, 170)
			result, _ := rewrite(t.Context(), t, cat, Options{Sort: "date", Where: where})
			require.Equal(t, min(int64(result.FilesIn), 1)*2, result.RowsDeleted)
		})
	}
}
