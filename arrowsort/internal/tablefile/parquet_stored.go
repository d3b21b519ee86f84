package tablefile

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// storedSchema is a schema with the types that Parquet stores, see storedType.
func storedSchema(sc *arrow.Schema) *arrow.Schema {
	fields := append([]arrow.Field(nil), sc.Fields()...)
	for i := range fields {
		fields[i].Type = storedType(fields[i].Type)
	}
	meta := sc.Metadata()
	return arrow.NewSchema(fields, &meta)
}

// storedType is the type as which Parquet stores a type that pqarrow does not write, or not as Arrow C++ does: dates of
// 64 bits as days, durations as numbers.
func storedType(typ arrow.DataType) arrow.DataType {
	switch t := typ.(type) {
	case arrow.ExtensionType:
		return storedType(t.StorageType())
	case *arrow.Date64Type:
		return arrow.FixedWidthTypes.Date32
	case *arrow.DurationType:
		return arrow.PrimitiveTypes.Int64
	case *arrow.StructType:
		fields := append([]arrow.Field(nil), t.Fields()...)
		for i := range fields {
			fields[i].Type = storedType(fields[i].Type)
		}
		return arrow.StructOf(fields...)
	case *arrow.MapType:
		m := arrow.MapOf(storedType(t.KeyType()), storedType(t.ItemType()))
		m.KeysSorted = t.KeysSorted
		m.SetItemNullable(t.ItemField().Nullable)
		return m
	case *arrow.ListType:
		elem := t.ElemField()
		elem.Type = storedType(elem.Type)
		return arrow.ListOfField(elem)
	case *arrow.LargeListType:
		elem := t.ElemField()
		elem.Type = storedType(elem.Type)
		return arrow.LargeListOfField(elem)
	case *arrow.FixedSizeListType:
		elem := t.ElemField()
		elem.Type = storedType(elem.Type)
		return arrow.FixedSizeListOfField(t.Len(), elem)
	}
	return typ
}

// stored are rows of a column with the type that Parquet stores. The caller releases them.
func (e *columnEncoder) stored(rows *arrow.Chunked, typ arrow.DataType) *arrow.Chunked {
	if arrow.TypeEqual(rows.DataType(), typ) {
		rows.Retain()
		return rows
	}
	chunks := make([]arrow.Array, len(rows.Chunks()))
	defer releaseAll(chunks)
	for i, c := range rows.Chunks() {
		data := storedData(c.Data(), typ, e.opts.Allocator)
		chunks[i] = array.MakeFromData(data)
		data.Release()
	}
	return arrow.NewChunked(typ, chunks)
}

// storedData gives an array the type that Parquet stores. The caller releases it.
func storedData(d arrow.ArrayData, typ arrow.DataType, mem memory.Allocator) arrow.ArrayData {
	buffers := append([]*memory.Buffer(nil), d.Buffers()...)
	if d.DataType().ID() == arrow.DATE64 {
		days := newBuffer(mem, arrow.Int32Traits.BytesRequired(d.Offset()+d.Len()))
		defer days.Release()
		out := arrow.Int32Traits.CastFromBytes(days.Bytes())
		clear(out[:d.Offset()])
		for i, x := range arrow.GetValues[arrow.Date64](d, 1) {
			out[d.Offset()+i] = int32(x / millisOfDay)
		}
		buffers[1] = days
	}
	children := make([]arrow.ArrayData, len(d.Children()))
	for i, c := range d.Children() {
		children[i] = storedData(c, typ.(arrow.NestedType).Fields()[i].Type, mem)
		defer children[i].Release()
	}
	return array.NewData(typ, d.Len(), buffers, children, d.NullN(), d.Offset())
}

const millisOfDay = 24 * 60 * 60 * 1000

// A fault is a value that a Parquet file cannot hold.
type fault struct {
	path string // of the column, or of the part of it
	what string
}

// checkStorable makes sure that Parquet can hold rows of a column. Nulls where the schema says that there are none have
// no place in Parquet: they would turn into zeros and empty text. They are not written as a nullable column instead,
// since the schema of a file is fixed before the rows of its later row groups are seen. A date of 64 bits is stored as a
// day, so a time of day would be lost.
func (e *columnEncoder) checkStorable(field arrow.Field, rows *arrow.Chunked, first int64) error {
	for _, c := range rows.Chunks() {
		if suspect(field, c) {
			for i := range c.Len() {
				if f := faultOf(field, c, i); f != nil {
					return fmt.Errorf("column %q: %s holds %s", f.path, e.rowName(first+int64(i)), f.what)
				}
			}
		}
		first += int64(c.Len())
	}
	return nil
}

// rowName is a name for one of the rows that are written, counted from 0 in all of the file.
func (e *columnEncoder) rowName(row int64) string {
	if e.opts.Rows != nil {
		return fmt.Sprintf("row %d of the input", e.opts.Rows[row])
	}
	return fmt.Sprintf("row %d of the output", e.before+row)
}

// suspect says whether some value may be a fault: it does not look at what lists and structs have of their children.
func suspect(field arrow.Field, a arrow.Array) bool {
	if d, ok := a.(*array.Dictionary); !field.Nullable && (a.NullN() > 0 || ok && d.Dictionary().NullN() > 0) {
		return true
	}
	switch a := a.(type) {
	case *array.Date64:
		for _, x := range a.Date64Values() {
			if x%millisOfDay != 0 {
				return true
			}
		}
	case *array.Struct:
		for i, f := range field.Type.(*arrow.StructType).Fields() {
			if suspect(f, a.Field(i)) {
				return true
			}
		}
	case array.ExtensionArray:
		field.Type = field.Type.(arrow.ExtensionType).StorageType()
		return suspect(field, a.Storage())
	case array.ListLike:
		return suspect(field.Type.(arrow.ListLikeType).ElemField(), a.ListValues())
	}
	return false
}

// faultOf is the fault of a row, or nil.
func faultOf(field arrow.Field, a arrow.Array, i int) *fault {
	null := a.IsNull(i)
	if d, ok := a.(*array.Dictionary); ok && !null {
		null = d.Dictionary().IsNull(d.GetValueIndex(i))
	}
	if null {
		if field.Nullable {
			return nil
		}
		return &fault{field.Name, "a null, but the schema declares that there is none: declare the column nullable, or fill its nulls"}
	}
	var found *fault
	switch a := a.(type) {
	case *array.Date64:
		if a.Value(i)%millisOfDay != 0 {
			found = &fault{field.Name, "a date64 that is not a whole day, which Parquet does not have: cast the column to a timestamp"}
		}
		return found
	case *array.Struct:
		for k, f := range field.Type.(*arrow.StructType).Fields() {
			if found = faultOf(f, a.Field(k), i); found != nil {
				break
			}
		}
	case array.ExtensionArray:
		field.Type = field.Type.(arrow.ExtensionType).StorageType()
		return faultOf(field, a.Storage(), i)
	case array.ListLike:
		start, end := a.ValueOffsets(i)
		for k := start; k < end && found == nil; k++ {
			found = faultOf(field.Type.(arrow.ListLikeType).ElemField(), a.ListValues(), int(k))
		}
	}
	if found != nil {
		found.path = field.Name + "." + found.path
	}
	return found
}
