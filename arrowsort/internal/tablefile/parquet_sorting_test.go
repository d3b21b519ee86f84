package tablefile

import (
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

func TestSortingIsInEveryRowGroup(t *testing.T) {
	table := nestedTable(t, memory.DefaultAllocator)
	path := filepath.Join(t.TempDir(), "t.parquet")
	by := func(path string) SortingColumn { return SortingColumn{Path: path, Descending: true} }
	for name, c := range map[string]struct{ given, want []SortingColumn }{
		"none": {nil, nil},
		"two fields": {[]SortingColumn{by("p.s"), {Path: "p.x", NullsFirst: true}},
			[]SortingColumn{by("p.s"), {Path: "p.x", NullsFirst: true}}},
		"cut at a list":     {[]SortingColumn{by("p.x"), by("l.list.element"), by("p.s")}, []SortingColumn{by("p.x")}},
		"cut where unknown": {[]SortingColumn{by("p"), by("p.s")}, nil},
	} {
		_, err := Write(t.Context(), path, table, WriteOptions{RowGroupRows: 2, Sorting: c.given})
		require.NoError(t, err)
		in, err := Read(t.Context(), path, ReadOptions{})
		require.NoError(t, err)
		require.Equal(t, c.want, in.Template.Sorting(), name)
		require.Equal(t, textOf(t, table), textOf(t, in.Table))
	}
}
