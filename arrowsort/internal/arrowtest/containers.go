package arrowtest

import "github.com/apache/arrow/go/v15/arrow"

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
