// Package arrowtest makes random arrays of every Arrow type for tests, and compares them row by row.
package arrowtest

import (
	"reflect"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// Types returns every type that arrow/go v15 has, with parameters where it takes them, and nestings of two and three
// levels.
func Types() []arrow.DataType {
	types := Flat()
	types = append(types, dictionaries()...)
	return append(types, nested()...)
}

// Flat returns every type without children and without a dictionary.
func Flat() []arrow.DataType {
	return []arrow.DataType{
		arrow.Null, arrow.FixedWidthTypes.Boolean,
		arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
		arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32,
		arrow.PrimitiveTypes.Uint64,
		arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
		arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date64,
		arrow.FixedWidthTypes.Time32s, arrow.FixedWidthTypes.Time32ms, arrow.FixedWidthTypes.Time64us,
		arrow.FixedWidthTypes.Time64ns,
		arrow.FixedWidthTypes.Timestamp_s, arrow.FixedWidthTypes.Timestamp_ns,
		&arrow.TimestampType{Unit: arrow.Microsecond},
		arrow.FixedWidthTypes.Duration_s, arrow.FixedWidthTypes.Duration_ns,
		arrow.FixedWidthTypes.MonthInterval, arrow.FixedWidthTypes.DayTimeInterval,
		arrow.FixedWidthTypes.MonthDayNanoInterval,
		&arrow.Decimal128Type{Precision: 20, Scale: 3}, &arrow.Decimal256Type{Precision: 50, Scale: 7},
		&arrow.FixedSizeBinaryType{ByteWidth: 3},
		&arrow.FixedSizeBinaryType{ByteWidth: 16}, &arrow.FixedSizeBinaryType{ByteWidth: 21},
		arrow.BinaryTypes.String, arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeString,
		arrow.BinaryTypes.LargeBinary,
		arrow.BinaryTypes.StringView, arrow.BinaryTypes.BinaryView,
		NewExtension(arrow.PrimitiveTypes.Int32), NewExtension(arrow.BinaryTypes.String),
	}
}

func dictionaries() []arrow.DataType {
	of := func(index, value arrow.DataType) arrow.DataType {
		return &arrow.DictionaryType{IndexType: index, ValueType: value}
	}
	return []arrow.DataType{
		of(arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String),
		of(arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Float64),
		of(arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int64),
		of(arrow.PrimitiveTypes.Uint16, &arrow.Decimal128Type{Precision: 20, Scale: 3}),
		of(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.LargeString),
		of(arrow.PrimitiveTypes.Uint32, arrow.BinaryTypes.StringView),
		of(arrow.PrimitiveTypes.Int64, arrow.FixedWidthTypes.Boolean),
		of(arrow.PrimitiveTypes.Uint64, arrow.ListOf(arrow.PrimitiveTypes.Int16)),
		of(arrow.PrimitiveTypes.Int32, arrow.FixedWidthTypes.Timestamp_ns), of(arrow.PrimitiveTypes.Int16, arrow.Null),
		NewExtension(of(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String)),
	}
}

func nested() []arrow.DataType {
	str, i32 := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: str}
	pair := arrow.StructOf(
		arrow.Field{Name: "a", Type: i32, Nullable: true},
		arrow.Field{Name: "b", Type: str, Nullable: true},
		arrow.Field{Name: "c", Type: arrow.FixedWidthTypes.Boolean, Nullable: true})
	fields := []arrow.Field{
		{Name: "x", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "y", Type: str, Nullable: true},
		{Name: "z", Type: arrow.ListOf(i32), Nullable: true}}
	codes := []arrow.UnionTypeCode{5, 0, 9}
	sparse, dense := arrow.SparseUnionOf(fields, codes), arrow.DenseUnionOf(fields, codes)
	runs := arrow.RunEndEncodedOf(i32, str)
	return []arrow.DataType{
		arrow.ListOf(i32), arrow.ListOf(str), arrow.ListOf(arrow.FixedWidthTypes.Boolean), arrow.ListOf(dict),
		arrow.ListOf(arrow.ListOf(str)),
		arrow.ListOf(pair), arrow.ListOf(dense), arrow.ListOf(sparse), arrow.ListOf(runs),
		arrow.ListOf(arrow.Null),
		arrow.ListOf(arrow.BinaryTypes.StringView), arrow.ListOf(&arrow.Decimal256Type{Precision: 50, Scale: 7}),
		arrow.LargeListOf(arrow.PrimitiveTypes.Int16),
		arrow.LargeListOf(arrow.LargeListOf(arrow.BinaryTypes.LargeBinary)),
		arrow.ListViewOf(i32), arrow.ListViewOf(arrow.ListOf(str)),
		arrow.LargeListViewOf(str), arrow.LargeListViewOf(arrow.ListViewOf(pair)),
		arrow.FixedSizeListOf(3, i32),
		arrow.FixedSizeListOf(2, str), arrow.FixedSizeListOf(5, arrow.FixedWidthTypes.Boolean),
		arrow.FixedSizeListOf(2, arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Int8)),
		arrow.FixedSizeListOf(2, arrow.ListOf(pair)),
		arrow.ListOf(arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Uint16)),
		pair, arrow.StructOf(), arrow.StructOf(arrow.Field{Name: "s", Type: pair, Nullable: true},
			arrow.Field{Name: "d", Type: dict, Nullable: true},
			arrow.Field{Name: "v", Type: arrow.BinaryTypes.BinaryView, Nullable: true}),
		arrow.MapOf(str, i32), arrow.MapOf(i32, arrow.ListOf(str)), arrow.ListOf(arrow.MapOf(str, pair)),
		sparse, dense, arrow.StructOf(arrow.Field{Name: "u", Type: dense}, arrow.Field{Name: "w", Type: sparse}),
		runs, arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Float64),
		arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int64, arrow.ListOf(pair)),
		arrow.StructOf(arrow.Field{Name: "r", Type: runs}),
		NewExtension(arrow.ListOf(str)), NewExtension(pair), arrow.ListOf(NewExtension(pair)),
	}
}

