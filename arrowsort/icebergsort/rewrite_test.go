package icebergsort

import (
	"fmt"
	"slices"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// smallFiles is a size of files that has several of them written.
const smallFiles = 16 << 10

// Files that all have all values become files that share none, in one snapshot that replaces the old files.
func TestFilesDoNotOverlap(t *testing.T) {
	cat, _ := newCatalog(t)
	old := fillTable(t, newTable(t, cat, flights()), seeded(t), 4, 3000)
	result, tbl := rewrite(t.Context(), t, cat, Options{Sort: "date, id", TargetFileSize: smallFiles})

	require.True(t, result.Committed)
	require.Equal(t, 4, result.FilesIn)
	require.Equal(t, 4, result.Before.Worst)
	require.InDelta(t, 4, result.Before.Mean, 0.5)
	require.Greater(t, result.FilesOut, 2)
	files := dataFiles(t, tbl)
	require.Len(t, files, result.FilesOut)
	for i := range files[1:] {
		date := 2
		high := orderedBytes(iceberg.PrimitiveTypes.Date, files[i].UpperBoundValues()[date])
		low := orderedBytes(iceberg.PrimitiveTypes.Date, files[i+1].LowerBoundValues()[date])
		require.LessOrEqual(t, string(high), string(low), "files %d and %d", i, i+1)
	}

	snapshot := tbl.CurrentSnapshot()
	require.Equal(t, table.OpReplace, snapshot.Summary.Operation)
	require.Equal(t, old.CurrentSnapshot().SnapshotID, *snapshot.ParentSnapshotID)
	summary := snapshot.Summary.Properties
	require.Equal(t, "4", summary["deleted-data-files"])
	require.Equal(t, fmt.Sprint(result.FilesOut), summary["added-data-files"])
	require.Equal(t, "12000", summary["total-records"])
	require.Equal(t, "12000", summary["added-records"])
	require.Equal(t, "12000", summary["deleted-records"])
	require.Equal(t, fmt.Sprint(result.FilesOut), summary["total-data-files"])
	require.Equal(t, "arrowsort", summary["engine-name"])

	where, err := parseWhere("date = '1970-04-11'", tbl.Schema())
	require.NoError(t, err)
	require.Len(t, dataFiles(t, old, table.WithRowFilter(where)), 4)
	require.LessOrEqual(t, len(dataFiles(t, tbl, table.WithRowFilter(where))), 2, "files that a filter reads")
}

// The rows of the files, one after the other, are in the order, of every type that a key can have; columns of all types
// keep their values, ids and bounds, as the comparison of rowsOf and readers by id see them.
func TestEveryTypeIsSortedAndKept(t *testing.T) {
	rng := seeded(t)
	cat, _ := newCatalog(t)
	fillTable(t, newTable(t, cat, everyType()), rng, 3, testrun.Count(2000, 200))
	for _, f := range everyType().Fields() {
		if _, ok := f.Type.(iceberg.PrimitiveType); !ok {
			continue
		}
		for _, direction := range []string{"", " desc", " nulls last", " desc nulls first"} {
			if !testrun.Share(6, f.Name, direction) {
				continue
			}
			sort := f.Name + direction + ", id"
			if f.Name == "id" {
				sort = "id" + direction
			}
			t.Run(sort, func(t *testing.T) {
				_, tbl := rewrite(t.Context(), t, cat, Options{Sort: sort, TargetFileSize: 2 * smallFiles})
				requireSorted(t, tbl, sort)
			})
		}
	}
}

// requireSorted checks the order of the rows of all files of a table, one after the other.
func requireSorted(t *testing.T, tbl *table.Table, sort string) {
	t.Helper()
	o, err := resolveOrder(tbl.Metadata(), Options{Sort: sort})
	require.NoError(t, err)
	var paths []string
	for _, f := range dataFiles(t, tbl) {
		path, err := localPath(f.FilePath())
		require.NoError(t, err)
		paths = append(paths, path)
	}
	checked, err := parquetsort.Check(t.Context(), paths, parquetsort.CheckOptions{Keys: o.keys()})
	require.NoError(t, err)
	require.Nil(t, checked.Violation)
}

// The files of a partition are sorted for themselves, lie in its folder and carry its values; so do those of an earlier
// partition spec.
func TestPartitionsAreKept(t *testing.T) {
	cat, _ := newCatalog(t)
	spec := iceberg.NewPartitionSpec(
		iceberg.PartitionField{SourceIDs: []int{3}, FieldID: 1000, Name: "delay_bucket",
			Transform: iceberg.BucketTransform{NumBuckets: 3}},
		iceberg.PartitionField{SourceIDs: []int{2}, FieldID: 1001, Name: "date_year",
			Transform: iceberg.YearTransform{}})
	tbl := fillTable(t, newTable(t, cat, flights(), catalog.WithPartitionSpec(&spec)), seeded(t), 2, 100)
	old := partitions(t, tbl)
	result, tbl := rewrite(t.Context(), t, cat, Options{Sort: "distance desc, id"})
	require.Equal(t, len(old), result.Partitions)
	require.Equal(t, result.Partitions, result.FilesOut)
	require.Equal(t, old, partitions(t, tbl))
	for _, f := range dataFiles(t, tbl) {
		require.Contains(t, f.FilePath(), "delay_bucket=")
		require.Contains(t, f.FilePath(), "date_year=")
	}
}

// The files of an earlier partition spec stay in its partitions; no rows move to those of the current one.
func TestEarlierPartitionSpecsAreKept(t *testing.T) {
	rng := seeded(t)
	cat, _ := newCatalog(t)
	fillTable(t, newTable(t, cat, flights()), rng, 2, 300)
	tbl := transact(t, reload(t, cat), func(tx *table.Transaction) error {
		return tx.UpdateSpec(true).AddField("delay", iceberg.BucketTransform{NumBuckets: 2}, "bucket").Commit()
	})
	appendRows(t, tbl, random(t, tbl.Schema(), rng, 600, 300))
	old := partitions(t, reload(t, cat))
	require.Len(t, old, 4) // with one of delays that are null
	_, tbl = rewrite(t.Context(), t, cat, Options{Sort: "date"})
	require.Equal(t, old, partitions(t, tbl))
	require.Len(t, dataFiles(t, tbl), 4)
}

// partitions returns the rows of each partition of a table.
func partitions(t *testing.T, tbl *table.Table) map[string]int64 {
	t.Helper()
	rows := map[string]int64{}
	for _, f := range dataFiles(t, tbl) {
		spec := tbl.Metadata().PartitionSpecByID(int(f.SpecID()))
		require.NotNil(t, spec)
		rows[fmt.Sprint(spec.ID(), " ", partitionName(*spec, f.Partition()))] += f.Count()
	}
	return rows
}

// A file says that it has a sort order of the table where it has it, and no other.
func TestSortOrderIDs(t *testing.T) {
	cat, _ := newCatalog(t)
	sorting, err := table.NewSortOrder(1, []table.SortField{
		{SourceIDs: []int{3}, Transform: iceberg.IdentityTransform{}, Direction: table.SortDESC,
			NullOrder: table.NullsLast},
		{SourceIDs: []int{2}, Transform: iceberg.YearTransform{}, Direction: table.SortASC,
			NullOrder: table.NullsFirst}})
	require.NoError(t, err)
	fillTable(t, newTable(t, cat, flights(), catalog.WithSortOrder(sorting)), seeded(t), 2, 300)
	for sort, want := range map[string]int{
		"":                           1,
		"delay desc, date":           1,
		"delay desc, date, id":       1,
		"delay desc":                 0,
		"delay, date":                0,
		"delay desc, date desc":      0,
		"delay desc nulls first":     0,
		"date, delay desc":           0,
		"delay desc, date, distance": 1,
	} {
		result, tbl := rewrite(t.Context(), t, cat, Options{Sort: sort})
		require.Equal(t, want, result.SortOrderID, sort)
		for _, f := range dataFiles(t, tbl) {
			require.NotNil(t, f.SortOrderID())
			require.Equal(t, want, *f.SortOrderID(), sort)
		}
	}
	_, tbl := rewrite(t.Context(), t, cat, Options{Sort: "delay desc, date", Curve: arrowsort.Hilbert})
	require.Equal(t, 0, *dataFiles(t, tbl)[0].SortOrderID())
}

// More rows than fit in memory are spilled.
func TestLargerThanMemory(t *testing.T) {
	cat, _ := newCatalog(t)
	fillTable(t, newTable(t, cat, flights()), seeded(t), 2, 100_000)
	opts := Options{Sort: "distance, id desc", TargetFileSize: 256 << 10}
	opts.Memory.Budget = parquetsort.MinMemory
	result, _ := rewrite(t.Context(), t, cat, opts)
	require.Positive(t, result.Spilled)
	require.Greater(t, result.FilesOut, 1)
}

// Only files that a filter can need, or that overlap, are rewritten; all of their rows stay.
func TestFilesAreChosen(t *testing.T) {
	rng := seeded(t)
	cat, _ := newCatalog(t)
	tbl := newTable(t, cat, flights())
	for i := range 6 { // 0 to 99, 100 to 199, ...
		tbl = appendRows(t, tbl, random(t, tbl.Schema(), rng, i*100, 100))
	}
	tbl = appendRows(t, tbl, random(t, tbl.Schema(), rng, 150, 100)) // shares values with two of them
	names := func(files []iceberg.DataFile) (paths []string) {
		for _, f := range files {
			paths = append(paths, f.FilePath())
		}
		return paths
	}
	old := names(dataFiles(t, tbl))

	result, _ := rewrite(t.Context(), t, cat, Options{Sort: "id", Where: "id >= 100 and id < 120", DryRun: true})
	require.Equal(t, 1, result.FilesIn)
	require.False(t, result.Committed)
	require.Equal(t, old, names(dataFiles(t, reload(t, cat))))

	result, _ = rewrite(t.Context(), t, cat, Options{Sort: "id", Where: "id > 9999"})
	require.Equal(t, 0, result.FilesIn)
	require.False(t, result.Committed)

	result, _ = rewrite(t.Context(), t, cat, Options{Sort: "id", MinDepth: 3, DryRun: true})
	require.Equal(t, 0, result.FilesIn)

	result, tbl = rewrite(t.Context(), t, cat, Options{Sort: "id", MinDepth: 2})
	require.Equal(t, 3, result.FilesIn)
	require.Equal(t, 2, result.Before.Worst)
	kept := 0
	for _, path := range names(dataFiles(t, tbl)) {
		if slices.Contains(old, path) {
			kept++
		}
	}
	require.Equal(t, 4, kept)
}

// A dry run says how many files overlap, and writes nothing.
func TestDryRunsWriteNothing(t *testing.T) {
	cat, folder := newCatalog(t)
	fillTable(t, newTable(t, cat, flights()), seeded(t), 5, 100)
	before := filesBelow(t, folder)
	result, _ := rewrite(t.Context(), t, cat, Options{Sort: "date", DryRun: true, TargetFileSize: 1000})
	require.Equal(t, before, filesBelow(t, folder))
	require.Equal(t, 5, result.Before.Worst)
	require.Equal(t, 1, result.Expected.Worst)
	require.Equal(t, int((result.BytesIn+999)/1000), result.FilesOut)
}

// Tables without rows, and with one, and with a column that is null throughout.
func TestFewRows(t *testing.T) {
	rng := seeded(t)
	cat, _ := newCatalog(t)
	tbl := newTable(t, cat, everyType())
	result, _ := rewrite(t.Context(), t, cat, Options{Sort: "string"})
	require.False(t, result.Committed)
	appendRows(t, tbl, random(t, tbl.Schema(), rng, 0, 1))
	result, _ = rewrite(t.Context(), t, cat, Options{Sort: "string, double desc"})
	require.Equal(t, 1, result.FilesOut)
}

// A curve has no sort order, and clusters by all of its columns.
func TestCurves(t *testing.T) {
	cat, _ := newCatalog(t)
	fillTable(t, newTable(t, cat, flights()), seeded(t), 3, 2000)
	for _, curve := range []arrowsort.Curve{arrowsort.Hilbert, arrowsort.ZOrder} {
		result, tbl := rewrite(t.Context(), t, cat, Options{Sort: "id, date", Curve: curve, TargetFileSize: smallFiles})
		require.Greater(t, result.FilesOut, 3)
		require.Equal(t, 0, result.SortOrderID)
		for _, text := range []string{"id = 100", "date = '1970-04-11'"} {
			where, err := parseWhere(text, tbl.Schema())
			require.NoError(t, err)
			require.Less(t, len(dataFiles(t, tbl, table.WithRowFilter(where))), result.FilesOut, text)
		}
	}
}

// Tables of version 1 of the format, and columns whose names have to be quoted.
func TestVersion1AndStrangeNames(t *testing.T) {
	rng := seeded(t)
	cat, _ := newCatalog(t)
	schema := iceberg.NewSchema(0,
		iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64, Required: true},
		iceberg.NestedField{ID: 2, Name: "arrival time", Type: iceberg.PrimitiveTypes.Timestamp},
		iceberg.NestedField{ID: 3, Name: "a.b", Type: iceberg.PrimitiveTypes.String},
		iceberg.NestedField{ID: 4, Name: "größe, \"cm\"", Type: iceberg.PrimitiveTypes.Float32},
		iceberg.NestedField{ID: 5, Name: "a", Type: &iceberg.StructType{FieldList: []iceberg.NestedField{
			{ID: 6, Name: "c", Type: iceberg.PrimitiveTypes.Int32}}}})
	tbl := newTable(t, cat, schema, catalog.WithProperties(iceberg.Properties{"format-version": "1"}))
	fillTable(t, tbl, rng, 3, 200)
	orders := []string{`"arrival time" desc, id`, `a.b, id`, "`größe, \"cm\"`, id desc", `a.c nulls last, id`}
	for _, sort := range orders {
		result, tbl := rewrite(t.Context(), t, cat, Options{Sort: sort, Where: `"arrival time" is not null`})
		require.Equal(t, 1, tbl.Metadata().Version())
		require.Equal(t, 1, result.FilesOut)
		require.Equal(t, table.OpReplace, tbl.CurrentSnapshot().Summary.Operation)
		requireSorted(t, tbl, sort)
		require.Contains(t, dataFiles(t, tbl)[0].LowerBoundValues(), 6)
	}
}
