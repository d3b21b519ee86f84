package parquet

import (
	"slices"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// ColumnBounds are what a footer has on the values of a leaf column in each row group.
type ColumnBounds struct {
	Groups []GroupCounts
	// Limits has a lower bound of row group i at 2*i and an upper one at 2*i+1, null where there is none. They need not
	// be values of the column, and none is NaN. Those of text are binary, the others have the type of the column. It is
	// nil where there are none that can be compared.
	Limits arrow.Array
}

// GroupCounts are the rows of a row group: all, and those that are null or NaN; -1 where a footer does not have the
// number. Of a column in lists they are the values in place of the rows.
type GroupCounts struct {
	Rows, Nulls, NaNs int64
}

// Leaf returns the number of the one leaf column that rows are ordered by; -1 where there is no such column.
func (t *Template) Leaf(by SortingColumn) int { return leafAt(t.meta, by) }

// LeafBounds returns the bounds of a leaf column, whose values have a type in memory; false and counts without limits
// where the order of its bounds is not that of the values, as of timestamps of 96 bits, and of a writer that gets them
// wrong. The deprecated fields, whose order is not defined, are not read. The caller releases the limits.
func (t *Template) LeafBounds(leaf int, typ arrow.DataType, mem memory.Allocator) (b ColumnBounds, ok bool) {
	bounds := t.newBounds(leaf, typ)
	for _, group := range t.meta.RowGroups {
		counts, low, high := bounds.unknown(group.Columns[leaf].MetaData.NumValues), []byte(nil), []byte(nil)
		if s := group.Columns[leaf].MetaData.Statistics; s != nil {
			counts.set(s.NullCount, s.NanCount)
			low, high = s.MinValue, s.MaxValue
		}
		bounds.add(counts, low, high)
	}
	b = bounds.build(mem)
	return b, b.Limits != nil
}

// A boundsBuilder makes the bounds of a leaf column.
type boundsBuilder struct {
	column *schema.Column
	typ    arrow.DataType
	decode func(stored []byte) []byte // nil: the bounds cannot be compared
	groups []GroupCounts
	limits [][]byte
}

func (t *Template) newBounds(leaf int, typ arrow.DataType) *boundsBuilder {
	b := &boundsBuilder{column: t.meta.Schema.Column(leaf), typ: typ}
	if !t.hasWrongStatistics(leaf) {
		b.decode = boundDecoder(b.column, typ)
	}
	return b
}

// unknown returns the counts of rows of which nothing else is known but what the type of the column says.
func (b *boundsBuilder) unknown(rows int64) GroupCounts {
	counts := GroupCounts{Rows: rows, Nulls: -1, NaNs: -1}
	if b.column.MaxDefinitionLevel() == 0 {
		counts.Nulls = 0
	}
	if !page.HoldsFloats(b.column) {
		counts.NaNs = 0
	}
	return counts
}

// add adds a row group, or a page, with bounds as they are stored.
func (b *boundsBuilder) add(counts GroupCounts, low, high []byte) {
	b.groups = append(b.groups, counts)
	if b.decode != nil {
		low, high = plausible(b.column, low, high)
		b.limits = append(b.limits, b.decode(low), b.decode(high))
	}
}

func (b *boundsBuilder) build(mem memory.Allocator) ColumnBounds {
	bounds := ColumnBounds{Groups: b.groups}
	if b.decode != nil {
		bounds.Limits = limitsOf(b.typ, b.limits, mem)
	}
	return bounds
}

// set sets the counts that a footer has, unless they contradict the number of rows.
func (c *GroupCounts) set(nulls, nans *int64) {
	if nulls != nil && *nulls >= 0 && *nulls <= c.Rows {
		c.Nulls = *nulls
	}
	if nans != nil && *nans >= 0 && *nans <= c.Rows-max(c.Nulls, 0) {
		c.NaNs = *nans
	}
}

// plausible returns bounds of a type with an order as they are stored; none where a size is wrong, one is NaN, or the
// lower is above the upper.
func plausible(column *schema.Column, low, high []byte) (_, _ []byte) {
	size := page.ValueSize(column)
	for _, bound := range [][]byte{low, high} {
		if bound != nil && (size >= 0 && len(bound) != size || page.IsNaN(column, bound)) {
			return nil, nil
		}
	}
	if low != nil && high != nil && page.ValueOrder(column)(low, high) > 0 {
		return nil, nil
	}
	return low, high
}

// boundDecoder returns a function from a bound as Parquet stores it to a value as Arrow does; nil for nil, and for one
// that the type does not hold. There is no function for a column whose bounds are not in the order of the type.
func boundDecoder(column *schema.Column, typ arrow.DataType) func(stored []byte) []byte {
	physical := column.PhysicalType()
	if page.ValueOrder(column) == nil {
		return nil
	}
	asStored := func(stored []byte) []byte { return stored }
	switch typ.ID() {
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY:
		if physical == parquet.Types.ByteArray {
			return asStored
		}
	case arrow.FIXED_SIZE_BINARY:
		if physical == parquet.Types.FixedLenByteArray && column.SortOrder() == schema.SortUNSIGNED &&
			column.TypeLength() == typ.(arrow.FixedWidthDataType).Bytes() {
			return asStored
		}
	case arrow.BOOL:
		if physical == parquet.Types.Boolean {
			return asStored
		}
	case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64:
		if page.HoldsFloats(column) {
			return asStored
		}
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.DATE32, arrow.TIME32, arrow.TIME64, arrow.TIMESTAMP,
		arrow.DURATION, arrow.DECIMAL128, arrow.DECIMAL256:
		if column.SortOrder() == schema.SortSIGNED {
			return integerDecoder(physical, typ, true)
		}
	case arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64:
		if column.SortOrder() == schema.SortUNSIGNED {
			return integerDecoder(physical, typ, false)
		}
	}
	return nil
}

// integerDecoder is boundDecoder for numbers in two's complement: little-endian, but for decimals that are bytes.
func integerDecoder(physical parquet.Type, typ arrow.DataType, signed bool) func(stored []byte) []byte {
	bytes := physical == parquet.Types.FixedLenByteArray
	if bytes && typ.ID() != arrow.DECIMAL128 && typ.ID() != arrow.DECIMAL256 || physical != parquet.Types.Int32 &&
		physical != parquet.Types.Int64 && !bytes {
		return nil
	}
	width := typ.(arrow.FixedWidthDataType).Bytes()
	return func(stored []byte) []byte {
		if len(stored) == 0 {
			return nil
		}
		number := slices.Clone(stored)
		if bytes {
			slices.Reverse(number)
		}
		return resized(number, width, signed)
	}
}

// resized returns a little-endian number in another width; nil if that does not hold it.
func resized(number []byte, width int, signed bool) []byte {
	extension := func(b []byte) byte {
		if signed && b[len(b)-1]&0x80 != 0 {
			return 0xFF
		}
		return 0
	}
	for len(number) < width {
		number = append(number, extension(number))
	}
	rest := number[width:]
	number = number[:width]
	for _, b := range rest {
		if b != extension(number) {
			return nil
		}
	}
	return number
}

// limitsOf returns an array of values as Arrow stores them, nil for null.
func limitsOf(typ arrow.DataType, values [][]byte, mem memory.Allocator) arrow.Array {
	switch t := typ.(type) {
	case *arrow.BooleanType:
		b := array.NewBooleanBuilder(mem)
		defer b.Release()
		for _, v := range values {
			if v == nil {
				b.AppendNull()
			} else {
				b.Append(v[0] != 0)
			}
		}
		return b.NewArray()
	case arrow.FixedWidthDataType:
		b := array.NewFixedSizeBinaryBuilder(mem, &arrow.FixedSizeBinaryType{ByteWidth: t.Bytes()})
		defer b.Release()
		appendAll(b, values)
		bytes := b.NewArray()
		defer bytes.Release()
		d := bytes.Data()
		return arraydata.NewArray(array.NewData(typ, d.Len(), d.Buffers(), nil, d.NullN(), 0))
	}
	b := array.NewBinaryBuilder(mem, arrow.BinaryTypes.Binary)
	defer b.Release()
	appendAll(b, values)
	return b.NewArray()
}

// appendAll appends values, nil for null.
func appendAll(b interface {
	Append(value []byte)
	AppendNull()
}, values [][]byte) {
	for _, v := range values {
		if v == nil {
			b.AppendNull()
		} else {
			b.Append(v)
		}
	}
}
