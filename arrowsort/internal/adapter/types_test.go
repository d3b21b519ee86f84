package adapter

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/keyencode"
)

func TestSortable(t *testing.T) {
	i8, text := arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String
	dict := func(value arrow.DataType) arrow.DataType {
		return &arrow.DictionaryType{IndexType: i8, ValueType: value}
	}
	for _, c := range []struct {
		typ  arrow.DataType
		want bool
	}{
		{dict(text), true}, {dict(dict(text)), true}, {dict(arrow.ListOf(text)), true}, {dict(arrow.RunEndEncodedOf(i8,
			text)), false},
		{arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, dict(text)), true},
		{arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.StructOf()), false},
		{arrow.FixedWidthTypes.MonthInterval, true}, {arrow.FixedWidthTypes.DayTimeInterval, false},
		{arrow.FixedWidthTypes.MonthDayNanoInterval, false},
		{arrow.StructOf(), false}, {arrow.ListOf(i8), true}, {arrow.ListViewOf(i8), true}, {arrow.FixedSizeListOf(2,
			i8), true},
		{arrow.MapOf(text, i8), true}, {arrow.Null, true}, {arrowtest.NewExtension(arrowtest.NewExtension(i8)), true},
		{arrowtest.NewExtension(arrow.ListOf(i8)), true},
	} {
		require.Equal(t, c.want, Sortable(c.typ), "%s", c.typ)
	}
}

// TestLayoutsHaveTheWidthOfTheirType holds the table of layouts against Arrow's widths and the engine's.
func TestLayoutsHaveTheWidthOfTheirType(t *testing.T) {
	for _, typ := range arrowtest.Types() {
		l, ok := layoutOf(typ)
		if !ok {
			_, nested := arraydata.Storage(typ).(arrow.NestedType)
			require.True(t, nested, "%s", typ)
			continue
		}
		c := keyencode.Column{Kind: l.kind, Width: l.width}
		switch fixed, ok := arraydata.Storage(typ).(arrow.FixedWidthDataType); {
		case l.kind == keyencode.Bool, l.kind == keyencode.Null:
			require.Zero(t, l.width)
		case l.kind == keyencode.Binary || l.kind == keyencode.LargeBinary || l.kind == keyencode.BinaryView:
		case ok:
			require.Equal(t, fixed.Bytes(), l.width, "%s", typ)
			require.Equal(t, fixed.Bytes(), c.ValueBytes(), "%s", typ)
		}
	}
	for width, kind := range map[int]keyencode.Kind{1: keyencode.Dictionary8, 2: keyencode.Dictionary16,
		4: keyencode.Dictionary32, 8: keyencode.Dictionary64} {
		require.Equal(t, kind, dictionaryKind(width))
	}
}
