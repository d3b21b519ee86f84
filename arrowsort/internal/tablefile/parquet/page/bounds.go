package page

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// PlainBounds finds the bounds of values in plain encoding, or of indices into a dictionary of such values. Reset
// precedes its use.
type PlainBounds struct {
	column  *schema.Column
	compare func(a, b []byte) int // nil: the type has no order
	width   int                   // bytes of a value; 0: the four bytes before it are its length
	numbers *numberOrder          // of values that are numbers of 2, 4 or 8 bytes

	entries []byte   // of the dictionary
	starts  []uint32 // of each of them, and the end of the last
	used    []bool   // by a page
}

// Reset starts a column chunk.
func (p *PlainBounds) Reset(column *schema.Column) {
	*p = PlainBounds{column: column, compare: ValueOrder(column), numbers: numbersOf(column), starts: p.starts[:0],
		used: p.used[:0]}
	switch typ := column.PhysicalType(); typ {
	case parquet.Types.ByteArray, parquet.Types.Boolean:
	case parquet.Types.FixedLenByteArray:
		p.width = column.TypeLength()
	default:
		p.width = typ.ByteSize()
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
		bounds.AllNull = true
	case p.compare == nil:
		bounds.NoBounds = true
	case encoding == Plain:
		bounds = p.ofValues(values, n)
	case encoding == PlainDictionary || encoding == RLEDictionary:
		bounds, err = p.ofIndices(values, n)
	default: // is not decoded here
		bounds.NoBounds = true
	}
	bounds.Min, bounds.Max = p.kept(bounds.Min, truncatedMin), p.kept(bounds.Max, truncatedMax)
	return bounds, err
}

// kept returns a copy of a bound, cut to the bytes that statistics may have: whole values of long rows would take as
// much memory as a row group.
func (p *PlainBounds) kept(bound []byte, cut func([]byte, *schema.Column, bool) []byte) []byte {
	const most = LongestStatistic + 1
	if len(bound) > most && len(cut(bound, p.column, holdsText(p.column))) < len(bound) {
		bound = bound[:most]
	}
	return slices.Clone(bound)
}

func (p *PlainBounds) ofValues(b []byte, n int) Bounds {
	switch {
	case p.numbers != nil:
		found := noNumbers
		for b := b[:n*p.width]; len(b) > 0; b = b[p.width:] {
			found.add(p.numbers.codeOf(b))
		}
		return p.numbers.bounds(found)
	case p.column.PhysicalType() == parquet.Types.Boolean:
		return booleanBounds(b, n)
	}
	var found Bounds
	for range n {
		var value []byte
		value, b = p.next(b)
		p.widen(&found, value)
	}
	return found
}

// ofIndices finds the bounds of dictionary indices: a byte with their width, then the RLE / bit-packing hybrid.
func (p *PlainBounds) ofIndices(b []byte, n int) (Bounds, error) {
	r := RLEReader{Bytes: b[1:], Width: int(b[0])}
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
	numbers, found := noNumbers, Bounds{}
	for i, used := range p.used {
		switch entry := p.entries[p.starts[i]:p.starts[i+1]]; {
		case !used:
		case p.numbers != nil:
			numbers.add(p.numbers.codeOf(entry))
		default:
			value, _ := p.next(entry)
			p.widen(&found, value)
		}
	}
	if p.numbers != nil {
		return p.numbers.bounds(numbers), nil
	}
	return found, nil
}

// next returns the first value, and the bytes after it.
func (p *PlainBounds) next(b []byte) (value, rest []byte) {
	start, size := 0, p.width
	if size == 0 {
		start, size = 4, int(binary.LittleEndian.Uint32(b))
	}
	rest = b[start+size:] // panics where the value passes the end
	return b[start : start+size : start+size], rest
}

// widen extends bounds to a value.
func (p *PlainBounds) widen(found *Bounds, value []byte) {
	if found.Min == nil || p.compare(value, found.Min) < 0 {
		found.Min = value
	}
	if found.Max == nil || p.compare(value, found.Max) > 0 {
		found.Max = value
	}
}

// booleanBounds returns the bounds of n bits.
func booleanBounds(b []byte, n int) Bounds {
	r := RLEReader{Bytes: b, Width: 1, bits: n}
	ones, _ := r.Count(n, 1) // one run, which is there
	value := func(one bool) []byte {
		if one {
			return []byte{1}
		}
		return []byte{0}
	}
	return Bounds{Min: value(ones == n), Max: value(ones > 0)}
}

// longestBound is the bytes of a bound of text or bytes in an index; longer ones are cut, the greatest value to one
// that is greater still. Statistics of column chunks have whole values or none.
const longestBound = 64

// LongestStatistic is the bytes of a value up to which it is a bound in the metadata of a column chunk.
const LongestStatistic = 4096

// holdsText reports whether values are UTF-8, which bounds have to be too.
func holdsText(column *schema.Column) bool {
	switch column.LogicalType().(type) {
	case schema.StringLogicalType, schema.JSONLogicalType, schema.EnumLogicalType:
		return true
	}
	return false
}

func mayCut(bound []byte, column *schema.Column) bool {
	return len(bound) > longestBound && column.PhysicalType() == parquet.Types.ByteArray &&
		column.SortOrder() == schema.SortUNSIGNED
}

// truncatedMin returns a value of at most longestBound bytes that is not greater than the bound.
func truncatedMin(bound []byte, column *schema.Column, text bool) []byte {
	if !mayCut(bound, column) {
		return bound
	}
	return bound[:cutAt(bound, text)]
}

// truncatedMax returns a value that is not less than the bound: of about longestBound bytes, if there is one.
func truncatedMax(bound []byte, column *schema.Column, text bool) []byte {
	if !mayCut(bound, column) {
		return bound
	}
	short := slices.Clone(bound[:cutAt(bound, text)])
	if text {
		short = nextText(short)
	} else {
		short = nextBytes(short)
	}
	if short == nil {
		return bound
	}
	return short
}

// cutAt is where a long value is cut: not inside a character of text.
func cutAt(b []byte, text bool) int {
	end := longestBound
	for text && end > longestBound-utf8.UTFMax && !utf8.RuneStart(b[end]) {
		end--
	}
	return end
}

// nextBytes makes the least value that is greater than all that start with b; nil when there is none.
func nextBytes(b []byte) []byte {
	for i := range slices.Backward(b) {
		if b[i] < 0xFF {
			b[i]++
			return b[:i+1]
		}
	}
	return nil
}

// nextText is nextBytes for UTF-8; nil too for what is none.
func nextText(b []byte) []byte {
	if !utf8.Valid(b) {
		return nil
	}
	for len(b) > 0 {
		r, size := utf8.DecodeLastRune(b)
		b = b[:len(b)-size]
		switch {
		case r == 0xD7FF: // surrogates follow
			return utf8.AppendRune(b, 0xE000)
		case r < utf8.MaxRune:
			return utf8.AppendRune(b, r+1)
		}
	}
	return nil
}
