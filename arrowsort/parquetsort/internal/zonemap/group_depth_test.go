package zonemap

import (
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// groupsOf are the row groups of two rows of files with a column.
func groupsOf(t *testing.T, typ arrow.DataType, path string, files ...string) *Groups {
	mem := arrowtest.Checked(t)
	g := &Groups{}
	for _, values := range files {
		column, _, err := array.FromJSON(memory.DefaultAllocator, typ, strings.NewReader(values))
		require.NoError(t, err)
		file := write(t, []arrow.Array{column, column}, 2, 1)
		s, err := tablefile.Scan(file, 0, tablefile.ReadOptions{})
		require.NoError(t, err)
		require.NoError(t, g.Add(t.Context(), s, path, mem))
		s.Close()
	}
	return g
}

// TestDepthOfRowGroups: row groups of all files that hold a value; none is reported where a row group with values has
// no bounds. Row groups of nulls hold no value.
func TestDepthOfRowGroups(t *testing.T) {
	whole, text := arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String
	list := arrow.ListOf(whole)
	for name, c := range map[string]struct {
		groups *Groups
		want   Depth
		ok     bool
	}{
		"apart":       {groupsOf(t, whole, "c0", `[1, 2, 3, 4]`, `[5, 6]`), Depth{Mean: 1, Worst: 1, Of: 3}, true},
		"overlapping": {groupsOf(t, whole, "c1", `[1, 4, 1, 4]`, `[4, 1]`), Depth{Mean: 3, Worst: 3, Of: 3}, true},
		"text":        {groupsOf(t, text, "c0", `["a", "b", "a", "b"]`), Depth{Mean: 2, Worst: 2, Of: 2}, true},
		"nulls":       {groupsOf(t, whole, "c0", `[1, 1, null, null]`), Depth{Mean: 1, Worst: 1, Of: 1}, true},
		"only nulls":  {groupsOf(t, whole, "c0", `[null, null]`), Depth{}, false},
		"no rows":     {groupsOf(t, whole, "c0", `[]`), Depth{}, false},
		"no column":   {groupsOf(t, whole, "c2", `[1]`), Depth{}, false},
		"lists":       {groupsOf(t, list, "c0.list.element", `[[1, 2], [3]]`), Depth{}, false},
		"no files":    {&Groups{}, Depth{}, false},
	} {
		d, ok := c.groups.Depth()
		require.Equal(t, c.ok, ok, name)
		if ok {
			require.Equal(t, c.want, d, name)
		}
	}
	g := groupsOf(t, whole, "c0", `[1, 2]`)
	g.Missing()
	_, ok := g.Depth()
	require.False(t, ok)
}

// TestDepthOfRowGroupsWithNaN: they have no upper bound.
func TestDepthOfRowGroupsWithNaN(t *testing.T) {
	column := array.NewFloat64Builder(memory.DefaultAllocator)
	column.AppendValues([]float64{1, math.NaN()}, nil)
	values := column.NewArray()
	s, err := tablefile.Scan(write(t, []arrow.Array{values}, 2, 2), 0, tablefile.ReadOptions{})
	require.NoError(t, err)
	defer s.Close()
	var g Groups
	require.NoError(t, g.Add(t.Context(), s, "c0", memory.DefaultAllocator))
	_, ok := g.Depth()
	require.False(t, ok)
}
