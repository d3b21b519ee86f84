package arrow18

import (
	"fmt"
	"reflect"

	"github.com/apache/arrow-go/v18/arrow"
	v15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"
)

// FromLayout returns a type of v15 that has the layout in memory, the names of fields and the order of a type of v18.
// An extension type, decimal32 and decimal64 become extension types of v15 with the text of the type of v18, stored as
// the storage, as int32 and as int64. It fails with arrow.ErrNotImplemented for a type that v15 has no layout for.
func FromLayout(typ arrow.DataType) (v15.DataType, error) {
	switch t := typ.(type) {
	case arrow.ExtensionType:
		stored, err := FromLayout(t.StorageType())
		if err != nil {
			return nil, err
		}
		return newStandIn(t, stored), nil
	case *arrow.Decimal32Type:
		return newStandIn(t, v15.PrimitiveTypes.Int32), nil
	case *arrow.Decimal64Type:
		return newStandIn(t, v15.PrimitiveTypes.Int64), nil
	case *arrow.DictionaryType:
		types, err := layouts(t.IndexType, t.ValueType)
		if err != nil {
			return nil, err
		}
		return &v15.DictionaryType{IndexType: types[0], ValueType: types[1], Ordered: t.Ordered}, nil
	case *arrow.RunEndEncodedType:
		types, err := layouts(t.RunEnds(), t.Encoded())
		if err != nil {
			return nil, err
		}
		return v15.RunEndEncodedOf(types[0], types[1]), nil
	case *arrow.MapType:
		types, err := layouts(t.KeyType(), t.ItemType())
		if err != nil {
			return nil, err
		}
		return v15.MapOf(types[0], types[1]), nil
	case arrow.NestedType:
		return nestedLayout(t)
	}
	return flatLayout(typ)
}

func layouts(types ...arrow.DataType) ([]v15.DataType, error) {
	converted := make([]v15.DataType, len(types))
	for i, typ := range types {
		var err error
		if converted[i], err = FromLayout(typ); err != nil {
			return nil, err
		}
	}
	return converted, nil
}

// nestedLayout converts a type that is made of fields.
func nestedLayout(typ arrow.NestedType) (v15.DataType, error) {
	fields := make([]v15.Field, len(typ.Fields()))
	for i, f := range typ.Fields() {
		field, err := FromLayout(f.Type)
		if err != nil {
			return nil, err
		}
		fields[i] = v15.Field{Name: f.Name, Type: field, Nullable: f.Nullable}
	}
	switch t := typ.(type) {
	case *arrow.ListType:
		return v15.ListOfField(fields[0]), nil
	case *arrow.LargeListType:
		return v15.LargeListOfField(fields[0]), nil
	case *arrow.ListViewType:
		return v15.ListViewOfField(fields[0]), nil
	case *arrow.LargeListViewType:
		return v15.LargeListViewOfField(fields[0]), nil
	case *arrow.FixedSizeListType:
		return v15.FixedSizeListOfField(t.Len(), fields[0]), nil
	case *arrow.StructType:
		return v15.StructOf(fields...), nil
	case *arrow.SparseUnionType:
		return v15.SparseUnionOf(fields, t.TypeCodes()), nil
	case *arrow.DenseUnionType:
		return v15.DenseUnionOf(fields, t.TypeCodes()), nil
	}
	return nil, unsupported(typ)
}

// flatLayout converts a type that has no types inside.
func flatLayout(typ arrow.DataType) (v15.DataType, error) {
	switch t := typ.(type) {
	case *arrow.FixedSizeBinaryType:
		return &v15.FixedSizeBinaryType{ByteWidth: t.ByteWidth}, nil
	case *arrow.TimestampType:
		return &v15.TimestampType{Unit: v15.TimeUnit(t.Unit), TimeZone: t.TimeZone}, nil
	case *arrow.Time32Type:
		return &v15.Time32Type{Unit: v15.TimeUnit(t.Unit)}, nil
	case *arrow.Time64Type:
		return &v15.Time64Type{Unit: v15.TimeUnit(t.Unit)}, nil
	case *arrow.DurationType:
		return &v15.DurationType{Unit: v15.TimeUnit(t.Unit)}, nil
	case *arrow.Decimal128Type:
		return &v15.Decimal128Type{Precision: t.Precision, Scale: t.Scale}, nil
	case *arrow.Decimal256Type:
		return &v15.Decimal256Type{Precision: t.Precision, Scale: t.Scale}, nil
	}
	if typ != nil {
		if simple, ok := simpleTypes15[typ.ID()]; ok {
			return simple, nil
		}
	}
	return nil, unsupported(typ)
}

