package icebergsort

import (
	"strconv"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"
	"github.com/stretchr/testify/require"
)

// deleteWhere deletes rows in one of the modes of the property write.delete.mode.
func deleteWhere(t *testing.T, tbl *table.Table, where, mode string) *table.Table {
	t.Helper()
	tx := tbl.NewTransaction()
	require.NoError(t, tx.SetProperties(iceberg.Properties{"write.delete.mode": mode}))
	filter, err := parseWhere(where, tbl.Schema())
	require.NoError(t, err)
	require.NoError(t, tx.Delete(t.Context(), filter, nil))
	tbl, err = tx.Commit(t.Context())
	require.NoError(t, err)
	return tbl
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
