package arrow18_test

import (
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// fromJSON returns an array of a type, released with the test.
func fromJSON(t testing.TB, mem memory.Allocator, typ arrow.DataType, text string) arrow.Array {
	a, _, err := array.FromJSON(mem, typ, strings.NewReader(text))
	require.NoError(t, err)
	t.Cleanup(a.Release)
	return a
}

// record returns a record of arrays, released with the test.
func record(t testing.TB, names []string, columns ...arrow.Array) arrow.RecordBatch {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: names[i], Type: c.DataType(), Nullable: true}
	}
	rec := array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, int64(columns[0].Len()))
	t.Cleanup(rec.Release)
	return rec
}

// by returns one key.
func by(path string) []arrowsort.Key { return []arrowsort.Key{{Path: path}} }