// Extension is an extension type over any storage type.
type Extension struct{ arrow.ExtensionBase }

// ExtensionArray is the array of an Extension.
type ExtensionArray struct{ array.ExtensionArrayBase }

// NewExtension returns an extension type stored as storage.
func NewExtension(storage arrow.DataType) *Extension {
	return &Extension{ExtensionBase: arrow.ExtensionBase{Storage: storage}}
}

// ValueStr returns the storage's string of row i.
func (a *ExtensionArray) ValueStr(i int) string { return a.Storage().ValueStr(i) }

// ArrayType returns the type of its arrays.
func (e *Extension) ArrayType() reflect.Type { return reflect.TypeOf(ExtensionArray{}) }

// ExtensionName returns the name it is registered by.
func (e *Extension) ExtensionName() string { return "arrowtest" }

// String names the storage, too.
func (e *Extension) String() string { return "extension<" + e.Storage.String() + ">" }

// Serialize is empty: the storage has all.
func (e *Extension) Serialize() string { return "" }

// Deserialize makes the type of a storage.
func (e *Extension) Deserialize(storage arrow.DataType, _ string) (arrow.ExtensionType, error) {
	return NewExtension(storage), nil
}

// ExtensionEquals compares storages.
func (e *Extension) ExtensionEquals(other arrow.ExtensionType) bool {
	o, ok := other.(*Extension)
	return ok && arrow.TypeEqual(e.Storage, o.Storage)
}

// A Container makes a type out of the type of its values.
type Container struct {
	Name string
	Of   func(value arrow.Field) arrow.DataType
}

// Containers returns every way in which a type lies in another one, in one and in two levels, and first the type
// itself.
func Containers() []Container {
	return []Container{
		{"itself", func(value arrow.Field) arrow.DataType { return value.Type }},
		{"list", func(value arrow.Field) arrow.DataType { return arrow.ListOfField(value) }},
		{"large list", func(value arrow.Field) arrow.DataType { return arrow.LargeListOfField(value) }},
		{"fixed-size list", func(value arrow.Field) arrow.DataType { return arrow.FixedSizeListOfField(3, value) }},
		{"struct", func(value arrow.Field) arrow.DataType {
			return arrow.StructOf(value, arrow.Field{Name: "other", Type: arrow.PrimitiveTypes.Int16, Nullable: true})
		}},
		{"map", func(value arrow.Field) arrow.DataType {
			typ := arrow.MapOfWithMetadata(arrow.BinaryTypes.String, arrow.Metadata{}, value.Type, value.Metadata)
			typ.SetItemNullable(value.Nullable)
			return typ
		}},
		{"list of structs", func(value arrow.Field) arrow.DataType { return arrow.ListOf(arrow.StructOf(value)) }},
		{"struct of fixed-size lists", func(value arrow.Field) arrow.DataType {
			return arrow.StructOf(arrow.Field{Name: "f", Type: arrow.FixedSizeListOfField(2, value), Nullable: true})
		}},
		{"list of fixed-size lists", func(value arrow.Field) arrow.DataType {
			return arrow.ListOf(arrow.FixedSizeListOfField(2, value))
		}},
		{"list of large lists", func(value arrow.Field) arrow.DataType {
			return arrow.ListOf(arrow.LargeListOfField(value))
		}},
	}
}
