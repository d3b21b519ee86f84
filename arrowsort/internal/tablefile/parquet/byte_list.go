package parquet

import (
	"bytes"
	"context"
	"encoding/binary"

	"github.com/apache/thrift/lib/go/thrift"
)

// A byteList is a list of byte strings. They lie one after the other in blocks, each after its length.
type byteList struct {
	blocks [][]byte
	n      int
}

// The blocks of a byteList grow from a least size to a greatest one, and hold one string at least.
const (
	leastBlock = 1 << 10
	mostBlock  = 1 << 16
)

func (l *byteList) append(b []byte) {
	size, last := len(b)+binary.MaxVarintLen64, len(l.blocks)-1
	switch {
	case last < 0:
		l.blocks = append(l.blocks, make([]byte, 0, max(leastBlock, size)))
		last++
	case len(l.blocks[last])+size > cap(l.blocks[last]):
		l.blocks = append(l.blocks, make([]byte, 0, max(min(2*cap(l.blocks[last]), mostBlock), size)))
		last++
	}
	l.blocks[last] = append(binary.AppendUvarint(l.blocks[last], uint64(len(b))), b...)
	l.n++
}

// A byteReader reads the strings of a list in their order.
type byteReader struct {
	list      *byteList
	block, at int
	read      int
}

func (r *byteReader) more() bool { return r.read < r.list.n }

func (r *byteReader) next() []byte {
	if r.at == len(r.list.blocks[r.block]) {
		r.block, r.at = r.block+1, 0
	}
	rest := r.list.blocks[r.block][r.at:]
	length, head := binary.Uvarint(rest)
	end := head + int(length)
	r.at += end
	r.read++
	return rest[head:end]
}

// A structEncoder encodes structs of parquet.thrift, whose Go types are internal to Arrow, in the compact protocol.
type structEncoder struct{ serializer thrift.TSerializer }

func newStructEncoder() *structEncoder {
	buffer := thrift.NewTMemoryBufferLen(1 << 10)
	return &structEncoder{thrift.TSerializer{Transport: buffer, Protocol: thrift.NewTCompactProtocolConf(buffer, nil)}}
}

func (e *structEncoder) encode(s thrift.TStruct) ([]byte, error) {
	return e.serializer.Write(context.Background(), s)
}

// decodeStruct reads an encoded struct.
func decodeStruct(b []byte, s thrift.TStruct) error {
	buffer := &thrift.TMemoryBuffer{Buffer: bytes.NewBuffer(b)}
	return s.Read(context.Background(), thrift.NewTCompactProtocolConf(buffer, nil))
}
