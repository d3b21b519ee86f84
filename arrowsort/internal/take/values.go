package take

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math/bits"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// A valueReader returns the bytes of the value in row i, and whether the row is valid. Two values of a type have the
// same bytes when they are equal bit by bit: -0.0 is not +0.0, and a NaN is equal to one with the same payload.
type valueReader func(i int) (value string, valid bool)

// ReadValues returns the reader of the values of an array, which is nil for unions and run-end encoding. The strings of
// a flat type refer to the array's buffers. Errors: arrow.ErrInvalid for malformed arrays.
func ReadValues(a arrow.Array) (read func(i int) (value string, valid bool), err error) {
	defer arraydata.Guard(&err)
	return valuesOf(a.DataType(), chunk{a.Data(), a.Data().Offset(), a.Len()})
}

// valuesOf is ReadValues of a chunk.
func valuesOf(typ arrow.DataType, c chunk) (valueReader, error) {
	layout := arraydata.Storage(typ)
	valid, _, err := validities([]chunk{c}, c.length)
	if err != nil {
		return nil, err
	}
	if t, ok := layout.(*arrow.DictionaryType); ok {
		return entriesOf(t, c, valid[0])
	}
	read, err := bytesOf(layout, c)
	if read == nil || err != nil {
		return nil, err
	}
	return func(i int) (string, bool) {
		if layout.ID() == arrow.NULL || !valid[0].bit(uint64(i)) {
			return "", false
		}
		b := read(i) // of the chunk, which is not written to, or new
		return unsafe.String(unsafe.SliceData(b), len(b)), true
	}, nil
}

// bytesOf returns the bytes of the valid values of a chunk.
func bytesOf(layout arrow.DataType, c chunk) (func(i int) []byte, error) {
	switch t := layout.(type) {
	case *arrow.NullType:
		return func(int) []byte { return nil }, nil
	case *arrow.BooleanType:
		b, err := c.bits(1)
		truth := map[bool][]byte{false: {0}, true: {1}}
		return func(i int) []byte { return truth[b.bit(uint64(i))] }, err
	case *arrow.StringType, *arrow.BinaryType:
		return stringsOf[int32](c)
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return stringsOf[int64](c)
	case *arrow.StringViewType, *arrow.BinaryViewType:
		views, err := c.values(1, viewBytes, 0)
		return func(i int) []byte { return viewed(c, views[i*viewBytes:][:viewBytes]) }, err
	case arrow.NestedType:
		return childrenOf(t, c)
	case arrow.FixedWidthDataType:
		width := t.Bytes()
		values, err := c.values(1, width, 0)
		return func(i int) []byte { return values[i*width:][:width] }, err
	}
	return nil, nil
}

func stringsOf[O offset](c chunk) (func(i int) []byte, error) {
	offsets, err := numbers[O](c, 1, 1)
	bytes := c.bytes(2)
	return func(i int) []byte { return bytes[offsets[i]:offsets[i+1]] }, err
}

// viewed returns the bytes of a view.
func viewed(c chunk, view []byte) []byte {
	words := buffers.View[uint32](view)
	if n := words[0]; n <= buffers.InlineView {
		return view[4 : 4+n]
	}
	start := uint64(words[3])
	return c.bytes(2 + int(words[2]))[start : start+uint64(words[0])]
}

// entriesOf returns the reader of the entries that indices refer to.
func entriesOf(typ *arrow.DictionaryType, c chunk, valid bitmap) (valueReader, error) {
	width := typ.IndexType.(arrow.FixedWidthDataType).Bytes()
	indices, err := c.values(1, width, 0)
	if err != nil {
		return nil, err
	}
	d := c.data.Dictionary()
	entries, err := valuesOf(typ.ValueType, chunk{d, d.Offset(), d.Len()})
	if entries == nil || err != nil {
		return nil, err
	}
	return func(i int) (string, bool) {
		if !valid.bit(uint64(i)) {
			return "", false
		}
		return entries(int(buffers.Index(indices, width, i)))
	}, nil
}

// childrenOf returns the bytes of the values of all children of a nested value, one after the other.
func childrenOf(typ arrow.NestedType, c chunk) (func(i int) []byte, error) {
	spans, err := childSpans(typ, c)
	if spans == nil || err != nil {
		return nil, err
	}
	var read []valueReader
	fields := typ.Fields()
	for k, child := range c.data.Children() {
		r, err := valuesOf(fields[k].Type, chunk{child, child.Offset(), child.Len()})
		if r == nil || err != nil {
			return nil, err
		}
		read = append(read, r)
	}
	return func(i int) (b []byte) {
		lo, hi := spans(i)
		for row := lo; row < hi; row++ {
			for _, r := range read {
				b = appendValue(b, r, row)
			}
		}
		return b
	}, nil
}