func unsupported(typ arrow.DataType) error {
	return fmt.Errorf("%w: type %v", arrow.ErrNotImplemented, typ)
}

// simple are the types without parameters of both versions.
var simple = []struct {
	v15 v15.DataType
	v18 arrow.DataType
}{
	{v15.Null, arrow.Null}, {v15.FixedWidthTypes.Boolean, arrow.FixedWidthTypes.Boolean},
	{v15.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int8}, {v15.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint8},
	{v15.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int16}, {v15.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint16},
	{v15.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int32}, {v15.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint32},
	{v15.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int64}, {v15.PrimitiveTypes.Uint64, arrow.PrimitiveTypes.Uint64},
	{v15.FixedWidthTypes.Float16, arrow.FixedWidthTypes.Float16},
	{v15.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float32},
	{v15.PrimitiveTypes.Float64, arrow.PrimitiveTypes.Float64},
	{v15.BinaryTypes.String, arrow.BinaryTypes.String},
	{v15.BinaryTypes.LargeString, arrow.BinaryTypes.LargeString},
	{v15.BinaryTypes.Binary, arrow.BinaryTypes.Binary},
	{v15.BinaryTypes.LargeBinary, arrow.BinaryTypes.LargeBinary},
	{v15.BinaryTypes.StringView, arrow.BinaryTypes.StringView},
	{v15.BinaryTypes.BinaryView, arrow.BinaryTypes.BinaryView},
	{v15.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date32},
	{v15.FixedWidthTypes.Date64, arrow.FixedWidthTypes.Date64},
	{v15.FixedWidthTypes.MonthInterval, arrow.FixedWidthTypes.MonthInterval},
	{v15.FixedWidthTypes.DayTimeInterval, arrow.FixedWidthTypes.DayTimeInterval},
	{v15.FixedWidthTypes.MonthDayNanoInterval, arrow.FixedWidthTypes.MonthDayNanoInterval},
}

// simpleTypes and simpleTypes15 are these types by the one of the other version.
var simpleTypes, simpleTypes15 = simpleMaps()

func simpleMaps() (map[v15.Type]arrow.DataType, map[arrow.Type]v15.DataType) {
	to, from := map[v15.Type]arrow.DataType{}, map[arrow.Type]v15.DataType{}
	for _, both := range simple {
		to[both.v15.ID()], from[both.v18.ID()] = both.v18, both.v15
	}
	return to, from
}

// A standInType stands for a type of v18 that v15 does not have, so that messages name that type. It is not
// registered.
type standInType struct {
	v15.ExtensionBase
	of arrow.DataType
}

func newStandIn(of arrow.DataType, stored v15.DataType) *standInType {
	return &standInType{v15.ExtensionBase{Storage: stored}, of}
}

func isStandIn(typ v15.DataType) bool {
	_, ok := typ.(*standInType)
	return ok
}

// standInArray is exported by its methods only: MakeFromData of v15 makes it by reflection.
type standInArray struct{ array15.ExtensionArrayBase }

func (a *standInArray) ValueStr(i int) string { return a.Storage().ValueStr(i) }

func (*standInType) ArrayType() reflect.Type { return reflect.TypeFor[standInArray]() }

func (t *standInType) ExtensionName() string { return t.of.Name() }

func (t *standInType) String() string { return t.of.String() }

func (*standInType) Serialize() string { return "" }

func (t *standInType) Deserialize(stored v15.DataType, _ string) (v15.ExtensionType, error) {
	return newStandIn(t.of, stored), nil
}

func (t *standInType) ExtensionEquals(other v15.ExtensionType) bool {
	o, ok := other.(*standInType)
	return ok && arrow.TypeEqual(t.of, o.of)
}
