package page

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

func boundsOf(t *testing.T, typ parquet.Type) *PlainBounds {
	node, err := schema.NewPrimitiveNode("x", parquet.Repetitions.Required, typ, -1, 0)
	require.NoError(t, err)
	var p PlainBounds
	p.Reset(schema.NewColumn(node, 0, 0))
	return &p
}

func TestBoundsOfNumbersWithNaN(t *testing.T) {
	p := boundsOf(t, parquet.Types.Double)
	nan := math.NaN()
	for _, values := range [][]float64{{nan, 1}, {1, nan, 2}, {nan}, {2, -nan}} {
		found, err := p.OfPage(Plain, arrow.GetBytes(values), len(values))
		require.NoError(t, err)
		require.Equal(t, Bounds{NoBounds: true}, found, values)
	}
	found, err := p.OfPage(Plain, arrow.GetBytes([]float64{1, -3, 2, math.Inf(1)}), 4)
	require.NoError(t, err)
	require.Equal(t, Bounds{Min: arrow.GetBytes([]float64{-3}), Max: arrow.GetBytes([]float64{math.Inf(1)})}, found)
}

// TestBoundsOfEntries are those of the entries that a page refers to.
func TestBoundsOfEntries(t *testing.T) {
	p := boundsOf(t, parquet.Types.ByteArray)
	entries := "\x01\x00\x00\x00a\x00\x00\x00\x00\x0a\x00\x00\x00longer b 2" +
		"\x0a\x00\x00\x00longer b 1\x01\x00\x00\x00z"
	p.SetEntries([]byte(entries), 5)
	for _, c := range []struct {
		indices   []int32
		low, high string
	}{{[]int32{3, 2, 2, 3}, "longer b 1", "longer b 2"}, {[]int32{1}, "", ""}, {[]int32{0, 2}, "a", "longer b 2"}} {
		b := AppendRLE([]byte{3}, c.indices, 3)
		found, err := p.OfPage(RLEDictionary, append(b, make([]byte, RLESpare)...)[:len(b)], len(c.indices))
		require.NoError(t, err)
		require.Equal(t, c.low, string(found.Min))
		require.Equal(t, c.high, string(found.Max))
	}
	b := append(AppendRLE([]byte{3}, []int32{5}, 3), make([]byte, RLESpare)...)
	_, err := p.OfPage(RLEDictionary, b, 1)
	require.ErrorIs(t, err, errkind.ErrCorrupt)
}

func TestBoundsOfValuesThatAreCutOff(t *testing.T) {
	for typ, values := range map[parquet.Type]string{
		parquet.Types.Int64: "1234567890123456", parquet.Types.ByteArray: "\x03\x00\x00\x00abc\x03\x00\x00\x00abc",
	} {
		for size := range values {
			err := errkind.Contain(func() error {
				_, err := boundsOf(t, typ).OfPage(Plain, []byte(values + "and bytes to spare")[:size:size], 2)
				return err
			})
			require.ErrorIs(t, err, errkind.ErrCorrupt, "%s of %d bytes", typ, size)
		}
	}
}

// TestBoundsOfLongValues keep what is written of them: the index is the same, and statistics leave them out.
func TestBoundsOfLongValues(t *testing.T) {
	p := boundsOf(t, parquet.Types.ByteArray)
	plain := func(values ...[]byte) (b []byte) {
		for _, v := range values {
			b = append(binary.LittleEndian.AppendUint32(b, uint32(len(v))), v...)
		}
		return b
	}
	long := func(c byte, n int) []byte { return bytes.Repeat([]byte{c}, n) }
	for _, c := range []struct{ low, high, keptLow, keptHigh []byte }{
		{long('a', 100_000), long('b', 90_000), long('a', LongestStatistic+1), long('b', LongestStatistic+1)},
		{long('a', LongestStatistic+1), long('b', LongestStatistic), long('a', LongestStatistic+1),
			long('b', LongestStatistic)},
		{long('a', 3), long(0xFF, 90_000), long('a', 3), long(0xFF, 90_000)}, // nothing short is greater
	} {
		found, err := p.OfPage(Plain, plain(c.high, c.low), 2)
		require.NoError(t, err)
		require.Equal(t, Bounds{Min: c.keptLow, Max: c.keptHigh}, found)
		whole := Index{Column: p.column, Entries: []PageLocation{{Bounds: Bounds{Min: c.low, Max: c.high}}}}
		kept := Index{Column: p.column, Entries: []PageLocation{{Bounds: found}}}
		require.Equal(t, whole.ColumnIndex(), kept.ColumnIndex())
	}
}

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
