package ipc

import (
	"encoding/binary"

	"github.com/apache/arrow/go/v15/arrow"
	arrowipc "github.com/apache/arrow/go/v15/arrow/ipc"
)

// continuation precedes the length of a message's metadata since format version 0.15.
const continuation = 0xFFFFFFFF

// schemaMessage returns the first message of a stream, made from the schema in the footer of an IPC file. A file need
// not begin with its schema, and some writers leave another one there. The message is a small table that refers to the
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

// FieldIDKey is the metadata of a field that Arrow reads the number of a column of a Parquet file to.
const FieldIDKey = "PARQUET:field_id"

// restoreFieldMetadata adds field metadata that Arrow's reader drops: that of the keys and values of maps, and the
// nullability of the values of runs. It changes the types in place, before there are arrays of them. Types inside
// extension types stay as they are.
func restoreFieldMetadata(sc *arrow.Schema, message []byte) {
	c := newFlatChecker(message)
	for i, field := range c.tables(c.table(c.root(), messageHeader), schemaFields) {
		c.restoreFieldMetadata(sc.Field(i).Type, field)
	}
}

func (c *flatChecker) restoreFieldMetadata(typ arrow.DataType, field int) {
	if t, ok := typ.(*arrow.DictionaryType); ok {
		typ = t.ValueType
	}
	nested, ok := typ.(arrow.NestedType)
	if _, extension := typ.(arrow.ExtensionType); !ok || extension {
		return // extension types of a program may have their storage types in common
	}
	children := c.tables(field, fieldChildren)
	for i, f := range nested.Fields() {
		c.restoreFieldMetadata(f.Type, children[i])
	}
	switch t := typ.(type) {
	case *arrow.MapType:
		entry, key, item := c.tables(children[0], fieldChildren), t.KeyField(), t.ItemField()
		ofKey, ofItem := c.metadata(entry[0], key.Type), c.metadata(entry[1], item.Type)
		m := arrow.MapOfWithMetadata(key.Type, ofKey, item.Type, ofItem)
		m.KeysSorted = t.KeysSorted
		m.SetItemNullable(item.Nullable)
		*t = *m
	case *arrow.RunEndEncodedType:
		t.ValueNullable = c.byte(children[1], fieldNullable) != 0
	}
}

// metadata returns the key-value pairs of a field, without those that its type has when it is an extension type.
func (c *flatChecker) metadata(field int, typ arrow.DataType) arrow.Metadata {
	_, extension := typ.(arrow.ExtensionType)
	var keys, values []string
	for _, pair := range c.tables(field, fieldMetadata) {
		key, _ := c.text(pair, pairKey)
		value, _ := c.text(pair, pairValue)
		if !extension || key != arrowipc.ExtensionTypeKeyName && key != arrowipc.ExtensionMetadataKeyName {
			keys, values = append(keys, key), append(values, value)
		}
	}
	return arrow.NewMetadata(keys, values)
}
