package dataset

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// TestKeyColumnOfAPath: the longest start of a path that leads to a field is the column that is read.
func TestKeyColumnOfAPath(t *testing.T) {
	inner := arrow.StructOf(arrow.Field{Name: "b.c", Type: arrow.PrimitiveTypes.Int64})
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "a.b", Type: arrow.PrimitiveTypes.Int64}, {Name: "a", Type: inner},
		{Name: "a.b.d", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	for path, want := range map[string]int{"a.b.c": 1, "a.b": 0, "a": 1, "a.b.d": 2} {
		require.Equal(t, want, ColumnOf(schema, arrowsort.Key{Path: path}), path)
	}
	require.Equal(t, 2, ColumnOf(schema, arrowsort.Key{At: arrowsort.Column(2)}))
}

// TestKeysAreWrittenByPath: but for those whose path would be read as a position.
func TestKeysAreWrittenByPath(t *testing.T) {
	text := arrow.BinaryTypes.String
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "left out", Type: text}, {Name: "#a", Type: arrow.StructOf(arrow.Field{Name: "b", Type: text})},
		{Name: "#1", Type: text}, {Name: "name", Type: text}, {Name: "lower(name)", Type: text}}, nil)
	p := Projection{Schema: schema, Written: []int{1, 2, 3, 4}}
	for _, c := range []struct{ key, want arrowsort.Key }{
		{arrowsort.KeyOf("#a.b"), arrowsort.KeyOf("#a.b")},
		{arrowsort.Key{Path: "#a.b", Collation: arrowsort.FoldCase}, arrowsort.Key{Path: "#a.b",
			Collation: arrowsort.FoldCase}},
		{arrowsort.KeyOf("#1"), arrowsort.KeyAt(1)},
		{arrowsort.KeyAt(4), arrowsort.KeyAt(3)},
		{arrowsort.KeyOf("name"), arrowsort.KeyOf("name")},
	} {
		written, ok := p.WrittenKey(c.key)
		require.True(t, ok, c.key)
		require.Equal(t, c.want, written)
	}
	for _, key := range []arrowsort.Key{arrowsort.KeyOf("left out"), {Function: arrowsort.Random(1)}} {
		_, ok := p.WrittenKey(key)
		require.False(t, ok, key)
	}
}
