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
