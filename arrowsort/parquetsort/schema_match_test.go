package parquetsort

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"
)

// TestNestedTypesThatDiffer: the error names the field that differs, not two long types.
func TestNestedTypesThatDiffer(t *testing.T) {
	schema := func(field arrow.Field) *arrow.Schema {
		list := arrow.ListOf(arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int64}, field))
		return arrow.NewSchema([]arrow.Field{{Name: "a", Type: list}}, nil)
	}
	number := arrow.Field{Name: "n", Type: arrow.PrimitiveTypes.Int32}
	for want, field := range map[string]arrow.Field{
		`column "a.item.n" is of type utf8, in first it is int32`: {Name: "n",
			Type: arrow.BinaryTypes.String},
		`column "a.item" is of type struct with a field "m", in first it is struct with a field "n"`: {Name: "m",
			Type: number.Type},
	} {
		_, err := matchSchemas(schema(number), schema(field), "second", "first")
		require.ErrorIs(t, err, ErrSchema)
		require.ErrorContains(t, err, "second: "+want)
	}
}
