package rowgroups

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/rows"
)

// checkAll checks that rows are in the classes of their row groups, whatever batches they come in.
func checkAll(t *testing.T, s *Selection, table arrow.Table) {
	t.Helper()
	for _, step := range []int64{3, table.NumRows()} {
		c := s.Checker("x", schema, []arrowsort.Key{{Path: "k"}})
		require.NotNil(t, c)
		for at := int64(0); at < table.NumRows(); at += step {
			batch := arraydata.SliceTable(table, at, min(at+step, table.NumRows()))
			require.NoError(t, c.Add(t.Context(), batch, rows.Options{}))
			batch.Release()
		}
		require.Empty(t, c.groups)
	}
}

// TestRowsThatAreNotAsTheFooterHasThem are an error that names column, row group and row.
func TestRowsThatAreNotAsTheFooterHasThem(t *testing.T) {
	key, err := LeadingKey(schema, []arrowsort.Key{{Path: "k"}}, false)
	require.NoError(t, err)
	places, err := key.places(t.Context(), memory.DefaultAllocator)
	require.NoError(t, err)
	limits := encoded(t, key, arrowtest.FromJSON(t, arrow.PrimitiveTypes.Float64, "[1, 3]"))
	four := tablefile.GroupCounts{Rows: 4, Nulls: 1}
	for values, want := range map[string]string{
		"[1, -0.0, null, 3]":   "row 1 of it is outside of the bounds in the footer",
		"[1, 3, null, 3.5]":    "row 3 of it is outside of the bounds in the footer",
		`[1, "NaN", null, 3]`:  "row 1 of it is outside of the bounds in the footer",
		"[1, 2, 2, 3]":         "it has 0 nulls, not the number in the footer",
		"[null, 2, null, 2.5]": "it has 2 nulls, not the number in the footer",
		"[1, 2, null, 3]":      "",
	} {
		column := arrowtest.FromJSON(t, arrow.PrimitiveTypes.Float64, values)
		table := array.NewTableFromRecords(schema, []arrow.Record{array.NewRecord(schema, []arrow.Array{column}, -1)})
		group := &Group{Number: 7, Rows: 4, Classes: places.classes(four, limits[0], limits[1])}
		s := Selection{Key: key, Files: map[string][]*Group{"x": {group}}}
		err := s.Checker("x", schema, []arrowsort.Key{{Path: "k"}}).Add(t.Context(), table, rows.Options{})
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, errkind.ErrCorrupt)
		require.ErrorContains(t, err, `column "k" of row group 7: `+want, values)
	}
	var all *Selection
	require.Nil(t, all.Checker("x", schema, []arrowsort.Key{{Path: "k"}}), "nothing was left out")
	require.Nil(t, (&Selection{}).Checker("x", schema, []arrowsort.Key{{Path: "other"}}), "no such column is read")
}
