package adapter

import (
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
	"github.com/arrowsort/arrowsort/keyencode"
)

// SameValues reports whether two types have the same values, however they store them: as they are, in dictionaries or
// in runs; strings, and binary values of any length, with offsets of any width, as views or in a fixed size; lists with
// offsets of any width or as views.
func SameValues(a, b arrow.DataType) bool {
	a, b = Plain(a), Plain(b)
	if Nested(a) && Nested(b) {
		return sameElements(a, b)
	}
	s, ok := a.(*arrow.StructType)
	if !ok {
		text := textClass(a)
		return arrow.TypeEqual(a, b) || text != notText && text == textClass(b)
	}
	t, ok := b.(*arrow.StructType)
	return ok && slices.EqualFunc(s.Fields(), t.Fields(), func(f, g arrow.Field) bool {
		return f.Name == g.Name && SameValues(f.Type, g.Type)
	})
}

const (
	notText = iota
	utf8
	bytes
)

// textClass returns whether the values of a type are UTF-8, other bytes, or none of these.
func textClass(typ arrow.DataType) int {
	switch typ.ID() {
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		return utf8
	case arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW, arrow.FIXED_SIZE_BINARY:
		return bytes
	}
	return notText
}

// IsText reports whether the values of a column are text, which a collation orders.
func IsText(typ arrow.DataType) bool { return textClass(arraydata.Storage(Plain(typ))) == utf8 }

// A sortKey is a key of the engine, and what its values are made by.
type sortKey struct {
	keyencode.Key
	by derivation
}

// keyColumn returns the raw column of a key.
func (r *RawColumns) keyColumn(typ arrow.DataType, parts []arraySlice, key sortKey) (keyencode.Column, error) {
	typ, parts, err := r.withoutRuns(typ, parts)
	if err != nil {
		return keyencode.Column{}, err
	}
	if t, ok := arraydata.Storage(typ).(*arrow.DictionaryType); ok {
		return r.dictionaryColumn(t, parts, key)
	}
	return r.derived(typ, parts, key.by)
}

// dictionaryColumn returns the raw column of a dictionary key: indices, and the rank of each entry by value among the
// entries of all dictionaries of the column.
func (r *RawColumns) dictionaryColumn(
	typ *arrow.DictionaryType, parts []arraySlice, key sortKey,
) (keyencode.Column, error) {
	l, _ := layoutOf(typ.IndexType)
	l.kind = dictionaryKind(l.width)
	c, err := r.column(l, parts)
	if err != nil {
		return c, err
	}
	distinct, of := dictionaries(parts)
	ranks, err := r.ranks(typ.ValueType, distinct, nil, nil, key)
	if err != nil {
		return c, err
	}
	for i := range c.Chunks {
		c.Chunks[i].Ranks = ranks[of[i]]
	}
	return c, malformed(keyencode.ValidateKey(&c))
}

// ranks returns the dense rank of each entry among the entries of all dictionaries, from 1 on; 0 for a null entry. The
// dictionaries are those of a column, or of two columns whose types have the same values.
func (r *RawColumns) ranks(
	a arrow.DataType, left []arrow.ArrayData, b arrow.DataType, right []arrow.ArrayData, key sortKey,
) ([][]uint32, error) {
	total := 0
	for _, d := range slices.Concat(left, right) {
		total += d.Len()
	}
	buf, err := r.zeros(4 * total)
	if err != nil {
		return nil, err
	}
	ranks := arrow.Uint32Traits.CastFromBytes(buf)
	if total > 0 && arraydata.Storage(a).ID() != arrow.NULL { // null entries are 0
		key.Key = key.Ranking()
		column, err := r.columnOfBoth(a, entryParts(left), b, entryParts(right), key)
		if err == nil {
			err = r.rankColumn(column, key.Key, ranks)
		}
		if err != nil {
			return nil, fmt.Errorf("ranking the dictionary: %w", err)
		}
	}
	var split [][]uint32
	for _, d := range slices.Concat(left, right) {
		split = append(split, ranks[:d.Len():d.Len()])
		ranks = ranks[d.Len():]
	}
	return split, nil
}

