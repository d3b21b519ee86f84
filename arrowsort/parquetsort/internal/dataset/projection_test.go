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
