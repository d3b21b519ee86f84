package tablefile

import "encoding/binary"

// Wire types of Thrift's compact protocol that occur in page headers.
const (
	thriftStop, thriftTrue, thriftFalse, thriftByte   = 0, 1, 2, 3
	thriftI16, thriftI32, thriftI64, thriftDouble     = 4, 5, 6, 7
	thriftBinary, thriftList, thriftSet, thriftStruct = 8, 9, 10, 12
)

// compactReader walks over a struct in Thrift's compact protocol that was written by this process. It panics where the
// bytes end.
type compactReader struct {
	b  []byte
	at int
}

func (r *compactReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b[r.at:])
	if n <= 0 {
		panic(corrupt("a number in a page header is not one"))
	}
	r.at += n
	return v
}

// skip passes a value of a wire type.
func (r *compactReader) skip(typ byte) {
	switch typ {
	case thriftTrue, thriftFalse: // in the field's header
	case thriftByte:
		r.at++
	case thriftI16, thriftI32, thriftI64:
		r.uvarint()
	case thriftDouble:
		r.at += 8
	case thriftBinary:
		r.at += int(r.uvarint())
	case thriftList, thriftSet:
		head := r.b[r.at]
		r.at++
		n := int(head >> 4)
		if n == 15 {
			n = int(r.uvarint())
		}
		for range n {
			r.skip(head & 15)
		}
	case thriftStruct:
		r.fields(func(_ int, typ byte) { r.skip(typ) })
	default:
		panic(corrupt("a page header has a field of type %d", typ))
	}
}

// fields calls f at each field of a struct with its number and wire type; f passes the value.
func (r *compactReader) fields(f func(number int, typ byte)) {
	number := 0
	for {
		head := r.b[r.at]
		r.at++
		if head == thriftStop {
			return
		}
		if delta := int(head >> 4); delta != 0 {
			number += delta
		} else {
			v := r.uvarint()
			number = int(int64(v>>1) ^ -int64(v&1))
		}
		f(number, head&15)
	}
}
