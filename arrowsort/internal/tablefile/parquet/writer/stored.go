package writer

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// storedType is the type as which Parquet stores a column of a type that pqarrow does not write, or not as Arrow C++
// does: dates of 64 bits as days, durations as numbers, views as text, dictionaries as their values. Only columns of
// dictionaries of text stay, since a flatEncoder writes them.
func storedType(typ arrow.DataType) arrow.DataType {
	if storage := arraydata.StorageOf(typ); hasText(storage) {
		return storage
	}
	return plainType(typ)
}

// hasText reports whether a type is a dictionary of text with offsets of 32 bits.
func hasText(typ arrow.DataType) bool {
	d, ok := typ.(*arrow.DictionaryType)
	return ok && (d.ValueType.ID() == arrow.STRING || d.ValueType.ID() == arrow.BINARY)
}

// plainType is the storedType of a part of a column.
func plainType(typ arrow.DataType) arrow.DataType {
	switch t := typ.(type) {
	case arrow.ExtensionType:
		return plainType(t.StorageType())
	case *arrow.DictionaryType:
		return plainType(t.ValueType)
	case *arrow.Date64Type:
		return arrow.FixedWidthTypes.Date32
	case *arrow.DurationType:
		return arrow.PrimitiveTypes.Int64
	case *arrow.StringViewType:
		return arrow.BinaryTypes.LargeString
	case *arrow.BinaryViewType:
		return arrow.BinaryTypes.LargeBinary
	}
	return arraydata.MapTypes(typ, plainType)
}

// namedType is the type that the Arrow schema in a Parquet file has for a type, the one that is read again: views are
// text, dictionaries of anything but text are their values.
func namedType(typ arrow.DataType) arrow.DataType {
	switch t := typ.(type) {
	case *arrow.StringViewType:
		return arrow.BinaryTypes.String
	case *arrow.BinaryViewType:
		return arrow.BinaryTypes.Binary
	case *arrow.DictionaryType:
		values := namedType(t.ValueType)
		if _, text := values.(arrow.BinaryDataType); text {
			return &arrow.DictionaryType{IndexType: t.IndexType, ValueType: values, Ordered: t.Ordered}
		}
		return values
	}
	return arraydata.MapTypes(typ, namedType)
}

// stored are rows of a column with the type that Parquet stores. The caller releases them.
func (e *Encoder) stored(rows *arrow.Chunked, typ arrow.DataType) (*arrow.Chunked, error) {
	if arrow.TypeEqual(rows.DataType(), typ) {
		rows.Retain()
		return rows, nil
	}
	chunks := make([]arrow.Array, len(rows.Chunks()))
	defer arraydata.Release(chunks)
	for i, c := range rows.Chunks() {
		data, err := StoredData(c.Data(), typ, e.opts.Allocator)
		if err != nil {
			return nil, err
		}
		chunks[i] = array.MakeFromData(data)
		data.Release()
	}
	return arrow.NewChunked(typ, chunks), nil
}

// StoredData gives an array the type that Parquet stores. The caller releases it.
func StoredData(d arrow.ArrayData, typ arrow.DataType, mem memory.Allocator) (arrow.ArrayData, error) {
	if arrow.TypeEqual(d.DataType(), typ) {
		d.Retain()
		return d, nil
	}
	switch from := arraydata.StorageOf(d.DataType()).(type) {
	case *arrow.DictionaryType:
		if typ.ID() != arrow.DICTIONARY {
			values, err := entriesOf(d, from, mem)
			if err != nil {
				return nil, err
			}
			defer values.Release()
			return StoredData(values, typ, mem)
		}
		entries := d.Dictionary().(*array.Data)
		return array.NewDataWithDictionary(typ, d.Len(), d.Buffers(), d.NullN(), d.Offset(), entries), nil
	case arrow.BinaryViewDataType:
		return textOfViews(d, from, typ, mem), nil
	}
	buffers := append([]*memory.Buffer(nil), d.Buffers()...)
	if arraydata.StorageOf(d.DataType()).ID() == arrow.DATE64 {
		days := arraydata.NewBuffer(mem, arrow.Int32Traits.BytesRequired(d.Offset()+d.Len()))
		defer days.Release()
		out := arrow.Int32Traits.CastFromBytes(days.Bytes())
		clear(out[:d.Offset()])
		for i, x := range arrow.GetValues[arrow.Date64](d, 1) {
			out[d.Offset()+i] = int32(x / millisPerDay)
		}
		buffers[1] = days
	}
	children := make([]arrow.ArrayData, 0, len(d.Children()))
	defer func() { arraydata.Release(children) }()
	for i, c := range d.Children() {
		child, err := StoredData(c, typ.(arrow.NestedType).Fields()[i].Type, mem)
		if err != nil {
			return nil, err
		}
		children = append(children, child)
	}
	return array.NewData(typ, d.Len(), buffers, children, d.NullN(), d.Offset()), nil
}

