package tablefile

import "encoding/binary"

// Field numbers of the tables in Message.fbs, Schema.fbs and File.fbs of the Arrow format.
const (
	messageHeaderType, messageHeader, messageBody, messageMetadata = 1, 2, 3, 4
	schemaFields, schemaMetadata                                   = 1, 2
	fieldTypeType, fieldType, fieldChildren, fieldMetadata         = 2, 3, 5, 6
	unionTypeIDs                                                   = 1
	batchNodes, batchBuffers, batchVariadic                        = 1, 2, 4
	dictionaryData                                                 = 1
	footerSchema, footerDictionaries, footerBatches, footerMeta    = 1, 2, 3, 4
)

// Members of the unions MessageHeader and Type.
const (
	headerSchema, headerDictionary, headerBatch = 1, 2, 3
	typeUnion                                   = 14
)

// checkMessage checks the metadata of a message and returns the size of the body behind it.
func checkMessage(b []byte) (body int64, err error) {
	c := newFlatChecker(b)
	message := c.root()
	if err := c.each(message, messageMetadata, c.noChildren); err != nil {
		return 0, err
	}
	header := c.table(message, messageHeader)
	if header == 0 {
		return 0, corrupt("a message has no header")
	}
	switch c.byte(message, messageHeaderType) {
	case headerSchema:
		err = c.schema(header)
	case headerBatch:
		err = c.batch(header)
	case headerDictionary:
		if header = c.table(header, dictionaryData); header == 0 {
			return 0, corrupt("a dictionary has no data")
		}
		err = c.batch(header)
	default:
		err = corrupt("a message is of an unknown type")
	}
	if body = c.int64(message, messageBody); body < 0 {
		return 0, corrupt("a message has a body of %d bytes", body)
	}
	return body, err
}

func (c *flatChecker) noChildren(int) error { return nil }

func (c *flatChecker) schema(table int) error {
	if err := c.each(table, schemaMetadata, c.noChildren); err != nil {
		return err
	}
	return c.each(table, schemaFields, func(field int) error { return c.field(field, 1) })
}

func (c *flatChecker) field(table, depth int) error {
	if depth > maxNesting {
		return corrupt("the schema nests deeper than %d", maxNesting)
	}
	if err := c.each(table, fieldMetadata, c.noChildren); err != nil {
		return err
	}
	if typ := c.table(table, fieldType); typ != 0 && c.byte(table, fieldTypeType) == typeUnion {
		if _, _, err := c.vector(typ, unionTypeIDs, 4); err != nil {
			return err
		}
	}
	return c.each(table, fieldChildren, func(child int) error { return c.field(child, depth+1) })
}

func (c *flatChecker) batch(table int) error {
	if _, _, err := c.vector(table, batchNodes, 16); err != nil {
		return err
	}
	_, buffers, err := c.vector(table, batchBuffers, 16)
	if err != nil {
		return err
	}
	at, n, err := c.vector(table, batchVariadic, 8)
	for i := range n {
		if count := int64(binary.LittleEndian.Uint64(c.b[at+8*i:])); count < 0 || count > int64(buffers) {
			return corrupt("a column of views claims %d buffers of %d", count, buffers)
		}
	}
	return err
}

// A block is the place of a message in an IPC file.
type block struct {
	offset     int64
	meta, body int64
}

// blockBytes is the size of the struct Block.
const blockBytes = 24

// checkIPCFooter checks the footer of an IPC file and lists its dictionaries and record batches, which lie below limit.
func checkIPCFooter(b []byte, limit int64) (dictionaries, batches []block, err error) {
	c := newFlatChecker(b)
	footer := c.root()
	schema := c.table(footer, footerSchema)
	if schema == 0 {
		return nil, nil, corrupt("the footer has no schema")
	}
	if err := c.schema(schema); err != nil {
		return nil, nil, err
	}
	if err := c.each(footer, footerMeta, c.noChildren); err != nil {
		return nil, nil, err
	}
	if dictionaries, err = c.blocks(footer, footerDictionaries, limit); err != nil {
		return nil, nil, err
	}
	batches, err = c.blocks(footer, footerBatches, limit)
	return dictionaries, batches, err
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
			return nil, corrupt("message %d of %d bytes at %d lies outside the file", k, b.meta+b.body, b.offset)
		}
		blocks[k] = b
	}
	return blocks, nil
}
