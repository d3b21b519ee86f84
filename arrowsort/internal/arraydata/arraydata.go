// Package arraydata reads and measures the buffers of Arrow arrays.
package arraydata

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Offset is the type of the offsets of strings and lists.
type Offset interface{ int32 | int64 }

// End returns the position after the last row, counted from the start of the buffers.
func End(d arrow.ArrayData) int64 { return int64(d.Offset()) + int64(d.Len()) }

// Bytes returns the bytes of a buffer; nil when the array does not have it.
func Bytes(d arrow.ArrayData, i int) []byte {
	if bufs := d.Buffers(); i < len(bufs) && bufs[i] != nil {
		return bufs[i].Bytes()
	}
	return nil
}

// Validity returns the bitmap of an array; nil when no row is null.
func Validity(d arrow.ArrayData) []byte {
	if d.NullN() == 0 {
		return nil
	}
	return Bytes(d, 0)
}

// LittleEndian reads an integer of 1, 2, 4 or 8 bytes. A negative one is larger than any length.
func LittleEndian(b []byte, width int, signed bool) uint64 {
	n := uint64(0)
	if signed && b[width-1] >= 1<<7 {
		n = ^n
	}
	for i := width - 1; i >= 0; i-- {
		n = n<<8 | uint64(b[i])
	}
	return n
}

// ErrMalformed is wrapped by errors about arrays whose buffers contradict each other. It also matches arrow.ErrInvalid.
var ErrMalformed = fmt.Errorf("malformed array: %w", arrow.ErrInvalid)

// Guard turns a panic into an ErrMalformed, if it is deferred: offsets and indices that lead out of their buffers make
// Arrow, and loops over them, panic, and data read from a file must not end the program.
func Guard(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: %v", ErrMalformed, p)
	}
}

// NewArray returns an array of data, which it releases. The caller releases the array.
func NewArray(d arrow.ArrayData) arrow.Array {
	defer d.Release()
	return array.MakeFromData(d)
}

// MakeArray returns an array of data, or an ErrMalformed where Arrow's constructor panics. The array that a constructor
// was making would then keep its references, so that it is tried on data without any first.
func MakeArray(d arrow.ArrayData) (a arrow.Array, err error) {
	defer Guard(&err)
	array.MakeFromData(unowned(d))
	return array.MakeFromData(d), nil
}

// unowned returns the same data in buffers that have no references to count.
func unowned(d arrow.ArrayData) *array.Data {
	buffers, children := make([]*memory.Buffer, len(d.Buffers())), make([]arrow.ArrayData, len(d.Children()))
	for i, b := range d.Buffers() {
		if b != nil {
			buffers[i] = memory.NewBufferBytes(b.Bytes())
		}
	}
	for i, c := range d.Children() {
		children[i] = unowned(c)
	}
	u := array.NewData(d.DataType(), d.Len(), buffers, children, d.NullN(), d.Offset())
	if dictionary, ok := d.Dictionary().(*array.Data); ok && dictionary != nil {
		u.SetDictionary(unowned(dictionary))
	}
	return u
}

// IsNull reports whether a value is null: by its bitmap, by its type, or because the entry of a dictionary or run is.
func IsNull(a arrow.Array, i int) bool {
	switch a := a.(type) {
	case *array.Null:
		return true
	case *array.Dictionary:
		return a.IsNull(i) || IsNull(a.Dictionary(), a.GetValueIndex(i))
	case *array.RunEndEncoded:
		return IsNull(a.Values(), a.GetPhysicalIndex(i))
	case array.ExtensionArray:
		return IsNull(a.Storage(), i)
	}
	return a.IsNull(i)
}

// NewBuffer returns a buffer of a size. Its content is undefined.
func NewBuffer(mem memory.Allocator, size int) *memory.Buffer {
	b := memory.NewResizableBuffer(mem)
	b.Resize(size)
	return b
}

// Release releases all that are not nil.
func Release[T interface{ Release() }](all []T) {
	for _, one := range all {
		if any(one) != nil {
			one.Release()
		}
	}
}

// Trim returns an array with the values of another. Buffers with much more memory than they use, as builders that grow
// leave them, are copied. The caller releases it.
func Trim(d arrow.ArrayData, mem memory.Allocator) arrow.ArrayData {
	buffers := make([]*memory.Buffer, len(d.Buffers()))
	defer func() { memory.ReleaseBuffers(buffers) }()
	for i, b := range d.Buffers() {
		if b == nil {
			continue
		}
		if b.Retain(); cap(b.Buf())-b.Len() > b.Len()/8+spareBytes { // Cap is the length of shared memory
			copied := NewBuffer(mem, b.Len())
			copy(copied.Bytes(), b.Bytes())
			b.Release()
			b = copied
		}
		buffers[i] = b
	}
	children := make([]arrow.ArrayData, len(d.Children()))
	defer func() { Release(children) }()
	for i, c := range d.Children() {
		children[i] = Trim(c, mem)
	}
	trimmed := array.NewData(d.DataType(), d.Len(), buffers, children, d.NullN(), d.Offset())
	if _, ok := Storage(d.DataType()).(*arrow.DictionaryType); ok {
		trimmed.SetDictionary(d.Dictionary())
	}
	return trimmed
}

// spareBytes of a buffer are not worth a copy.
const spareBytes = 1 << 12

// Nulls returns an array of n nulls. Arrow's own function panics for views. The caller releases it.
func Nulls(mem memory.Allocator, typ arrow.DataType, n int) arrow.Array {
	return NewArray(nulls(mem, typ, n))
}

