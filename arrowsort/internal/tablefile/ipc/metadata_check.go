package ipc

import (
	"encoding/binary"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// checkMessage checks the metadata of a message and returns the size of the body that follows.
func checkMessage(b []byte) (body int64, err error) {
	c := newFlatChecker(b)
	message := c.root()
	if err := c.each(message, messageMetadata, c.noChildren); err != nil {
		return 0, err
	}
	header := c.table(message, messageHeader)
	if header == 0 {
		return 0, errkind.Corrupt("a message has no header")
	}
	if body = c.int64(message, messageBody); body < 0 {
		return 0, errkind.Corrupt("a message has a body of %d bytes", body)
	}
	switch c.byte(message, messageHeaderType) {
	case headerSchema:
		err = c.schema(header)
	case headerBatch:
		err = c.batch(header, body)
	case headerDictionary:
		if header = c.table(header, dictionaryData); header == 0 {
			return 0, errkind.Corrupt("a dictionary has no data")
		}
		err = c.batch(header, body)
	default:
		err = errkind.Corrupt("a message is of an unknown type")
	}
	return body, err
}

// batch checks a record batch or the entries of a dictionary, whose buffers lie in a body of some bytes.
func (c *flatChecker) batch(table int, body int64) error {
	if _, _, err := c.vector(table, batchNodes, 16); err != nil {
		return err
	}
	buffers, err := c.buffers(table)
	if err != nil {
		return err
	}
	for i, b := range buffers {
		if b.offset < 0 || b.length < 0 || b.length > body || b.offset > body-b.length {
			return errkind.Corrupt("buffer %d of %d bytes at %d lies outside a body of %d",
				i, b.length, b.offset, body)
		}
	}
	if compression := c.table(table, batchCompression); compression != 0 {
		if codec := c.byte(compression, compressionCodec); codec > codecZstd {
			return errkind.Unsupported("compression %d of Arrow data", codec)
		}
	}
	at, n, err := c.vector(table, batchVariadic, 8)
	for i := range n {
		if count := int64(binary.LittleEndian.Uint64(c.b[at+8*i:])); count < 0 || count > int64(len(buffers)) {
			return errkind.Corrupt("a column of views claims %d buffers of %d", count, len(buffers))
		}
	}
	return err
}

// A span is the place of a buffer in the body of a message.
type span struct{ offset, length int64 }

// buffers returns the places of the buffers of a record batch.
func (c *flatChecker) buffers(table int) ([]span, error) {
	at, n, err := c.vector(table, batchBuffers, 16)
	buffers := make([]span, n)
	for i := range buffers {
		place := c.b[at+16*i:]
		buffers[i].offset = int64(binary.LittleEndian.Uint64(place))
		buffers[i].length = int64(binary.LittleEndian.Uint64(place[8:]))
	}
	return buffers, err
}

// A block is the place of a message in an IPC file.
type block struct {
	offset     int64
	meta, body int64
}

// blockBytes is the size of the struct Block.
const blockBytes = 24

// A footer lists the messages of an IPC file and has the place of the schema in it.
type footer struct {
	schema                int
	dictionaries, batches []block
}

// checkFooter checks the footer of an IPC file and lists its dictionaries and record batches, which lie below limit.
func checkFooter(b []byte, limit int64) (f footer, err error) {
	c := newFlatChecker(b)
	table := c.root()
	if f.schema = c.table(table, footerSchema); f.schema == 0 {
		return f, errkind.Corrupt("the footer has no schema")
	}
	if err := c.schema(f.schema); err != nil {
		return f, err
	}
	if err := c.each(table, footerMeta, c.noChildren); err != nil {
		return f, err
	}
	if f.dictionaries, err = c.blocks(table, footerDictionaries, limit); err != nil {
		return f, err
	}
	f.batches, err = c.blocks(table, footerBatches, limit)
	return f, err
}

func (c *flatChecker) blocks(table, i int, limit int64) ([]block, error) {
	at, n, err := c.vector(table, i, blockBytes)
	if err != nil {
		return nil, err
	}
	blocks := make([]block, n)
	for k := range blocks {
		place := c.b[at+k*blockBytes:]
		b := block{
			offset: int64(binary.LittleEndian.Uint64(place)),
			meta:   int64(int32(binary.LittleEndian.Uint32(place[8:]))),
			body:   int64(binary.LittleEndian.Uint64(place[16:])),
		}
		if b.offset < 0 || b.meta < 0 || b.body < 0 || b.body > limit || b.offset > limit-b.body-b.meta {
			return nil, errkind.Corrupt("message %d of %d bytes at %d lies outside the file",
				k, b.meta+b.body, b.offset)
		}
		blocks[k] = b
	}
	return blocks, nil
}
