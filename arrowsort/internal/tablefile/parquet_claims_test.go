package tablefile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

// TestClaimsOrder looks at the bounds of row groups of two rows.
func TestClaimsOrder(t *testing.T) {
	sc := arrow.NewSchema([]arrow.Field{
		{Name: "up", Type: arrow.PrimitiveTypes.Int64}, {Name: "down", Type: arrow.BinaryTypes.String}, {Name: "mixed", Type: arrow.PrimitiveTypes.Int32},
		{Name: "nulls", Type: arrow.PrimitiveTypes.Uint64, Nullable: true}, {Name: "real", Type: arrow.PrimitiveTypes.Float64},
	}, nil)
	table := tableOf(t, memory.DefaultAllocator, sc, `{"up": -2, "down": "d", "mixed": 1, "nulls": null, "real": 1}
{"up": 5, "down": "e", "mixed": 3, "nulls": null, "real": 2}
{"up": 5, "down": "d", "mixed": 2, "nulls": 1, "real": 3}
{"up": 7, "down": "c", "mixed": 4, "nulls": 2, "real": 4}
{"up": 9, "down": "a", "mixed": 5, "nulls": 9, "real": 5}`, 5)
	defer table.Release()
	path := filepath.Join(t.TempDir(), "x.parquet")
	require.NoError(t, os.WriteFile(path, writeBytes(t, table, Parquet, WriteOptions{RowGroupRows: 2}), 0o644))
	for _, c := range []struct {
		path       string
		descending bool
		want       bool
	}{
		{"up", false, true}, {"up", true, false}, {"down", true, true}, {"down", false, false}, {"mixed", false, false},
		{"nulls", false, true}, {"real", false, false}, {"missing", false, false},
	} {
		require.Equal(t, c.want, ClaimsOrder(path, []SortingColumn{{Path: c.path, Descending: c.descending}}), c)
	}
	require.True(t, ClaimsOrder(path, []SortingColumn{{Path: "up"}, {Path: "mixed"}}))
	require.False(t, ClaimsOrder(path, []SortingColumn{{Path: "up"}, {Path: "real"}}))
	require.False(t, ClaimsOrder(path, nil))
	require.False(t, ClaimsOrder(filepath.Join(t.TempDir(), "none"), []SortingColumn{{Path: "up"}}))
	require.False(t, ClaimsOrder(t.TempDir(), []SortingColumn{{Path: "up"}}))
}
