package arraydata

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// RetypeRecord returns a record batch with a schema, whose types have the layouts of its own. The caller releases it.
func RetypeRecord(rec arrow.Record, schema *arrow.Schema) arrow.Record {
	columns := make([]arrow.Array, rec.NumCols())
	for i, c := range rec.Columns() {
		data := retype(c.Data(), schema.Field(i).Type)
		columns[i] = array.MakeFromData(data)
		data.Release()
		defer columns[i].Release()
	}
	return array.NewRecord(schema, columns, rec.NumRows())
}

// retype gives an array a type, and what is inside it the types in that. What has them already stays the same array.
func retype(d arrow.ArrayData, typ arrow.DataType) arrow.ArrayData {
	if d.DataType() == typ {
		d.Retain()
		return d
	}
	children := make([]arrow.ArrayData, len(d.Children()))
	for i, c := range d.Children() {
		children[i] = retype(c, typ.(arrow.NestedType).Fields()[i].Type)
		defer children[i].Release()
	}
	data := array.NewData(typ, d.Len(), d.Buffers(), children, d.NullN(), d.Offset())
	if t, ok := typ.(*arrow.DictionaryType); ok {
		entries := retype(d.Dictionary(), t.ValueType)
		defer entries.Release()
		data.SetDictionary(entries)
	}
	return data
}
