package page

import (
	"bytes"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/stretchr/testify/require"
)

func TestLongBoundsAreCut(t *testing.T) {
	text := schema.MustPrimitive(schema.NewPrimitiveNodeLogical("t", parquet.Repetitions.Required,
		schema.StringLogicalType{}, parquet.Types.ByteArray, 0, -1))
	raw := schema.MustPrimitive(schema.NewPrimitiveNode("b", parquet.Repetitions.Required, parquet.Types.ByteArray, -1,
		0))
	long := func(start string, rest string, n int) []byte {
		return append([]byte(start), bytes.Repeat([]byte(rest), n)...)
	}
	for name, c := range map[string]struct {
		node      schema.Node
		bound     []byte
		low, high []byte
	}{
		"short":              {text, []byte("short"), []byte("short"), []byte("short")},
		"ascii":              {text, long("", "a", 100), long("", "a", 64), append(long("", "a", 63), 'b')},
		"inside a character": {text, long("a", "é", 60), long("a", "é", 31), append(long("a", "é", 30), "ê"...)},
		"before surrogates": {text, long("", "\uD7FF", 30), long("", "\uD7FF", 21),
			append(long("", "\uD7FF", 20), "\uE000"...)},
		"the last character": {text, long("", "\U0010FFFF", 30), long("", "\U0010FFFF", 16),
			long("", "\U0010FFFF", 30)},
		"the last but for one": {text, long("x", "\U0010FFFF", 30), long("x", "\U0010FFFF", 15), []byte("y")},
		"bytes": {raw, long("", "\xFE\xFF", 60), long("", "\xFE\xFF", 32),
			append(long("", "\xFE\xFF", 31), 0xFF)},
		"all of one": {raw, long("", "\xFF", 100), long("", "\xFF", 64), long("", "\xFF", 100)},
	} {
		column := schema.NewColumn(c.node.(*schema.PrimitiveNode), 0, 0)
		whole := slices.Clone(c.bound)
		require.Equal(t, string(c.low), string(truncatedMin(c.bound, column, holdsText(column))), name)
		require.Equal(t, string(c.high), string(truncatedMax(c.bound, column, holdsText(column))), name)
		require.Equal(t, whole, c.bound, name)
	}
}
