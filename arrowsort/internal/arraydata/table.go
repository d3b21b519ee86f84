package arraydata

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// Slice returns rows from..to-1 of an array, which the caller releases. It has a number of nulls where Arrow cannot
// count them: Arrow panics for slices without validity, as those of an extension type over null. It panics for a
// malformed array.
func Slice(a arrow.Array, from, to int64) arrow.Array {
	data := array.NewSliceData(a.Data(), from, to)
	defer data.Release()
	if data.NullN() == array.UnknownNullCount && len(Bytes(data, 0)) == 0 {
		nulls := 0
		if Storage(data.DataType()).ID() == arrow.NULL {
			nulls = data.Len()
		}
		data.(*array.Data).SetNullN(nulls)
	}
	return array.MakeFromData(data)
}

// SliceChunked returns rows from..to-1 of some chunks, which are not malformed, see Slice. The caller releases them.
func SliceChunked(c *arrow.Chunked, from, to int64) *arrow.Chunked {
	var chunks []arrow.Array
	defer func() { Release(chunks) }()
	for _, chunk := range c.Chunks() {
		n := int64(chunk.Len())
		if lo, hi := max(from, 0), min(to, n); lo < hi {
			chunks = append(chunks, Slice(chunk, lo, hi))
		}
		from, to = from-n, to-n
	}
	return arrow.NewChunked(c.DataType(), chunks)
}

// Concatenate returns the rows of some tables as one table, without a copy. The caller releases it.
func Concatenate(schema *arrow.Schema, parts []arrow.Table) arrow.Table {
	chunks := make([][]arrow.Array, schema.NumFields())
	for i := range chunks {
		for _, p := range parts {
			chunks[i] = append(chunks[i], p.Column(i).Data().Chunks()...)
		}
	}
	return array.NewTableFromSlice(schema, chunks)
}

// SliceTable returns some rows of a table, without a copy. The caller releases it.
func SliceTable(table arrow.Table, first, end int64) arrow.Table {
	chunks := make([][]arrow.Array, table.NumCols())
	for i := range chunks {
		data := SliceChunked(table.Column(i).Data(), first, end)
		defer data.Release()
		chunks[i] = data.Chunks()
	}
	return array.NewTableFromSlice(table.Schema(), chunks)
}

// PickTable returns a table with some of its columns; all when columns is nil. The caller releases it.
func PickTable(table arrow.Table, columns []int) arrow.Table {
	if columns == nil {
		table.Retain()
		return table
	}
	chunks := make([][]arrow.Array, len(columns))
	for i, c := range columns {
		chunks[i] = table.Column(c).Data().Chunks()
	}
	return array.NewTableFromSlice(Pick(table.Schema(), columns), chunks)
}