// entryParts returns all entries of the dictionaries that have some.
func entryParts(dictionaries []arrow.ArrayData) (parts []arraySlice) {
	for _, d := range dictionaries {
		if d.Len() > 0 {
			parts = append(parts, newSlice(d, d.Len()))
		}
	}
	return parts
}

// columnOfBoth returns the raw column of slices of two types that have the same values.
func (r *RawColumns) columnOfBoth(
	a arrow.DataType, left []arraySlice, b arrow.DataType, right []arraySlice, key sortKey,
) (keyencode.Column, error) {
	switch {
	case len(right) == 0:
		return r.keyColumn(a, left, key)
	case len(left) == 0:
		return r.keyColumn(b, right, key)
	case arrow.TypeEqual(a, b):
		return r.keyColumn(a, append(left, right...), key)
	}
	var err error
	if a, left, err = r.withoutRuns(a, left); err != nil {
		return keyencode.Column{}, err
	}
	if b, right, err = r.withoutRuns(b, right); err != nil {
		return keyencode.Column{}, err
	}
	if _, ok := arraydata.Storage(a).(*arrow.DictionaryType); ok {
		return r.dictionaryOfBoth(a, left, b, right, key)
	}
	if d, ok := arraydata.Storage(b).(*arrow.DictionaryType); ok {
		if right, err = r.entriesOf(d, right); err != nil {
			return keyencode.Column{}, err
		}
		return r.columnOfBoth(a, left, d.ValueType, right, key)
	}
	if arrow.TypeEqual(a, b) {
		return r.keyColumn(a, append(left, right...), key)
	}
	if key.by == (derivation{}) {
		return r.textOfBoth(a, left, b, right)
	}
	c, err := r.keyColumn(a, left, key)
	if err != nil {
		return c, err
	}
	other, err := r.keyColumn(b, right, key)
	c.Chunks = append(c.Chunks, other.Chunks...)
	return c, err
}

