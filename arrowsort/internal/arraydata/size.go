package arraydata

import (
	"encoding/binary"
	"sort"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
)

// TableBytes returns the bytes that the rows of a table take in memory, as ArrayBytes counts them, and the arrays
// themselves, which are more than short rows of many columns.
func TableBytes(table arrow.Table) (bytes int64) {
	for i := range int(table.NumCols()) {
		for _, chunk := range table.Column(i).Data().Chunks() {
			bytes += ArrayBytes(chunk.Data(), chunk.Data().Offset(), chunk.Len()) + arrays(chunk.Data())*arrayOverhead
		}
	}
	return bytes
}

// arrayOverhead is about what an array takes beside its values: it has three or four objects, and buffers are aligned.
const arrayOverhead = 640

// arrays returns the number of arrays that an array consists of.
func arrays(d arrow.ArrayData) int64 {
	n := int64(1)
	for _, c := range d.Children() {
		n += arrays(c)
	}
	return n
}

// ArrayBytes returns the bytes of n rows of an array from a row on, counted from the start of its buffers, without the
// values outside of them. They are those of the form in which rows are sorted in pieces and written: at every level of
// the type, dictionaries count as the values that take the place of the indices, and runs as a run for each row, since
// sorting tears them apart. The offsets and indices of the array are valid.
//
// It takes constant time for a level of nesting, but for list views, dense unions, runs, views, and dictionaries of
// values without a fixed width, which are read row by row.
func ArrayBytes(d arrow.ArrayData, first, n int) (bytes int64) {
	if n == 0 {
		return 0
	}
	if d.NullN() != 0 {
		bytes += bitutil.BytesForBits(int64(n))
	}
	switch t := Storage(d.DataType()).(type) {
	case *arrow.FixedSizeListType:
		length := int(t.Len())
		return bytes + childBytes(d, 0, first*length, n*length)
	case *arrow.ListType, *arrow.MapType:
		begin, end := span[int32](d, first, n)
		return bytes + 4*int64(n) + childBytes(d, 0, begin, end-begin)
	case *arrow.LargeListType:
		begin, end := span[int64](d, first, n)
		return bytes + 8*int64(n) + childBytes(d, 0, begin, end-begin)
	case *arrow.ListViewType:
		return bytes + viewedLists[int32](d, first, n)
	case *arrow.LargeListViewType:
		return bytes + viewedLists[int64](d, first, n)
	case *arrow.StructType, *arrow.SparseUnionType:
		for i := range d.Children() {
			bytes += childBytes(d, i, first, n)
		}
		if t.ID() == arrow.SPARSE_UNION {
			bytes += int64(n)
		}
		return bytes
	case *arrow.DenseUnionType:
		return bytes + denseBytes(d, t, first, n)
	case *arrow.RunEndEncodedType:
		return bytes + runBytes(d, first, n)
	case *arrow.DictionaryType:
		return bytes + entryBytes(d, t, first, n)
	case *arrow.BinaryType, *arrow.StringType:
		begin, end := span[int32](d, first, n)
		return bytes + 4*int64(n) + int64(end-begin)
	case *arrow.LargeBinaryType, *arrow.LargeStringType:
		begin, end := span[int64](d, first, n)
		return bytes + 8*int64(n) + int64(end-begin)
	case arrow.BinaryViewDataType:
		return bytes + viewBytes(d, first, n)
	case arrow.FixedWidthDataType:
		return bytes + bitutil.BytesForBits(int64(t.BitWidth())*int64(n))
	}
	return bytes // nulls of no type
}

// childBytes is ArrayBytes for a child, whose rows count from its first one.
func childBytes(d arrow.ArrayData, child, first, n int) int64 {
	c := d.Children()[child]
	return ArrayBytes(c, c.Offset()+first, n)
}

// offsetsOf returns the offsets or sizes in a buffer.
func offsetsOf[T Offset](d arrow.ArrayData, buffer int) []T {
	return arrow.GetData[T](Bytes(d, buffer))
}

// span returns the range of the values of n rows of text or lists.
func span[T Offset](d arrow.ArrayData, first, n int) (begin, end int) {
	offsets := offsetsOf[T](d, 1)
	return int(offsets[first]), int(offsets[first+n])
}

func viewedLists[T Offset](d arrow.ArrayData, first, n int) (bytes int64) {
	offsets, sizes := offsetsOf[T](d, 1), offsetsOf[T](d, 2)
	for row := first; row < first+n; row++ {
		bytes += 16 + childBytes(d, 0, int(offsets[row]), int(sizes[row]))
	}
	return bytes
}

func denseBytes(d arrow.ArrayData, typ *arrow.DenseUnionType, first, n int) (bytes int64) {
	codes, offsets, children := Bytes(d, 1), offsetsOf[int32](d, 2), typ.ChildIDs()
	for row := first; row < first+n; row++ {
		bytes += 5 + childBytes(d, children[codes[row]], int(offsets[row]), 1)
	}
	return bytes
}

// runBytes counts the value of a run once for each row of it.
func runBytes(d arrow.ArrayData, first, n int) (bytes int64) {
	ends := d.Children()[0]
	width := ends.DataType().(arrow.FixedWidthDataType).Bytes()
	end := func(run int) int {
		return int(LittleEndian(Bytes(ends, 1)[(ends.Offset()+run)*width:], width, true))
	}
	run := sort.Search(ends.Len(), func(i int) bool { return end(i) > first })
	for row := first; row < first+n; run++ {
		next := min(end(run), first+n)
		bytes += int64(next-row) * (int64(width) + childBytes(d, 1, run, 1))
		row = next
	}
	return bytes
}

// entryBytes counts the entry of a dictionary once for each row that refers to it.
func entryBytes(d arrow.ArrayData, typ *arrow.DictionaryType, first, n int) (bytes int64) {
	entries := d.Dictionary()
	if fixed, ok := Storage(typ.ValueType).(arrow.FixedWidthDataType); ok && len(entries.Children()) == 0 {
		return bitutil.BytesForBits(int64(fixed.BitWidth()) * int64(n))
	}
	validity, indices := Validity(d), Bytes(d, 1)
	width := typ.IndexType.(arrow.FixedWidthDataType).Bytes()
	for row := first; row < first+n; row++ {
		if validity == nil || bitutil.BitIsSet(validity, row) {
			index := LittleEndian(indices[row*width:], width, false)
			if index < uint64(entries.Len()) { // else a row of a null struct, which may have any
				bytes += ArrayBytes(entries, entries.Offset()+int(index), 1)
			}
		}
	}
	return bytes
}

// viewBytes counts texts of up to 12 bytes as a part of their views.
func viewBytes(d arrow.ArrayData, first, n int) (bytes int64) {
	const size, inside = 16, 12
	views := Bytes(d, 1)
	for row := first; row < first+n; row++ {
		bytes += size
		if length := binary.LittleEndian.Uint32(views[row*size:]); length > inside {
			bytes += int64(length)
		}
	}
	return bytes
}
