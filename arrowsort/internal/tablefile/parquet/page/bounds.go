package page

import (
	"slices"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// PlainBounds finds the statistics of values in plain encoding, or of indices into a dictionary of such values. Reset
// precedes its use.
type PlainBounds struct {
	column  *schema.Column
	compare func(a, b []byte) int // nil: the type has no order
	width   int                   // bytes of a value; 0: the four bytes before it are its length
	numbers *numberOrder          // of values that are numbers of 2, 4 or 8 bytes

	entries []byte   // of the dictionary
	starts  []uint32 // of each of them, and the end of the last
	used    []bool   // by a page
	seen    []bool   // by any page
	outside bool     // a page has values that are not in the dictionary
}

// Reset starts a column chunk.
func (p *PlainBounds) Reset(column *schema.Column) {
	*p = PlainBounds{column: column, compare: ValueOrder(column), width: valueWidth(column), numbers: numbersOf(column),
		starts: p.starts[:0], used: p.used[:0], seen: p.seen[:0]}
}

// ValueSize returns the bytes of a value of a column; -1: any number.
func ValueSize(column *schema.Column) int {
	switch typ := column.PhysicalType(); typ {
	case parquet.Types.ByteArray:
		return -1
	case parquet.Types.FixedLenByteArray:
		return column.TypeLength()
	default:
		return typ.ByteSize()
	}
}

// valueWidth returns the bytes of a value in plain encoding; 0 of values of any length, and of booleans, which are
// bits.
func valueWidth(column *schema.Column) int {
	if column.PhysicalType() == parquet.Types.Boolean {
		return 0
	}
	return max(ValueSize(column), 0)
}

// SetEntries takes the n entries of a dictionary, which it keeps.
func (p *PlainBounds) SetEntries(entries []byte, n int) {
	p.entries, p.starts = entries, append(p.starts[:0], 0)
	for at := range n {
		_, rest := p.next(entries[p.starts[at]:])
		p.starts = append(p.starts, uint32(len(entries)-len(rest)))
	}
	p.used, p.seen = slices.Grow(p.used[:0], n)[:n], slices.Grow(p.seen[:0], n)[:n]
	clear(p.seen)
}

// OfPage finds the statistics of the n values of a data page that are not null. Bounds are copies.
func (p *PlainBounds) OfPage(encoding int, values []byte, n int) (s Statistics, err error) {
	dictionary := IsDictionary(encoding)
	p.outside = p.outside || n > 0 && !dictionary
	switch {
	case n == 0:
		s.AllNull = true
	case encoding == Plain:
		s = p.ofValues(values, n)
	case dictionary:
		s, err = p.ofIndices(values, n)
	default: // is not decoded here
		s.Bytes = UnknownBytes
	}
	s.Bounds = p.truncated(s.Bounds)
	return s, err
}

func (p *PlainBounds) ofValues(b []byte, n int) (found Statistics) {
	switch {
	case p.numbers != nil:
		return Statistics{Bounds: p.ofNumbers(b[:n*p.width])}
	case p.column.PhysicalType() == parquet.Types.Boolean:
		return Statistics{Bounds: booleanBounds(b, n)}
	}
	for range n {
		var value []byte
		value, b = p.next(b)
		p.widen(&found.Bounds, value)
		if p.width == 0 {
			found.Bytes += int64(len(value))
		}
	}
	return found
}

func (p *PlainBounds) ofNumbers(b []byte) Bounds {
	found := p.numbers.codesOf(b)
	if p.numbers.hasNaN(found) {
		found = noNumbers
		for ; len(b) > 0; b = b[p.width:] {
			p.numbers.addFloat(&found, p.numbers.codeOf(b))
		}
	}
	return p.numbers.bounds(found)
}

// ofIndices finds the statistics of dictionary indices.
func (p *PlainBounds) ofIndices(b []byte, n int) (found Statistics, err error) {
	if found.Bytes, err = p.markUsed(b, n); err != nil {
		return Statistics{}, err
	}
	numbers := noNumbers
	for i, used := range p.used {
		if !used {
			continue
		}
		p.seen[i] = true
		if entry := p.entry(i); p.numbers != nil {
			numbers.add(p.numbers.codeOf(entry))
		} else {
			value, _ := p.next(entry)
			p.widen(&found.Bounds, value)
		}
	}
	if p.numbers == nil {
		return found, nil
	}
	if p.numbers.hasNaN(numbers) {
		numbers = noNumbers
		err = p.eachBlock(b, n, func(indices []uint32) {
			for _, i := range indices {
				p.numbers.addFloat(&numbers, p.numbers.codeOf(p.entry(int(i))))
			}
		})
	}
	found.Bounds = p.numbers.bounds(numbers)
	return found, err
}

// markUsed sets which entries n dictionary indices refer to, and returns the bytes of values of any length.
func (p *PlainBounds) markUsed(b []byte, n int) (bytes int64, err error) {
	clear(p.used)
	if p.width > 0 {
		return 0, p.eachBlock(b, n, func(indices []uint32) {
			for _, i := range indices {
				p.used[i] = true
			}
		})
	}
	err = p.eachBlock(b, n, func(indices []uint32) {
		for _, i := range indices {
			p.used[i] = true
			bytes += int64(p.starts[i+1] - p.starts[i] - lengthBytes)
		}
	})
	return bytes, err
}

// eachBlock reads n dictionary indices, some at a time: a byte with their width, then the RLE / bit-packing hybrid.
func (p *PlainBounds) eachBlock(b []byte, n int, use func(indices []uint32)) error {
	r := RLEReader{Bytes: b[1:], Width: int(b[0])}
	var block [256]uint32
	for n > 0 {
		part := block[:min(n, len(block))]
		greatest, err := r.Read(part)
		if err := CheckIndex(greatest, len(p.used), err); err != nil {
			return err
		}
		use(part)
		n -= len(part)
	}
	return nil
}

// entry returns an entry of the dictionary, as it is in its page.
func (p *PlainBounds) entry(i int) []byte { return p.entries[p.starts[i]:p.starts[i+1]] }

// lengthBytes are the bytes of the length of a value of any length.
const lengthBytes = 4

// next returns the first value, and the bytes after it.
func (p *PlainBounds) next(b []byte) (value, rest []byte) { return nextPlain(b, p.width) }

// widen extends bounds to a value of a type that has an order.
func (p *PlainBounds) widen(found *Bounds, value []byte) {
	if p.compare == nil {
		return
	}
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
	counts, _ := r.Histogram(n, 2) // one run, which is there
	ones := int(counts[1])
	value := func(one bool) []byte {
		if one {
			return []byte{1}
		}
		return []byte{0}
	}
	return Bounds{Min: value(ones == n), Max: value(ones > 0)}
}

// longestBound is the bytes of a bound of text or bytes of any length; longer ones are cut.
const longestBound = 64

// holdsText reports whether values are UTF-8, which bounds have to be too.
func holdsText(column *schema.Column) bool {
	switch column.LogicalType().(type) {
	case schema.StringLogicalType, schema.JSONLogicalType, schema.EnumLogicalType:
		return true
	}
	return false
}

// mayCut reports whether a bound of a column is longer than longestBound and may be cut: one of bytes of any length,
// for which the format allows bounds that are no values.
func mayCut(bound []byte, column *schema.Column) bool {
	return len(bound) > longestBound && column.PhysicalType() == parquet.Types.ByteArray &&
		column.SortOrder() == schema.SortUNSIGNED
}

// truncated returns a copy of bounds, cut to longestBound bytes: a lower bound to its first bytes, an upper one to the
// least value of that length above all that start with these. Where there is none, as for bytes of 0xFF, the upper
// bound stays.
func (p *PlainBounds) truncated(b Bounds) Bounds {
	text := holdsText(p.column)
	if mayCut(b.Min, p.column) {
		b.Min, b.MinInexact = b.Min[:cutAt(b.Min, text)], true
	}
	b.Min = slices.Clone(b.Min)
	if b.Max = slices.Clone(b.Max); !mayCut(b.Max, p.column) {
		return b
	}
	short := slices.Clone(b.Max[:cutAt(b.Max, text)])
	if text {
		short = nextText(short)
	} else {
		short = nextBytes(short)
	}
	if short != nil {
		b.Max, b.MaxInexact = short, true
	}
	return b
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
		next := r + 1
		if r == 0xD7FF { // surrogates follow
			next = 0xE000
		}
		// The next character may take a byte more: an earlier one is raised then.
		if r < utf8.MaxRune && len(b)+utf8.RuneLen(next) <= longestBound {
			return utf8.AppendRune(b, next)
		}
	}
	return nil
}
