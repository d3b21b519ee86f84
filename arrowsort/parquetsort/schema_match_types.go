package parquetsort

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// matchTypes returns the type that holds the values of two types, which may differ in whether what is inside lists,
// maps and structs can be null; nil when they differ in more.
func matchTypes(a, b arrow.DataType) arrow.DataType {
	if arrow.TypeEqual(a, b) {
		return a
	}
	from, ok := a.(arrow.NestedType)
	other, same := b.(arrow.NestedType)
	if !ok || !same || a.ID() != b.ID() || len(from.Fields()) != len(other.Fields()) {
		return nil
	}
	fields := slices.Clone(from.Fields())
	for i, f := range other.Fields() {
		if fields[i].Type = matchTypes(fields[i].Type, f.Type); fields[i].Type == nil {
			return nil
		}
		fields[i].Nullable = fields[i].Nullable || f.Nullable
	}
	switch t := a.(type) {
	case *arrow.StructType:
		if slices.EqualFunc(fields, other.Fields(), func(f, g arrow.Field) bool { return f.Name == g.Name }) {
			return arrow.StructOf(fields...)
		}
	case *arrow.ListType:
		return arrow.ListOfField(fields[0])
	case *arrow.LargeListType:
		return arrow.LargeListOfField(fields[0])
	case *arrow.FixedSizeListType:
		if t.Len() == b.(*arrow.FixedSizeListType).Len() {
			return arrow.FixedSizeListOfField(t.Len(), fields[0])
		}
	case *arrow.MapType:
		entry := fields[0].Type.(*arrow.StructType)
		matched := arrow.MapOf(entry.Field(0).Type, entry.Field(1).Type)
		matched.KeysSorted = t.KeysSorted && b.(*arrow.MapType).KeysSorted
		matched.SetItemNullable(entry.Field(1).Nullable)
		return matched
	}
	return nil
}

// withType returns the chunks of a column with a type that its own agrees with. The caller releases them.
func withType(column *arrow.Chunked, typ arrow.DataType) *arrow.Chunked {
	if arrow.TypeEqual(column.DataType(), typ) {
		column.Retain()
		return column
	}
	chunks := make([]arrow.Array, len(column.Chunks()))
	for i, c := range column.Chunks() {
		data := dataWithType(c.Data(), typ)
		chunks[i] = array.MakeFromData(data)
		data.Release()
		defer chunks[i].Release()
	}
	return arrow.NewChunked(typ, chunks)
}

func dataWithType(d arrow.ArrayData, typ arrow.DataType) arrow.ArrayData {
	if arrow.TypeEqual(d.DataType(), typ) {
		d.Retain()
		return d
	}
	children := make([]arrow.ArrayData, len(d.Children()))
	for i, c := range d.Children() {
		children[i] = dataWithType(c, typ.(arrow.NestedType).Fields()[i].Type)
		defer children[i].Release()
	}
	return array.NewData(typ, d.Len(), d.Buffers(), children, d.NullN(), d.Offset())
}
