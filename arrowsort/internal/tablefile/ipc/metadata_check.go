package ipc

import (
	"encoding/binary"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// The metadata of Arrow IPC are flatbuffers, which the generated code of Arrow reads without any check: it allocates
// what a count claims and follows tables without end. A failed allocation or an exhausted stack ends a Go process, so
// flatChecker walks the metadata first and makes sure that every count fits into its bytes and no table nests too deep.
// What it leaves unchecked can only panic, which is contained.

// maxNesting is the deepest schema that is read; Arrow's own readers stop at 64.
const maxNesting = 64

// flatChecker checks one flatbuffer. It has fewer tables than bytes, unless tables are shared to make the schema huge.
type flatChecker struct {
	b         []byte
	budget    int
	bigEndian bool // the data that the schema describes are
}

func newFlatChecker(b []byte) *flatChecker { return &flatChecker{b: b, budget: len(b)} }

// root returns the place of the outermost table.
func (c *flatChecker) root() int { return int(flatbuffers.GetUOffsetT(c.b)) }

func (c *flatChecker) at(table int) *flatbuffers.Table {
	return &flatbuffers.Table{Bytes: c.b, Pos: flatbuffers.UOffsetT(table)}
}

// field returns what a table has as the place of field i.
func field(i int) flatbuffers.VOffsetT { return flatbuffers.VOffsetT(4 + 2*i) }

// table returns the table that field i refers to, 0 for none.
func (c *flatChecker) table(table, i int) int {
	t := c.at(table)
	place := t.Pos + flatbuffers.UOffsetT(t.Offset(field(i)))
	if place == t.Pos {
		return 0
	}
	return int(t.Indirect(place))
}

// vector returns the place and the number of the elements of field i, which are size bytes each.
func (c *flatChecker) vector(table, i, size int) (at, n int, err error) {
	if at = c.table(table, i); at == 0 {
		return 0, 0, nil
	}
	n = int(flatbuffers.GetUOffsetT(c.b[at:]))
	if at += 4; n > (len(c.b)-at)/size {
		return 0, 0, errkind.Corrupt("the metadata claim a list of %d elements", n)
	}
	return at, n, nil
}

// int64 returns the integer in field i.
func (c *flatChecker) int64(table, i int) int64 { return c.at(table).GetInt64Slot(field(i), 0) }

// byte returns the small integer in field i.
func (c *flatChecker) byte(table, i int) byte { return c.at(table).GetByteSlot(field(i), 0) }

// int32 returns the integer in field i, or what it is by default.
func (c *flatChecker) int32(table, i int, byDefault int32) int32 {
	return c.at(table).GetInt32Slot(field(i), byDefault)
}

// text returns the string in field i.
func (c *flatChecker) text(table, i int) (string, error) {
	at, n, err := c.vector(table, i, 1)
	return string(c.b[at : at+n]), err
}

// each calls f with every table of a vector of tables.
func (c *flatChecker) each(table, i int, f func(table int) error) error {
	at, n, err := c.vector(table, i, 4)
	for k := range n {
		if c.budget--; c.budget < 0 {
			return errkind.Corrupt("the metadata share their parts")
		}
		place := at + 4*k
		if err := f(place + int(flatbuffers.GetUOffsetT(c.b[place:]))); err != nil {
			return err
		}
	}
	return err
}

// Field numbers of the tables in Message.fbs, Schema.fbs and File.fbs of the Arrow format.
const (
	messageHeaderType, messageHeader, messageBody, messageMetadata = 1, 2, 3, 4
	schemaEndianness, schemaFields, schemaMetadata                 = 0, 1, 2
	fieldName, fieldNullable, fieldTypeType, fieldType             = 0, 1, 2, 3
	fieldDictionary, fieldChildren, fieldMetadata                  = 4, 5, 6
	pairKey, pairValue                                             = 0, 1
	unionTypeIDs                                                   = 1
	batchLength, batchNodes, batchBuffers                          = 0, 1, 2
	batchCompression, batchVariadic                                = 3, 4
	compressionCodec                                               = 0
	dictionaryID, dictionaryData                                   = 0, 1
	footerSchema, footerDictionaries, footerBatches, footerMeta    = 1, 2, 3, 4
)

// Members of the union MessageHeader and of the enumeration CompressionType.
const (
	headerSchema, headerDictionary, headerBatch = 1, 2, 3
	codecLZ4, codecZstd                         = 0, 1
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

func (c *flatChecker) noChildren(int) error { return nil }

func (c *flatChecker) schema(table int) error {
	if err := c.each(table, schemaMetadata, c.noChildren); err != nil {
		return err
	}
	c.bigEndian = c.byte(table, schemaEndianness) != 0
	return c.each(table, schemaFields, func(field int) error { return c.field(field, "", 1) })
}

// field checks a column or, where parent is not empty, a column inside the one of that name.
func (c *flatChecker) field(table int, parent string, depth int) error {
	if depth > maxNesting {
		return errkind.Corrupt("the schema nests deeper than %d", maxNesting)
	}
	if err := c.each(table, fieldMetadata, c.noChildren); err != nil {
		return err
	}
	name, err := c.text(table, fieldName)
	if err != nil {
		return err
	}
	if parent != "" {
		name = parent + "." + name
	}
	if err := c.supported(table, name); err != nil {
		return err
	}
	if typ := c.table(table, fieldType); typ != 0 && c.byte(table, fieldTypeType) == typeUnion {
		if _, _, err := c.vector(typ, unionTypeIDs, 4); err != nil {
			return err
		}
	}
	return c.each(table, fieldChildren, func(child int) error { return c.field(child, name, depth+1) })
}

// batch checks a record batch or the entries of a dictionary, whose buffers lie in a body of that many bytes.
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
