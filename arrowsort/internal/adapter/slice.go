package adapter

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// Slice is rows from..to-1 of an array, see SliceChunked. It fails for a malformed array.
func Slice(a arrow.Array, from, to int64) (slice arrow.Array, err error) {
	defer CatchMalformed(&err)
	return sliceOf(a, from, to), nil
}

// SliceRecord is Slice for all columns of a record.
func SliceRecord(rec arrow.Record, from, to int64) (slice arrow.Record, err error) {
	defer CatchMalformed(&err)
	columns := make([]arrow.Array, 0, rec.NumCols())
	defer func() { ReleaseAll([][]arrow.Array{columns}) }()
	for _, a := range rec.Columns() {
		columns = append(columns, sliceOf(a, from, to))
	}
	return array.NewRecord(rec.Schema(), columns, to-from), nil
}

// SliceChunked is rows from..to-1 of some chunks, which are not malformed. The parts have a number of nulls also where
// Arrow cannot count them: it panics for slices without validity, as those of an extension type over null.
func SliceChunked(c *arrow.Chunked, from, to int64) *arrow.Chunked {
	var chunks []arrow.Array
	defer func() { ReleaseAll([][]arrow.Array{chunks}) }()
	for _, chunk := range c.Chunks() {
		n := int64(chunk.Len())
		if lo, hi := max(from, 0), min(to, n); lo < hi {
			chunks = append(chunks, sliceOf(chunk, lo, hi))
		}
		from, to = from-n, to-n
	}
	return arrow.NewChunked(c.DataType(), chunks)
}

func sliceOf(a arrow.Array, from, to int64) arrow.Array {
	data := array.NewSliceData(a.Data(), from, to)
	defer data.Release()
	if data.NullN() == array.UnknownNullCount && len(take.Bytes(data, 0)) == 0 {
		nulls := 0
		if take.Storage(data.DataType()).ID() == arrow.NULL {
			nulls = data.Len()
		}
		data.(*array.Data).SetNullN(nulls)
	}
	return array.MakeFromData(data)
}
