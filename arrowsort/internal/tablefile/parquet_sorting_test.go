package tablefile

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
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
		"each once": {[]SortingColumn{by("p.x"), {Path: "p.x"}, by("p.s"), by("p.x")},
			[]SortingColumn{by("p.x"), by("p.s")}},
	} {
		writeFile(t, path, table, WriteOptions{RowGroupRows: 2, Order: RowOrder{Sorting: c.given}})
		in, err := Read(t.Context(), path, ReadOptions{})
		require.NoError(t, err)
		require.Equal(t, c.want, sortingOf(t, in.Template), name)
		require.Equal(t, textOf(t, table), textOf(t, in.Table))
	}
}

// sortingOf returns the order that every row group of a file names.
func sortingOf(t *testing.T, in *Template) []SortingColumn {
	groups := in.RowGroups()
	for _, g := range groups {
		require.Equal(t, groups[0].SortingColumns, g.SortingColumns)
	}
	return groups[0].SortingColumns
}

// TestDeclaresOrder looks at the bounds of row groups of two rows.
func TestDeclaresOrder(t *testing.T) {
	sc := arrow.NewSchema([]arrow.Field{
		{Name: "up", Type: arrow.PrimitiveTypes.Int64}, {Name: "down", Type: arrow.BinaryTypes.String},
		{Name: "mixed", Type: arrow.PrimitiveTypes.Int32},
		{Name: "nulls", Type: arrow.PrimitiveTypes.Uint64, Nullable: true},
		{Name: "real", Type: arrow.PrimitiveTypes.Float64},
		{Name: "same", Type: arrow.PrimitiveTypes.Int16},
	}, nil)
	table := tableOf(t, memory.DefaultAllocator, sc,
		`{"up": -2, "down": "d", "mixed": 1, "nulls": null, "real": 1, "same": 7}
{"up": 5, "down": "e", "mixed": 3, "nulls": null, "real": 2, "same": 7}
{"up": 5, "down": "d", "mixed": 2, "nulls": 1, "real": 3, "same": 7}
{"up": 7, "down": "c", "mixed": 4, "nulls": 2, "real": 4, "same": 7}
{"up": 9, "down": "a", "mixed": 5, "nulls": 9, "real": 5, "same": 7}`, 5)
	defer table.Release()
	path := filepath.Join(t.TempDir(), "x.parquet")
	require.NoError(t, os.WriteFile(path, writeBytes(t, table, Parquet, WriteOptions{RowGroupRows: 2}), 0o644))
	s, err := Scan(path, 0, ReadOptions{})
	require.NoError(t, err)
	s.Close()
	once, twice := []*Template{s.Template}, []*Template{s.Template, s.Template}
	for _, c := range []struct {
		path       string
		descending bool
		want       bool
	}{
		{"up", false, true}, {"up", true, false}, {"down", true, true}, {"down", false, false}, {"mixed", false, false},
		{"nulls", false, true}, {"real", false, false}, {"missing", false, false},
	} {
		require.Equal(t, c.want, declareOrder(once, []SortingColumn{{Path: c.path, Descending: c.descending}}), c)
	}
	require.True(t, declareOrder(once, []SortingColumn{{Path: "up"}, {Path: "mixed"}}))
	require.False(t, declareOrder(once, []SortingColumn{{Path: "up"}, {Path: "real"}}))
	require.False(t, declareOrder(once, nil))
	require.False(t, declareOrder(twice, []SortingColumn{{Path: "up"}}),
		"the second file begins before the first one ends")
	require.True(t, declareOrder(twice, []SortingColumn{{Path: "same"}}))
}

func declareOrder(templates []*Template, columns []SortingColumn) (ok bool) {
	var last []byte
	for _, l := range templates {
		if last, ok = l.DeclaresOrder(columns, last); !ok {
			return false
		}
	}
	return true
}

// TestCompactReaderPassesAWholeFooter walks over every kind of field that Parquet's metadata has.
func TestCompactReaderPassesAWholeFooter(t *testing.T) {
	table := flatTable(t, memory.DefaultAllocator, 40, 2)
	defer table.Release()
	b, err := openBytes(t, writeBytes(t, table, Parquet, WriteOptions{})).MetaData().Serialize(context.Background())
	require.NoError(t, err)
	r := &page.CompactReader{Bytes: b}
	r.Skip(page.ThriftStruct)
	require.Equal(t, len(b), r.At)
	for n := range len(b) {
		require.Error(t, errkind.Contain(func() error {
			(&page.CompactReader{Bytes: b[:n]}).Skip(page.ThriftStruct)
			return nil
		}), n)
	}
}
