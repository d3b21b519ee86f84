package page

import (
	"encoding/binary"
	"math"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// Wire types of Thrift's compact protocol.
const (
	thriftStop, ThriftTrue, thriftFalse, thriftByte   = 0, 1, 2, 3
	thriftI16, ThriftI32, thriftI64, thriftDouble     = 4, 5, 6, 7
	ThriftBinary, thriftList, thriftSet, ThriftStruct = 8, 9, 10, 12
)

// maxDepth is how deep structs and lists lie in one another at most; those of Parquet stay far below it.
const maxDepth = 16

// CompactReader walks over a struct in Thrift's compact protocol. It panics where the bytes end or are none.
type CompactReader struct {
	Bytes []byte
	At    int
	depth int
}

// head reads the byte that a field or a list begins with.
func (r *CompactReader) head() byte {
	if r.At >= len(r.Bytes) {
		panic(errkind.Corrupt("a struct in Thrift is cut off after %d bytes", len(r.Bytes)))
	}
	r.At++
	return r.Bytes[r.At-1]
}

func (r *CompactReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.Bytes[r.At:])
	if n <= 0 {
		panic(errkind.Corrupt("a number in Thrift is not one"))
	}
	r.At += n
	return v
}

// Number reads a signed number, in zigzag, that has to be positive and to fit 32 bits.
func (r *CompactReader) Number() int {
	v := r.uvarint()
	if v&1 != 0 || v>>1 > math.MaxInt32 {
		panic(errkind.Corrupt("Thrift has %d where a size belongs", int64(v>>1)^-int64(v&1)))
	}
	return int(v >> 1)
}

// NumberOf is number for a field, which has to have its type.
func (r *CompactReader) NumberOf(typ byte) int {
	if typ != ThriftI32 {
		panic(errkind.Corrupt("Thrift has a field of type %d for a number", typ))
	}
	return r.Number()
}

// record reads a struct whose fields from 1 on are the numbers, or booleans as 0 and 1. The first ones have to be
// there.
func (r *CompactReader) record(typ byte, required int, numbers ...*int) {
	if typ != ThriftStruct {
		panic(errkind.Corrupt("Thrift has a field of type %d for a struct", typ))
	}
	seen := 0
	r.Fields(func(field int, typ byte) {
		switch {
		case field < 1 || field > len(numbers):
			r.Skip(typ)
			return
		case typ == ThriftTrue || typ == thriftFalse:
			*numbers[field-1] = int(thriftFalse - typ)
		default:
			*numbers[field-1] = r.NumberOf(typ)
		}
		if field <= required {
			seen++
		}
	})
	if seen < required {
		panic(errkind.Corrupt("a struct in Thrift has %d of %d numbers", seen, required))
	}
}

// word reads 32 bits of any sign, in zigzag.
func (r *CompactReader) word() uint32 {
	v := r.uvarint()
	if v > math.MaxUint32 {
		panic(errkind.Corrupt("Thrift has more than 32 bits where a checksum belongs"))
	}
	return uint32(v>>1) ^ -uint32(v&1)
}

// list reads the head of a list: how many elements there are, and their type.
func (r *CompactReader) list() (n uint64, typ byte) {
	head := r.head()
	if n = uint64(head >> 4); n == 15 {
		n = r.uvarint()
	}
	return n, head & 15
}

// ListOf reads the head of a list of elements of a type: how many there are.
func (r *CompactReader) ListOf(typ byte) int {
	n, found := r.list()
	if found != typ || n > uint64(len(r.Bytes)-r.At) {
		panic(errkind.Corrupt("a list of %d elements of type %d in Thrift", n, found))
	}
	return int(n)
}

// pass skips n bytes.
func (r *CompactReader) pass(n uint64) {
	if n > uint64(len(r.Bytes)-r.At) {
		panic(errkind.Corrupt("a field in Thrift is longer than the bytes it lies in"))
	}
	r.At += int(n)
}

// descend enters a struct or a list, which the function that it returns leaves.
func (r *CompactReader) descend() (leave func()) {
	if r.depth++; r.depth > maxDepth {
		panic(errkind.Corrupt("structs in Thrift are nested more than %d deep", maxDepth))
	}
	return func() { r.depth-- }
}