// entriesOf are the values that the rows of a dictionary array refer to. The caller releases it.
func entriesOf(d arrow.ArrayData, typ *arrow.DictionaryType, mem memory.Allocator) (arrow.ArrayData, error) {
	d = array.NewDataWithDictionary(typ, d.Len(), d.Buffers(), d.NullN(), d.Offset(), d.Dictionary().(*array.Data))
	defer d.Release()
	indices := array.NewDictionaryData(d)
	defer indices.Release()
	values, err := dictionary.Values(context.Background(), indices, take.Options{Allocator: mem, Threads: 1})
	if err != nil {
		return nil, err
	}
	defer values.Release()
	values.Data().Retain()
	return values.Data(), nil
}

// textOfViews is the text of views with offsets of 64 bits. The caller releases it.
func textOfViews(d arrow.ArrayData, views, typ arrow.DataType, mem memory.Allocator) arrow.ArrayData {
	d = array.NewData(views, d.Len(), d.Buffers(), nil, d.NullN(), d.Offset()) // not an extension type
	defer d.Release()
	a := array.MakeFromData(d)
	defer a.Release()
	b := array.NewBuilder(mem, typ)
	defer b.Release()
	b.Reserve(a.Len())
	for i := range a.Len() {
		switch views := a.(type) {
		case *array.StringView:
			appendView(b.(*array.LargeStringBuilder), views, i)
		case *array.BinaryView:
			appendView(b.(*array.BinaryBuilder), views, i)
		}
	}
	text := b.NewArray()
	defer text.Release()
	text.Data().Retain()
	return text.Data()
}

func appendView[T string | []byte](b interface {
	Append(T)
	AppendNull()
}, views interface {
	IsNull(int) bool
	Value(int) T
}, i int) {
	if views.IsNull(i) {
		b.AppendNull()
	} else {
		b.Append(views.Value(i))
	}
}

const millisPerDay = 24 * 60 * 60 * 1000

// A fault is a value that a Parquet file cannot hold.
type fault struct {
	path string // of the column, or of the part of it
	what string
}

// checkStorable makes sure that Parquet can hold rows of a column. Nulls where the schema says that there are none have
// no place in Parquet: they would turn into zeros and empty text. They are not written as a nullable column instead,
// since the schema of a file is fixed before the rows of its later row groups are seen. A date of 64 bits is stored as
// a day, so a time of day would be lost.
func (e *Encoder) checkStorable(field arrow.Field, rows *arrow.Chunked, first int64) error {
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
func (e *Encoder) rowName(row int64) string {
	if e.opts.Rows != nil {
		return fmt.Sprintf("row %d of the input", e.opts.Rows[row])
	}
	return fmt.Sprintf("row %d of the output", e.before+row)
}

// suspect says whether some value may be a fault: it does not look at what lists and structs have of their children.
func suspect(field arrow.Field, a arrow.Array) bool {
	if !field.Nullable && a.NullN() > 0 {
		return true
	}
	switch a := a.(type) {
	case *array.Dictionary:
		field.Type = a.DataType().(*arrow.DictionaryType).ValueType
		return suspect(field, a.Dictionary())
	case *array.Date64:
		for _, x := range a.Date64Values() {
			if dateFault(x) != "" {
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
	if a.IsNull(i) {
		if field.Nullable {
			return nil
		}
		return &fault{field.Name,
			"a null, but the schema declares that there is none: declare the column nullable, or fill its nulls"}
	}
	var found *fault
	switch a := a.(type) {
	case *array.Dictionary:
		field.Type = a.DataType().(*arrow.DictionaryType).ValueType
		return faultOf(field, a.Dictionary(), a.GetValueIndex(i))
	case *array.Date64:
		if what := dateFault(a.Value(i)); what != "" {
			found = &fault{field.Name, what}
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

// dateFault is what keeps a date from being stored as a day of 32 bits, or nothing.
func dateFault(date arrow.Date64) string {
	switch day := date / millisPerDay; {
	case date%millisPerDay != 0:
		return "a date64 that is not a whole day, which Parquet does not have: cast the column to a timestamp"
	case day != arrow.Date64(int32(day)):
		return "a date64 that is too far from 1970 for the dates of Parquet, days of 32 bits: cast the column to int64"
	}
	return ""
}
