package page

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// PlainBounds finds the bounds of values in plain encoding, or of indices into a dictionary of such values. The zero
// value is to be Reset.
type PlainBounds struct {
	column  *schema.Column
	compare func(a, b []byte) int // nil: the type has no order
	width   int                   // bytes of a value; 0: the four bytes before it are its length
	numbers *numberOrder          // of values that are numbers of 2, 4 or 8 bytes
	heads   bool                  // values are compared by their first bytes first

	entries []byte   // of the dictionary
	starts  []uint32 // of each of them, and the end of the last
	used    []bool   // by a page
}

// Reset begins with a column chunk.
func (p *PlainBounds) Reset(column *schema.Column) {
	*p = PlainBounds{column: column, compare: ValueOrder(column), starts: p.starts[:0], used: p.used[:0]}
	_, half := column.LogicalType().(schema.Float16LogicalType)
	signed := column.SortOrder() == schema.SortSIGNED
	switch typ := column.PhysicalType(); typ {
	case parquet.Types.ByteArray:
		p.heads = !signed
	case parquet.Types.FixedLenByteArray:
		p.width = column.TypeLength()
	case parquet.Types.Boolean:
	default:
		p.width = typ.ByteSize()
	}
	switch typ := column.PhysicalType(); {
	case p.compare == nil:
	case half:
		p.numbers = floatOrder(16, 0x7C00)
	case typ == parquet.Types.Float:
		p.numbers = floatOrder(32, 0x7F800000)
	case typ == parquet.Types.Double:
		p.numbers = floatOrder(64, 0x7FF0000000000000)
	case typ == parquet.Types.Int32 && signed:
		p.numbers = &numberOrder{sign: 1 << 31, last: math.MaxUint32}
	case typ == parquet.Types.Int64 && signed:
		p.numbers = &numberOrder{sign: 1 << 63, last: math.MaxUint64}
	case typ == parquet.Types.Int32, typ == parquet.Types.Int64:
		p.numbers = &numberOrder{last: math.MaxUint64}
	}
}

// SetEntries takes the n entries of a dictionary, which it keeps.
func (p *PlainBounds) SetEntries(entries []byte, n int) {
	p.entries, p.starts = entries, append(p.starts[:0], 0)
	for at := range n {
		_, rest := p.next(entries[p.starts[at]:])
		p.starts = append(p.starts, uint32(len(entries)-len(rest)))
	}
	p.used = slices.Grow(p.used[:0], n)[:n]
}

// OfPage finds the bounds of the n values of a data page that are not null, as a copy.
func (p *PlainBounds) OfPage(encoding int, values []byte, n int) (bounds Bounds, err error) {
	switch {
	case n == 0:
		bounds.Empty = true
	case p.compare == nil:
		bounds.Unknown = true
	case encoding == Plain:
		bounds = p.ofValues(values, n)
	default:
		bounds, err = p.ofIndices(values, n)
	}
	bounds.Low, bounds.High = slices.Clone(bounds.Low), slices.Clone(bounds.High)
	return bounds, err
}

func (p *PlainBounds) ofValues(b []byte, n int) Bounds {
	switch {
	case p.numbers != nil:
		found := noNumbers
		for b := b[:n*p.width]; len(b) > 0; b = b[p.width:] {
			found.add(p.numbers.code(loadNumber(b, p.width)))
		}
		return p.numbers.bounds(found, p.width)
	case p.column.PhysicalType() == parquet.Types.Boolean:
		return booleanBounds(b, n)
	}
	var found extremes
	for range n {
		var value []byte
		value, b = p.next(b)
		p.widen(&found, value)
	}
	return found.bounds()
}

// ofIndices finds the bounds of values that are given by a width and a hybrid of their places in the dictionary.
func (p *PlainBounds) ofIndices(b []byte, n int) (Bounds, error) {
	r := HybridReader{Bytes: b[1:], Width: int(b[0])}
	clear(p.used)
	var block [256]uint32
	for n > 0 {
		part := block[:min(n, len(block))]
		greatest, err := r.Read(part)
		if err := CheckIndex(greatest, len(p.used), err); err != nil {
			return Bounds{}, err
		}
		for _, i := range part {
			p.used[i] = true
		}
		n -= len(part)
	}
	numbers, found := noNumbers, extremes{}
	for i, used := range p.used {
		switch entry := p.entries[p.starts[i]:p.starts[i+1]]; {
		case !used:
		case p.numbers != nil:
			numbers.add(p.numbers.code(loadNumber(entry, p.width)))
		default:
			value, _ := p.next(entry)
			p.widen(&found, value)
		}
	}
	if p.numbers != nil {
		return p.numbers.bounds(numbers, p.width), nil
	}
	return found.bounds(), nil
}

// next takes the first value of some.
func (p *PlainBounds) next(b []byte) (value, rest []byte) {
	start, size := 0, p.width
	if size == 0 {
		start, size = 4, int(binary.LittleEndian.Uint32(b))
	}
	rest = b[start+size:] // panics where the value passes the end
	return b[start : start+size : start+size], rest
}

// extremes are the least and the greatest of some values, and their first bytes.
type extremes struct {
	low, high         []byte
	lowHead, highHead uint64
	some              bool
}

func (e *extremes) bounds() Bounds { return Bounds{Low: e.low, High: e.high} }

// widen adds a value.
func (p *PlainBounds) widen(e *extremes, value []byte) {
	head := uint64(0)
	if p.heads {
		head = firstBytes(value)
	}
	if !e.some {
		*e = extremes{value, value, head, head, true}
		return
	}
	if head < e.lowHead || head == e.lowHead && p.compare(value, e.low) < 0 {
		e.low, e.lowHead = value, head
	}
	if head > e.highHead || head == e.highHead && p.compare(value, e.high) > 0 {
		e.high, e.highHead = value, head
	}
}

// firstBytes are the first eight bytes as a number that compares as they do, zeros for those that are missing.
func firstBytes(text []byte) uint64 {
	if len(text) >= 8 {
		return binary.BigEndian.Uint64(text)
	}
	var b [8]byte
	copy(b[:], text)
	return binary.BigEndian.Uint64(b[:])
}

// booleanBounds are those of n bits.
func booleanBounds(b []byte, n int) Bounds {
	r := HybridReader{Bytes: b, Width: 1, bits: n}
	ones, _ := r.Count(n, 1) // one run, which is there
	value := func(one bool) []byte {
		if one {
			return []byte{1}
		}
		return []byte{0}
	}
	return Bounds{Low: value(ones == n), High: value(ones > 0)}
}
