package arrowsort_test

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/model"
)

// fromJSON returns an array of a type, released with the test.
func fromJSON(t testing.TB, mem memory.Allocator, typ arrow.DataType, text string) arrow.Array {
	a, _, err := array.FromJSON(mem, typ, strings.NewReader(text))
	require.NoError(t, err)
	t.Cleanup(a.Release)
	return a
}

// record returns a record of arrays, released with the test. Names may repeat.
func record(t testing.TB, names []string, columns ...arrow.Array) arrow.Record {
	fields := make([]arrow.Field, len(columns))
	rows := 0
	for i, c := range columns {
		fields[i] = arrow.Field{Name: names[i], Type: c.DataType(), Nullable: true}
		rows = c.Len()
	}
	r := array.NewRecord(arrow.NewSchema(fields, nil), columns, int64(rows))
	t.Cleanup(r.Release)
	return r
}

// table returns a table of one column for each list of chunks, released with the test.
func table(t testing.TB, names []string, columns ...[]arrow.Array) arrow.Table {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: names[i], Type: c[0].DataType(), Nullable: true}
	}
	tbl := array.NewTableFromSlice(arrow.NewSchema(fields, nil), columns)
	t.Cleanup(tbl.Release)
	return tbl
}

// chunked returns a chunked array, released with the test.
func chunked(t testing.TB, typ arrow.DataType, chunks ...arrow.Array) *arrow.Chunked {
	c := arrow.NewChunked(typ, chunks)
	t.Cleanup(c.Release)
	return c
}

// indices returns the row numbers of a sort.
func indices(t testing.TB, mem memory.Allocator, data arrowsort.Data, keys []arrowsort.Key) []uint64 {
	rows, err := arrowsort.SortIndices(t.Context(), data, keys, arrowsort.Options{Allocator: mem})
	require.NoError(t, err)
	defer rows.Release()
	return append([]uint64{}, rows.Uint64Values()...)
}

// texts returns all rows of chunks.
func texts(chunks ...arrow.Array) []string {
	var rows []string
	for _, a := range chunks {
		for i := range a.Len() {
			rows = append(rows, arrowtest.Value(a, i))
		}
	}
	return rows
}

// argsort returns the model's: each key orders the column of its place, or the field of that to which fields lead.
func argsort(columns [][]arrow.Array, keys []arrowsort.Key, fields ...int) []uint64 {
	data := make([]model.Column, len(columns))
	order := make([]model.Key, len(keys))
	for i, key := range keys {
		data[i] = model.Column{Type: columns[i][0].DataType(), Chunks: columns[i]}
		order[i] = model.Key{Column: i, Fields: fields,
			Descending: key.Order == arrowsort.Descending, NullsFirst: key.Nulls == arrowsort.NullsAtStart}
	}
	return model.Rows(data, len(texts(columns[0]...)), order)
}

// allKeys returns every order and null placement of one key.
func allKeys(path string) []arrowsort.Key {
	return []arrowsort.Key{
		{Path: path}, {Path: path, Nulls: arrowsort.NullsAtStart}, {Path: path, Order: arrowsort.Descending},
		{Path: path, Order: arrowsort.Descending, Nulls: arrowsort.NullsAtStart},
	}
}