func nulls(mem memory.Allocator, typ arrow.DataType, n int) arrow.ArrayData {
	storage, rows := Storage(typ), 0 // of the children: none of lists
	switch t := storage.(type) {
	case arrow.UnionType, *arrow.RunEndEncodedType: // they have no bitmap
		b := array.NewBuilder(mem, typ)
		defer b.Release()
		b.AppendNulls(n)
		a := b.NewArray()
		defer a.Release()
		a.Data().Retain()
		return a.Data()
	case *arrow.StructType:
		rows = n
	case *arrow.FixedSizeListType:
		rows = n * int(t.Len())
	}
	var buffers []*memory.Buffer
	defer func() { memory.ReleaseBuffers(buffers) }()
	for _, spec := range storage.Layout().Buffers {
		b := NewBuffer(mem, max(spec.ByteWidth, 1)*(n+1)) // offsets are one more
		clear(b.Bytes())
		buffers = append(buffers, b)
	}
	var children []arrow.ArrayData
	defer func() { Release(children) }()
	if nested, ok := storage.(arrow.NestedType); ok {
		for _, f := range nested.Fields() {
			children = append(children, nulls(mem, f.Type, rows))
		}
	}
	data := array.NewData(typ, n, buffers, children, n, 0)
	if t, ok := storage.(*arrow.DictionaryType); ok {
		entries := nulls(mem, t.ValueType, 0)
		defer entries.Release()
		data.SetDictionary(entries)
	}
	return data
}

// NewTable makes a table of the columns that column returns, which it takes over, with a number of rows; less than 0:
// that of the columns. The caller releases it.
func NewTable(schema *arrow.Schema, rows int64, column func(i int) (*arrow.Chunked, error)) (arrow.Table, error) {
	columns := make([]arrow.Column, schema.NumFields())
	for i, f := range schema.Fields() {
		data, err := column(i)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", f.Name, err)
		}
		columns[i] = *arrow.NewColumn(f, data)
		data.Release()
		defer columns[i].Release()
	}
	return array.NewTable(schema, columns, rows), nil
}

// ConvertChunks returns a column of a type, whose chunks convert makes of those of another type. The caller releases
// it.
func ConvertChunks(column *arrow.Chunked, typ arrow.DataType,
	convert func(d arrow.ArrayData) (arrow.ArrayData, error)) (*arrow.Chunked, error) {
	if arrow.TypeEqual(column.DataType(), typ) {
		column.Retain()
		return column, nil
	}
	chunks := make([]arrow.Array, 0, len(column.Chunks()))
	defer func() { Release(chunks) }()
	for _, c := range column.Chunks() {
		data, err := convert(c.Data())
		if err != nil {
			return nil, err
		}
		chunks = append(chunks, NewArray(data))
	}
	return arrow.NewChunked(typ, chunks), nil
}

// ConvertChildren returns an array of a nested type, whose children convert makes. Their rows keep their numbers, by
// which the rows of the parent find them. The caller releases it.
func ConvertChildren(d arrow.ArrayData, typ arrow.DataType,
	convert func(i int, child arrow.ArrayData) (arrow.ArrayData, error)) (arrow.ArrayData, error) {
	children := make([]arrow.ArrayData, 0, len(d.Children()))
	defer func() { Release(children) }()
	for i, c := range d.Children() {
		child, err := convert(i, c)
		if err != nil {
			return nil, err
		}
		children = append(children, child)
	}
	return array.NewData(typ, d.Len(), d.Buffers(), children, d.NullN(), d.Offset()), nil
}

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
	rows := int64(0)
	for _, p := range parts {
		rows += p.NumRows()
	}
	return tableOf(schema, rows, func(i int) *arrow.Chunked {
		var chunks []arrow.Array
		for _, p := range parts {
			chunks = append(chunks, p.Column(i).Data().Chunks()...)
		}
		return arrow.NewChunked(schema.Field(i).Type, chunks)
	})
}

// TableOf returns the rows of a record as a table, without a copy. The caller releases it.
func TableOf(rec arrow.Record) arrow.Table {
	return tableOf(rec.Schema(), rec.NumRows(), func(i int) *arrow.Chunked {
		return arrow.NewChunked(rec.Column(i).DataType(), []arrow.Array{rec.Column(i)})
	})
}

// tableOf is NewTable of columns that are there. Arrow's functions make tables without columns that have no rows.
func tableOf(schema *arrow.Schema, rows int64, column func(i int) *arrow.Chunked) arrow.Table {
	table, _ := NewTable(schema, rows, func(i int) (*arrow.Chunked, error) { return column(i), nil })
	return table
}

// SliceTable returns some rows of a table, without a copy. The caller releases it.
func SliceTable(table arrow.Table, first, end int64) arrow.Table {
	return tableOf(table.Schema(), max(min(end, table.NumRows())-max(first, 0), 0), func(i int) *arrow.Chunked {
		return SliceChunked(table.Column(i).Data(), first, end)
	})
}

// PickTable returns a table with some of its columns; all when columns is nil. The caller releases it.
func PickTable(table arrow.Table, columns []int) arrow.Table {
	if columns == nil {
		table.Retain()
		return table
	}
	return tableOf(Pick(table.Schema(), columns), table.NumRows(), func(i int) *arrow.Chunked {
		data := table.Column(columns[i]).Data()
		data.Retain()
		return data
	})
}
