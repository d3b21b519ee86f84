package ipc

import "encoding/binary"

// schemaMessage is the first message of a stream, made from the schema in the footer of an IPC file. A file need not
// begin with its schema, and some writers leave another one there. The message is a small table that refers to the
// schema in the footer, which follows it.
func schemaMessage(footer []byte, schema int) []byte {
	const (
		vtable, table, length = 4, 16, 32 // places in the message; the footer begins at a multiple of 8, as it did
		version5              = 4
		version, kind, header = 4, 6, 8 // places of the fields in the table
	)
	le := binary.LittleEndian
	frame := binary.LittleEndian.AppendUint32(nil, continuation)
	frame = le.AppendUint32(frame, uint32(length+len(footer)))
	m := make([]byte, length)
	le.PutUint32(m, table)
	for i, v := range []uint16{10, 12, version, kind, header} { // sizes of the vtable and the table, then the fields
		le.PutUint16(m[vtable+2*i:], v)
	}
	le.PutUint32(m[table:], table-vtable)
	le.PutUint16(m[table+version:], version5)
	m[table+kind] = headerSchema
	le.PutUint32(m[table+header:], uint32(length+schema-(table+header)))
	return append(append(frame, m...), footer...)
}

// footerOf is the footer of an IPC file with the schema of the message that a stream begins with: a small table that
// refers to the lists of messages after it and to the schema in the message, which is last.
func footerOf(message []byte, dictionaries, batches []block) []byte {
	const (
		vtable, table, lists           = 4, 16, 36 // places in the footer, of its lists the first
		version5                       = 4
		version, schema, first, second = 4, 8, 12, 16 // places of the fields in the table
	)
	le := binary.LittleEndian
	f := make([]byte, lists)
	le.PutUint32(f, table)
	for i, v := range []uint16{12, 20, version, schema, first, second} { // sizes of vtable and table, then the fields
		le.PutUint16(f[vtable+2*i:], v)
	}
	le.PutUint32(f[table:], table-vtable)
	le.PutUint16(f[table+version:], version5)
	le.PutUint32(f[table+first:], lists-(table+first))
	f = appendBlocks(f, dictionaries)
	f = append(f, 0, 0, 0, 0) // blocks begin at multiples of 8
	le.PutUint32(f[table+second:], uint32(len(f)-(table+second)))
	f = appendBlocks(f, batches)
	c := newFlatChecker(message)
	le.PutUint32(f[table+schema:], uint32(len(f)+c.table(c.root(), messageHeader)-(table+schema)))
	return append(f, message...)
}

// appendBlocks appends a list of messages.
func appendBlocks(b []byte, blocks []block) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(b, uint32(len(blocks)))
	for _, block := range blocks {
		b = le.AppendUint64(b, uint64(block.offset))
		b = le.AppendUint64(b, uint64(block.meta)) // 4 bytes, and 4 of padding
		b = le.AppendUint64(b, uint64(block.body))
	}
	return b
}
