package adapter

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
)

// NestedFields returns what the values of a Plain type hold: the element of lists and maps, the fields of unions.
// nested is false for all other types, structs too.
func NestedFields(typ arrow.DataType) (fields []arrow.Field, nested bool) {
	switch t := arraydata.Storage(typ).(type) {
	case arrow.ListLikeType:
		return []arrow.Field{t.ElemField()}, true
	case arrow.UnionType:
		return t.Fields(), true
	}
	return nil, false
}

// Nested reports whether the values of a column are lists, maps or unions.
func Nested(typ arrow.DataType) bool {
	_, nested := NestedFields(Plain(typ))
	return nested
}

// WithFields returns a type of NestedFields whose fields have other types: typ itself where they are the same.
func WithFields(typ arrow.DataType, types []arrow.DataType) arrow.DataType {
	fields, _ := NestedFields(typ)
	fields = slices.Clone(fields)
	same := true
	for i, t := range types {
		same = same && arrow.TypeEqual(fields[i].Type, t)
		fields[i].Type = t
	}
	if same {
		return typ
	}
	return arraydata.WithFields(arraydata.Storage(typ).(arrow.NestedType), fields)
}

// Unordered returns the name and the type of what has no order in a column of a name and a type: the column itself, or
// the first part of it; ok is true when all has an order.
func Unordered(name string, typ arrow.DataType) (part string, partType arrow.DataType, ok bool) {
	fields := []arrow.Field(nil)
	if s, isStruct := StructOf(typ); isStruct {
		fields = s.Fields()
	} else if nested, isNested := NestedFields(Plain(typ)); isNested && Sortable(typ) {
		fields = nested
		if m, isMap := arraydata.Storage(Plain(typ)).(*arrow.MapType); isMap {
			fields = m.Elem().(*arrow.StructType).Fields()
		}
	} else {
		return name, typ, Sortable(typ)
	}
	for _, f := range fields {
		if part, partType, ok = Unordered(name+"."+f.Name, f.Type); !ok {
			return part, partType, false
		}
	}
	return name, typ, true
}

// sameElements reports whether lists or unions of two Plain types have the same values, which have the same bytes in
// rows of package rowcode: lists of any kind whose number of elements varies, or of the same fixed one.
func sameElements(a, b arrow.DataType) bool {
	if nestedKind(a) != nestedKind(b) {
		return false
	}
	left, _ := NestedFields(a)
	right, _ := NestedFields(b)
	return slices.EqualFunc(left, right, func(f, g arrow.Field) bool { return sameElement(f.Type, g.Type) })
}

// sameElement is SameValues for elements of lists and values of unions, where bytes of a fixed size are not those of
// any length.
func sameElement(a, b arrow.DataType) bool {
	a, b = Plain(a), Plain(b)
	s, ok := StructOf(a)
	if !ok {
		fixed := (a.ID() == arrow.FIXED_SIZE_BINARY) != (b.ID() == arrow.FIXED_SIZE_BINARY)
		return !fixed && SameValues(a, b)
	}
	t, ok := StructOf(b)
	return ok && slices.EqualFunc(s.Fields(), t.Fields(), func(f, g arrow.Field) bool {
		return f.Name == g.Name && sameElement(f.Type, g.Type)
	})
}

// nestedKind returns what two types of lists or unions must have in common, apart from their elements.
func nestedKind(typ arrow.DataType) string {
	switch t := arraydata.Storage(typ).(type) {
	case *arrow.MapType:
		return "map"
	case *arrow.FixedSizeListType:
		return fmt.Sprint(t.Len())
	case arrow.UnionType:
		return fmt.Sprint(t.TypeCodes())
	}
	return "list"
}

// NestedRows are consecutive rows of an array of lists or unions.
type NestedRows struct {
	Data  arrow.ArrayData
	First int // position of the first row in the buffers of the array
}

// PlainRows returns the rows of a leaf of lists or unions, dictionaries and runs resolved.
func (r *RawColumns) PlainRows(in *Input, leaf Leaf) (Values, error) {
	_, parts, err := r.plainParts(in, leaf)
	if err != nil {
		return Values{}, err
	}
	return r.nestedValues(parts)
}

// nestedValues returns slices of lists or unions: the validity of their rows, and the arrays.
func (r *RawColumns) nestedValues(parts []arraySlice) (v Values, err error) {
	v.Chunks, v.Slices = r.chunksOf(len(parts)), make([]NestedRows, len(parts))
	for i, p := range parts {
		c := &v.Chunks[i]
		c.Rows, c.Offset = p.rows, p.first%8
		if c.Validity, err = r.validity(p, c.Offset); err != nil {
			return v, err
		}
		v.Slices[i] = NestedRows{p.data, p.first}
	}
	return v, nil
}

// ChildValues returns n rows of an array within another, from row first on: of the array, or of a field of its structs.
func (r *RawColumns) ChildValues(data arrow.ArrayData, first, n int, path []int) (Values, error) {
	if n == 0 {
		return r.values(fieldType(data.DataType(), path), nil)
	}
	v := arraySlice{data: data, first: data.Offset() + first, rows: n}
	v.masks = v.ownMask(nil)
	for _, field := range path {
		if field >= len(v.data.Children()) {
			return Values{}, fmt.Errorf("%w: an array of type %s has %d fields",
				arrow.ErrInvalid, v.data.DataType(), len(v.data.Children()))
		}
		v = v.child(field)
	}
	return r.values(v.data.DataType(), []arraySlice{v})
}

// fieldType returns the type of a field of structs.
func fieldType(typ arrow.DataType, path []int) arrow.DataType {
	for _, field := range path {
		s, _ := StructOf(typ)
		typ = s.Field(field).Type
	}
	return typ
}