// appendValue appends a value such that no two sequences of values have the same bytes.
func appendValue(b []byte, read valueReader, row int) []byte {
	value, valid := read(row)
	if !valid {
		return append(b, 0)
	}
	b = binary.AppendUvarint(append(b, 1), uint64(len(value)))
	return append(b, value...)
}

// childSpans returns the rows [lo,hi) of the children that belong to a row of a nested type; nil for unions and runs.
func childSpans(typ arrow.NestedType, c chunk) (func(i int) (lo, hi int), error) {
	switch t := typ.(type) {
	case *arrow.StructType:
		return spansOfSize(c, 1)
	case *arrow.FixedSizeListType:
		return spansOfSize(c, int(t.Len()))
	case *arrow.ListType, *arrow.MapType:
		return spansOfOffsets[int32](c)
	case *arrow.LargeListType:
		return spansOfOffsets[int64](c)
	case *arrow.ListViewType:
		return spansOfViews[int32](c)
	case *arrow.LargeListViewType:
		return spansOfViews[int64](c)
	}
	return nil, nil
}

func spansOfSize(c chunk, each int) (func(i int) (lo, hi int), error) {
	for k, child := range c.data.Children() {
		if need := (c.offset + c.length) * each; child.Len() < need {
			return nil, fmt.Errorf("%w: child %d has %d rows, %d expected", arraydata.ErrMalformed, k, child.Len(),
				need)
		}
	}
	return func(i int) (lo, hi int) { return (c.offset + i) * each, (c.offset + i + 1) * each }, nil
}

func spansOfOffsets[O offset](c chunk) (func(i int) (lo, hi int), error) {
	offsets, err := numbers[O](c, 1, 1)
	return func(i int) (lo, hi int) { return int(offsets[i]), int(offsets[i+1]) }, err
}

func spansOfViews[O offset](c chunk) (func(i int) (lo, hi int), error) {
	offsets, err := numbers[O](c, 1, 0)
	if err != nil {
		return nil, err
	}
	sizes, err := numbers[O](c, 2, 0)
	return func(i int) (lo, hi int) { return int(offsets[i]), int(offsets[i] + sizes[i]) }, err
}

// A valueTable gives each different value of several chunks an id, counted from 0: a hash table with open addressing,
// in the caller's memory.
//
// A slot is 8 bytes: the upper half of the value's hash, and the id of the value plus one; 0 is a free slot. At
// most three quarters of the slots are used.
type valueTable struct {
	slots     *memory.Buffer
	positions []uint64 // where the value of each id appears first
	null      int32    // the id of null, -1 for none
	readers   []valueReader
	seed      maphash.Seed
}

// newValueTable returns a table for up to total values. The caller releases its slots.
func (g *gatherer) newValueTable(typ arrow.DataType, chunks []chunk, total int) (*valueTable, error) {
	t := &valueTable{null: -1, readers: make([]valueReader, len(chunks)), seed: maphash.MakeSeed()}
	for i, c := range chunks {
		var err error
		if t.readers[i], err = valuesOf(typ, c); err != nil {
			return nil, err
		}
	}
	positions, err := g.buffer(8 * total)
	if err != nil {
		return nil, err
	}
	t.positions = buffers.View[uint64](positions.Bytes())[:0:total]
	if t.slots, err = g.scratch(8 << bits.Len(uint(total+total/3))); err != nil {
		return nil, err
	}
	clear(t.slots.Bytes())
	return t, nil
}

// idOf returns the id of the value in a row of a chunk. Each value of a union or of runs gets a new id.
func (t *valueTable) idOf(chunk, row int) int32 {
	read := t.readers[chunk]
	if read == nil {
		return t.add(chunk, row)
	}
	value, valid := read(row)
	if !valid {
		if t.null < 0 {
			t.null = t.add(chunk, row)
		}
		return t.null
	}
	slots := buffers.View[uint64](t.slots.Bytes())
	hash := maphash.String(t.seed, value)
	for at := hash; ; at++ {
		slot := &slots[at&uint64(len(slots)-1)]
		if *slot == 0 {
			n := t.add(chunk, row)
			*slot = hash>>32<<32 | uint64(n+1)
			return n
		}
		if n := int32(uint32(*slot)) - 1; *slot>>32 == hash>>32 && t.hasValue(n, value) {
			return n
		}
	}
}

func (t *valueTable) add(chunk, row int) int32 {
	t.positions = append(t.positions, uint64(chunk)<<rowBits|uint64(row))
	return int32(len(t.positions) - 1)
}

// hasValue reports whether an id has a value.
func (t *valueTable) hasValue(id int32, value string) bool {
	at := t.positions[id]
	have, _ := t.readers[at>>rowBits](int(at & rowMask))
	return have == value
}