// Skip passes a value of a wire type.
func (r *CompactReader) Skip(typ byte) {
	switch typ {
	case ThriftTrue, thriftFalse: // in the field's header
	case thriftByte:
		r.pass(1)
	case thriftI16, ThriftI32, thriftI64:
		r.uvarint()
	case thriftDouble:
		r.pass(8)
	case ThriftBinary:
		r.pass(r.uvarint())
	case thriftList, thriftSet:
		n, elem := r.list()
		defer r.descend()()
		if elem == ThriftTrue || elem == thriftFalse {
			r.pass(n) // in a list they have a byte each
		} else {
			for range n {
				r.Skip(elem)
			}
		}
	case ThriftStruct:
		r.Fields(func(_ int, typ byte) { r.Skip(typ) })
	default:
		panic(errkind.Corrupt("Thrift has a field of type %d", typ))
	}
}

// Fields calls f at each field of a struct with its number and wire type; f passes the value.
func (r *CompactReader) Fields(f func(number int, typ byte)) {
	defer r.descend()()
	number := 0
	for {
		typ, more := r.Field(&number)
		if !more {
			return
		}
		f(number, typ)
	}
}

// Field reads the header of the next field of a struct: its number, given that of the field before, and its wire type.
// There are no more after the last one.
func (r *CompactReader) Field(number *int) (typ byte, more bool) {
	head := r.head()
	if head == thriftStop {
		return 0, false
	}
	if delta := int(head >> 4); delta != 0 {
		*number += delta
	} else {
		v := r.uvarint()
		*number = int(int64(v>>1) ^ -int64(v&1))
	}
	return head & 15, true
}

// Find passes the fields of a struct up to the header of the one with a number, whose value is next. It is false where
// there is no such field.
func (r *CompactReader) Find(number int) bool {
	for at := 0; ; {
		typ, more := r.Field(&at)
		if !more || at == number {
			return more
		}
		r.Skip(typ)
	}
}

// compactWriter writes a struct in Thrift's compact protocol: its fields by rising number, ends with thriftStop.
type compactWriter struct {
	b     []byte
	field int // the last one that was written
}

func (w *compactWriter) header(field int, typ byte) {
	w.b = append(w.b, byte(field-w.field)<<4|typ)
	w.field = field
}

// number writes a field of 32 bits that is not negative.
func (w *compactWriter) number(field, v int) {
	w.header(field, ThriftI32)
	w.b = binary.AppendUvarint(w.b, uint64(v)<<1)
}

// word writes a field of 32 bits of any sign.
func (w *compactWriter) word(field int, v uint32) {
	w.header(field, ThriftI32)
	w.b = binary.AppendUvarint(w.b, uint64(v<<1^uint32(int32(v)>>31)))
}

// long writes a field of 64 bits that is not negative.
func (w *compactWriter) long(field int, v int64) {
	w.header(field, thriftI64)
	w.b = binary.AppendUvarint(w.b, uint64(v)<<1)
}

// list begins a field that is a list; its elements follow, without headers.
func (w *compactWriter) list(field int, element byte, n int) {
	w.header(field, thriftList)
	w.b = AppendList(w.b, element, n)
}

// AppendList appends the head of a list of n elements of a wire type.
func AppendList(b []byte, element byte, n int) []byte {
	if n < 15 {
		return append(b, byte(n)<<4|element)
	}
	return binary.AppendUvarint(append(b, 0xF0|element), uint64(n))
}

// binary writes the bytes of an element.
func (w *compactWriter) binary(b []byte) {
	w.b = append(binary.AppendUvarint(w.b, uint64(len(b))), b...)
}

// element writes an element of 64 bits that is not negative.
func (w *compactWriter) element(v int64) { w.b = binary.AppendUvarint(w.b, uint64(v)<<1) }

// record writes a field that is a struct of numbers; their fields start at 1.
func (w *compactWriter) record(field int, numbers ...int) {
	w.header(field, ThriftStruct)
	inner := compactWriter{b: w.b}
	for i, v := range numbers {
		inner.number(i+1, v)
	}
	w.b = append(inner.b, thriftStop)
}

// recordOf is record with a boolean after the numbers.
func (w *compactWriter) recordOf(field int, flag bool, numbers ...int) {
	w.record(field, numbers...)
	inner := compactWriter{b: w.b[:len(w.b)-1], field: len(numbers)}
	typ := byte(thriftFalse)
	if flag {
		typ = ThriftTrue
	}
	inner.header(len(numbers)+1, typ)
	w.b = append(inner.b, thriftStop)
}
