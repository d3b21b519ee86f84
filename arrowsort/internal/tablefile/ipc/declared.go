package ipc

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	arrowipc "github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
)

// declared is the schema of a message, whose metadata were checked, with what Arrow's reader leaves out of it: the
// metadata of the keys and values of maps, and that the values of runs cannot be null.
func declared(sc *arrow.Schema, message []byte) *arrow.Schema {
	c, fields := newFlatChecker(message), slices.Clone(sc.Fields())
	if !c.declare(c.table(c.root(), messageHeader), schemaFields, fields) {
		return sc
	}
	meta := sc.Metadata()
	return arrow.NewSchema(fields, &meta)
}

// declare completes fields, which field i of a table describes, and reports whether that changed them.
func (c *flatChecker) declare(table, i int, fields []arrow.Field) (changed bool) {
	at := 0
	_ = c.each(table, i, func(field int) error {
		f := &fields[at]
		before := *f
		f.Type, f.Nullable = c.declaredType(f.Type, field), c.byte(field, fieldNullable) != 0
		_, extension := f.Type.(arrow.ExtensionType)
		f.Metadata = c.metadata(field, extension)
		changed = changed || f.Type != before.Type || f.Nullable != before.Nullable ||
			!f.Metadata.Equal(before.Metadata)
		at++
		return nil
	})
	return changed
}

func (c *flatChecker) declaredType(typ arrow.DataType, field int) arrow.DataType {
	switch t := typ.(type) {
	case *arrow.DictionaryType:
		if values := c.declaredType(t.ValueType, field); values != t.ValueType {
			return &arrow.DictionaryType{IndexType: t.IndexType, ValueType: values, Ordered: t.Ordered}
		}
	case arrow.NestedType:
		if fields := slices.Clone(t.Fields()); c.declare(field, fieldChildren, fields) {
			return arraydata.WithFields(t, fields)
		}
	}
	return typ
}

// metadata are the key-value pairs of a field, without those that its type has when it is an extension type.
func (c *flatChecker) metadata(field int, extension bool) arrow.Metadata {
	var keys, values []string
	_ = c.each(field, fieldMetadata, func(pair int) error {
		key, _ := c.text(pair, pairKey)
		value, _ := c.text(pair, pairValue)
		if !extension || key != arrowipc.ExtensionTypeKeyName && key != arrowipc.ExtensionMetadataKeyName {
			keys, values = append(keys, key), append(values, value)
		}
		return nil
	})
	return arrow.NewMetadata(keys, values)
}
