package page

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// PlainBounds finds the bounds of values in plain encoding.
type PlainBounds struct {
	column  *schema.Column
	compare func(a, b []byte) int // nil: the type has no order
	width   int                   // bytes of a value; 0: as many as four bytes before it say
	numbers *numberOrder          // of values that are numbers of 2, 4 or 8 bytes
}

func NewPlainBounds(column *schema.Column) *PlainBounds {
	p := &PlainBounds{column: column, compare: ValueOrder(column)}
	switch column.PhysicalType() {
	case parquet.Types.ByteArray, parquet.Types.Boolean:
	case parquet.Types.FixedLenByteArray:
		p.width = column.TypeLength()
	default:
		p.width = column.PhysicalType().ByteSize()
	}
	_, half := column.LogicalType().(schema.Float16LogicalType)
	signed := column.SortOrder() == schema.SortSIGNED
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
	return p
}

// Of finds the bounds of n values; unknown when they have none. They borrow the memory of b.
func (p *PlainBounds) Of(b []byte, n int) (bounds Bounds) {
	switch {
	case n == 0:
		return Bounds{Empty: true}
	case p.compare == nil:
		return Bounds{Unknown: true}
	case p.numbers != nil:
		return p.numbers.bounds(b, p.width)
	case p.column.PhysicalType() == parquet.Types.Boolean:
		return booleanBounds(b, n)
	}
	bounds.Empty = true
	for range n {
		var value []byte
		value, b = p.next(b)
		p.widen(&bounds, value)
	}
	return bounds
}

// OfIndices finds the bounds of n values that are given by a width and a hybrid of their places in a dictionary.
func (p *PlainBounds) OfIndices(b []byte, n int, entries [][]byte) (bounds Bounds, err error) {
	if n == 0 || p.compare == nil {
		return p.Of(nil, n), nil
	}
	r := HybridReader{Bytes: b[1:], Width: int(b[0])}
	bounds.Empty = true
	used, numbers := make([]bool, len(entries)), []byte(nil)
	var block [256]uint32
	for n > 0 {
		part := block[:min(n, len(block))]
		greatest, err := r.Read(part)
		if err := CheckIndex(greatest, len(entries), err); err != nil {
			return bounds, err
		}
		for _, i := range part {
			switch {
			case used[i]:
				continue
			case p.numbers != nil:
				numbers = append(numbers, entries[i]...)
			default:
				p.widen(&bounds, entries[i])
			}
			used[i] = true
		}
		n -= len(part)
	}
	if p.numbers != nil {
		return p.numbers.bounds(numbers, p.width), nil
	}
	return bounds, nil
}

// Split takes the values apart.
func (p *PlainBounds) Split(b []byte, n int) [][]byte {
	values := make([][]byte, n)
	for i := range values {
		values[i], b = p.next(b)
	}
	return values
}

// next takes the first value of some.
func (p *PlainBounds) next(b []byte) (value, rest []byte) {
	start, size := 0, p.width
	if size == 0 {
		start, size = 4, int(binary.LittleEndian.Uint32(b))
	}
	return b[start : start+size : start+size], b[start+size:]
}

// widen has the bounds hold a value.
func (p *PlainBounds) widen(bounds *Bounds, value []byte) {
	switch {
	case bounds.Empty:
		bounds.Low, bounds.High, bounds.Empty = value, value, false
	case p.compare(value, bounds.Low) < 0:
		bounds.Low = value
	case p.compare(value, bounds.High) > 0:
		bounds.High = value
	}
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

// A numberOrder makes codes of numbers that order as unsigned integers do.
type numberOrder struct {
	sign     uint64 // the bit that is turned
	negative uint64 // the bits that are turned of a negative number
	first    uint64 // least code that counts
	last     uint64 // greatest; others are those of NaNs, which have no place in bounds
	floats   bool
}

// floatOrder is the order of floating-point numbers of some bits.
func floatOrder(bits int, infinity uint64) *numberOrder {
	sign := uint64(1) << (bits - 1)
	return &numberOrder{sign: sign, negative: sign - 1, first: ^(infinity | sign) & (2*sign - 1), last: infinity | sign,
		floats: true}
}

func (o *numberOrder) code(v uint64) uint64 {
	if v&o.sign != 0 {
		v ^= o.negative
	}
	return v ^ o.sign
}

func (o *numberOrder) value(code uint64) uint64 {
	v := code ^ o.sign
	if v&o.sign != 0 {
		v ^= o.negative
	}
	return v
}

// bounds are those of numbers of some bytes, unknown with a NaN: to readers that take NaN for the greatest value,
// bounds of the others would not hold. Zeros are -0 below and 0 above, as the format asks for.
func (o *numberOrder) bounds(b []byte, width int) Bounds {
	low, high := uint64(math.MaxUint64), uint64(0)
	for ; len(b) >= width; b = b[width:] {
		code := o.code(loadNumber(b, width))
		low, high = min(low, code), max(high, code)
	}
	if low < o.first || high > o.last {
		return Bounds{Unknown: true}
	}
	low, high = o.value(low), o.value(high)
	if o.floats && low == 0 {
		low = o.sign
	}
	if o.floats && high == o.sign {
		high = 0
	}
	return Bounds{Low: appendNumber(low, width), High: appendNumber(high, width)}
}

func loadNumber(b []byte, width int) uint64 {
	switch width {
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func appendNumber(v uint64, width int) []byte {
	return binary.LittleEndian.AppendUint64(nil, v)[:width]
}
