package arraydata

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
)

// TableBytes returns the bytes that the rows of a table take in memory, without the values outside of slices.
func TableBytes(table arrow.Table) (bytes int64) {
	for i := range int(table.NumCols()) {
		for _, chunk := range table.Column(i).Data().Chunks() {
			bytes += ArrayBytes(chunk.Data(), chunk.Data().Offset(), chunk.Len())
		}
	}
	return bytes
}

// ArrayBytes returns the bytes of n rows of an array from a row on, counted from the start of its buffers.
func ArrayBytes(d arrow.ArrayData, first, n int) (bytes int64) {
	if n == 0 {
		return 0
	}
	if d.NullN() != 0 {
		bytes += bitutil.BytesForBits(int64(n))
	}
	typ := d.DataType()
	if ext, ok := typ.(arrow.ExtensionType); ok {
		typ = ext.StorageType()
	}
	switch t := typ.(type) {
	case *arrow.FixedSizeListType:
		child, length := d.Children()[0], int(t.Len())
		return bytes + ArrayBytes(child, child.Offset()+first*length, n*length)
	case *arrow.ListType, *arrow.MapType:
		o := arrow.Int32Traits.CastFromBytes(d.Buffers()[1].Bytes())
		child := d.Children()[0]
		return bytes + 4*int64(n) + ArrayBytes(child, child.Offset()+int(o[first]), int(o[first+n]-o[first]))
	case *arrow.StructType:
		for _, c := range d.Children() {
			bytes += ArrayBytes(c, c.Offset()+first, n)
		}
		return bytes
	case *arrow.DictionaryType: // as the values that take the place of the indices
		entries := d.Dictionary()
		return bytes + ArrayBytes(entries, entries.Offset(), entries.Len())*int64(n)/int64(max(entries.Len(), 1))
	case *arrow.BinaryType, *arrow.StringType:
		o := arrow.Int32Traits.CastFromBytes(d.Buffers()[1].Bytes())
		return bytes + 4*int64(n) + int64(o[first+n]-o[first])
	case *arrow.LargeBinaryType, *arrow.LargeStringType:
		o := arrow.Int64Traits.CastFromBytes(d.Buffers()[1].Bytes())
		return bytes + 8*int64(n) + o[first+n] - o[first]
	case arrow.FixedWidthDataType:
		if len(d.Children()) == 0 {
			return bytes + bitutil.BytesForBits(int64(t.BitWidth())*int64(n))
		}
	}
	return bytes + sharesOf(d, n)
}

// sharesOf estimates the bytes of rows of other types: their share of all buffers.
func sharesOf(d arrow.ArrayData, n int) (bytes int64) {
	for _, b := range d.Buffers() {
		if b != nil {
			bytes += int64(b.Len())
		}
	}
	for _, c := range d.Children() {
		bytes += sharesOf(c, c.Len())
	}
	return bytes * int64(n) / int64(max(d.Len(), 1))
}