// entriesOf turns slices of a dictionary into slices of plain values, which the RawColumns hold.
func (r *RawColumns) entriesOf(typ *arrow.DictionaryType, parts []arraySlice) ([]arraySlice, error) {
	var plain []arraySlice
	for _, v := range parts {
		c, err := r.wideIndices(typ, v)
		if err != nil {
			return nil, err
		}
		rows := arrow.Uint32Traits.CastFromBytes(c.Values)[c.Offset:][:c.Rows]
		entries := v.data.Dictionary().Len()
		err = r.eachTile(len(rows), func(lo, hi int) error {
			for i, row := range rows[lo:hi] {
				at := c.Offset + lo + i
				switch {
				case c.Validity != nil && c.Validity[at/8]>>(at%8)&1 == 0:
					rows[lo+i] = 0
				case int(row) >= entries:
					return fmt.Errorf("%w: row %d: index %d in a dictionary of %d entries",
						arrow.ErrInvalid, lo+i, row, entries)
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		dictionary := array.MakeFromData(v.data.Dictionary())
		if entries == 0 { // all rows are null
			dictionary.Release()
			dictionary = zeroRow(typ.ValueType)
		}
		arrays, err := take.Take(r.ctx, typ.ValueType, []arrow.Array{dictionary}, rows,
			take.Options{Allocator: r.mem, Threads: r.threads, Split: true})
		dictionary.Release()
		if err != nil {
			return nil, err
		}
		plain = append(plain, r.hold(arrays, v.masks)...)
	}
	return plain, nil
}

// zeroRow returns an array of one row whose buffers are zero.
func zeroRow(typ arrow.DataType) arrow.Array {
	if Nested(typ) || arraydata.Storage(typ).ID() == arrow.DICTIONARY {
		return arraydata.Nulls(memory.NewGoAllocator(), typ, 1)
	}
	l, _ := layoutOf(typ)
	buffers := []*memory.Buffer{nil}
	if l.kind != keyencode.Null {
		buffers = append(buffers, memory.NewBufferBytes(make([]byte, 2*max(l.width, 8))))
	}
	if l.kind == keyencode.Binary || l.kind == keyencode.LargeBinary {
		buffers = append(buffers, memory.NewBufferBytes(nil))
	}
	return arraydata.NewArray(array.NewData(typ, 1, buffers, nil, 0, 0))
}

// dictionaryOfBoth returns the raw column of slices of a dictionary and of others. Plain values of these become
// dictionaries with one entry for each row.
func (r *RawColumns) dictionaryOfBoth(
	a arrow.DataType, left []arraySlice, b arrow.DataType, right []arraySlice, key sortKey,
) (keyencode.Column, error) {
	c := keyencode.Column{Kind: keyencode.Dictionary32, Width: 4}
	addIndices := func(typ *arrow.DictionaryType, parts []arraySlice) error {
		for _, v := range parts {
			chunk, err := r.wideIndices(typ, v)
			if err != nil {
				return err
			}
			c.Chunks = append(c.Chunks, chunk)
		}
		return nil
	}
	d := arraydata.Storage(a).(*arrow.DictionaryType)
	if err := addIndices(d, left); err != nil {
		return c, err
	}
	entries, of := dictionaries(left)
	values := b
	var entriesRight []arrow.ArrayData
	var ofRight []int
	if e, ok := arraydata.Storage(b).(*arrow.DictionaryType); ok {
		values = e.ValueType
		entriesRight, ofRight = dictionaries(right)
		if err := addIndices(e, right); err != nil {
			return c, err
		}
	} else {
		for i, v := range right {
			chunk, data, err := r.asDictionary(v)
			if err != nil {
				return c, err
			}
			defer data.Release()
			c.Chunks = append(c.Chunks, chunk)
			entriesRight, ofRight = append(entriesRight, data), append(ofRight, i)
		}
	}
	ranks, err := r.ranks(d.ValueType, entries, values, entriesRight, key)
	if err != nil {
		return c, err
	}
	for _, i := range ofRight {
		of = append(of, len(entries)+i)
	}
	for i := range c.Chunks {
		c.Chunks[i].Ranks = ranks[of[i]]
	}
	return c, malformed(keyencode.ValidateKey(&c))
}

// asDictionary returns a slice of plain values as indices into a dictionary that has them in their order.
func (r *RawColumns) asDictionary(v arraySlice) (keyencode.Chunk, arrow.ArrayData, error) {
	c := keyencode.Chunk{Rows: v.rows}
	var err error
	if c.Validity, err = r.validity(v, 0); err != nil {
		return c, nil, err
	}
	if c.Values, err = r.temporary(4 * v.rows); err != nil {
		return c, nil, err
	}
	indices := arrow.Uint32Traits.CastFromBytes(c.Values)
	err = r.eachTile(v.rows, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			indices[i] = uint32(i)
		}
		return nil
	})
	if err != nil {
		return c, nil, err
	}
	from := int64(v.first - v.data.Offset())
	return c, array.NewSliceData(v.data, from, from+int64(v.rows)), nil
}

// wideIndices returns a slice of a dictionary as indices of 32 bits, in temporary memory. Those that need more are out
// of range.
func (r *RawColumns) wideIndices(typ *arrow.DictionaryType, v arraySlice) (keyencode.Chunk, error) {
	l, _ := layoutOf(typ.IndexType)
	column, err := r.column(layout{dictionaryKind(l.width), l.width}, []arraySlice{v})
	if err != nil {
		return keyencode.Chunk{}, err
	}
	c := column.Chunks[0]
	buf, err := r.temporary(4 * (c.Offset + c.Rows))
	if err != nil {
		return c, err
	}
	wide := arrow.Uint32Traits.CastFromBytes(buf)
	err = r.eachTile(len(wide), func(lo, hi int) error {
		switch to := wide[lo:hi]; l.width {
		case 1:
			widen(to, c.Values[lo:])
		case 2:
			widen(to, arrow.Uint16Traits.CastFromBytes(c.Values)[lo:])
		case 4:
			copy(to, arrow.Uint32Traits.CastFromBytes(c.Values)[lo:])
		case 8:
			widen(to, arrow.Uint64Traits.CastFromBytes(c.Values)[lo:])
		}
		return nil
	})
	c.Values = buf
	return c, err
}

func widen[U uint8 | uint16 | uint64](wide []uint32, indices []U) {
	for i := range wide {
		wide[i] = uint32(min(uint64(indices[i]), math.MaxUint32))
	}
}
