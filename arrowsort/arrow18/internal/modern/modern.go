// Package modern has types of Arrow Go v18 that v15 does not have, for tests.
package modern

import (
	"reflect"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	v15 "github.com/apache/arrow/go/v15/arrow"

	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
)

// A tag is an extension type over any storage.
type tag struct{ arrow.ExtensionBase }

// tagged is exported by its methods only: Arrow makes it by reflection.
type tagged struct{ array.ExtensionArrayBase }

// NewTag returns an extension type over a storage.
func NewTag(storage arrow.DataType) arrow.ExtensionType {
	return &tag{arrow.ExtensionBase{Storage: storage}}
}

func (a *tagged) ValueStr(i int) string { return a.Storage().ValueStr(i) }

func (*tag) ArrayType() reflect.Type { return reflect.TypeFor[tagged]() }

func (*tag) ExtensionName() string { return "tag" }

func (t *tag) String() string { return "tag<" + t.Storage.String() + ">" }

func (*tag) Serialize() string { return "" }

func (*tag) Deserialize(storage arrow.DataType, _ string) (arrow.ExtensionType, error) {
	return NewTag(storage), nil
}

func (t *tag) ExtensionEquals(other arrow.ExtensionType) bool {
	o, ok := other.(*tag)
	return ok && arrow.TypeEqual(t.Storage, o.Storage)
}

// Type returns a type of v18 with the layout of a type of v15: with decimals that only v18 has in the place of int32
// and int64, and with extension types, on all levels.
func Type(typ v15.DataType) arrow.DataType {
	switch t := typ.(type) {
	case v15.ExtensionType:
		return NewTag(Type(t.StorageType()))
	case *v15.Int32Type:
		return &arrow.Decimal32Type{Precision: 9, Scale: 2}
	case *v15.Int64Type:
		return &arrow.Decimal64Type{Precision: 18, Scale: 4}
	case *v15.ListType:
		return arrow.ListOfField(fields(t)[0])
	case *v15.LargeListType:
		return arrow.LargeListOfField(fields(t)[0])
	case *v15.ListViewType:
		return arrow.ListViewOfField(fields(t)[0])
	case *v15.LargeListViewType:
		return arrow.LargeListViewOfField(fields(t)[0])
	case *v15.FixedSizeListType:
		return arrow.FixedSizeListOfField(t.Len(), fields(t)[0])
	case *v15.StructType:
		return arrow.StructOf(fields(t)...)
	case *v15.MapType:
		return arrow.MapOf(Type(t.KeyType()), Type(t.ItemType()))
	case *v15.SparseUnionType:
		return arrow.SparseUnionOf(fields(t), t.TypeCodes())
	case *v15.DenseUnionType:
		return arrow.DenseUnionOf(fields(t), t.TypeCodes())
	case *v15.DictionaryType:
		return &arrow.DictionaryType{IndexType: Plain(t.IndexType), ValueType: Type(t.ValueType)}
	case *v15.RunEndEncodedType:
		return arrow.RunEndEncodedOf(Plain(t.RunEnds()), Type(t.Encoded()))
	}
	return Plain(typ)
}

func fields(typ v15.NestedType) []arrow.Field {
	fields := make([]arrow.Field, len(typ.Fields()))
	for i, f := range typ.Fields() {
		fields[i] = arrow.Field{Name: f.Name, Type: Type(f.Type), Nullable: f.Nullable}
	}
	return fields
}

// Plain returns a type of v15 in v18.
func Plain(typ v15.DataType) arrow.DataType {
	return convert.ToLayout(v15.NewSchema([]v15.Field{{Type: typ, Nullable: true}}, nil)).Field(0).Type
}
