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

// TestBoundsOfNumbersWithNaN: NaNs are counted. They leave no upper bound, and with the sign bit no lower one. Zeros
// are -0 below and 0 above, which may not be among the values.
func TestBoundsOfNumbersWithNaN(t *testing.T) {
	number := func(v float64) []byte { return arrow.GetBytes([]float64{v}) }
	nan, negative, zero := math.NaN(), math.Copysign(math.NaN(), -1), math.Copysign(0, -1)
	for _, c := range []struct {
		values []float64
		want   Bounds
	}{
		{[]float64{nan, 1}, Bounds{Min: number(1), NaNs: 1}},
		{[]float64{3, nan, 2, nan}, Bounds{Min: number(2), NaNs: 2}},
		{[]float64{nan, nan}, Bounds{NaNs: 2}},
		{[]float64{2, negative, nan}, Bounds{NaNs: 2, NegativeNaN: true}},
		{[]float64{1, -3, 2, math.Inf(1)}, Bounds{Min: number(-3), Max: number(math.Inf(1))}},
		{[]float64{0, 0}, Bounds{Min: number(zero), Max: number(0), MinInexact: true}},
		{[]float64{zero, nan}, Bounds{Min: number(zero), NaNs: 1}},
		{[]float64{-1, zero}, Bounds{Min: number(-1), Max: number(0), MaxInexact: true}},
	} {
		p := boundsOf(t, parquet.Types.Double)
		found, err := p.OfPage(Plain, arrow.GetBytes(c.values), len(c.values))
		require.NoError(t, err)
		require.Equal(t, Statistics{Bounds: c.want}, found, "plain %v", c.values)
		p.SetEntries(arrow.GetBytes(c.values), len(c.values))
		b := AppendRLE([]byte{2}, []int32{0, 1, 2, 3}[:len(c.values)], 2)
		found, err = p.OfPage(RLEDictionary, append(b, make([]byte, RLESpare)...)[:len(b)], len(c.values))
		require.NoError(t, err)
		require.Equal(t, Statistics{Bounds: c.want}, found, "dictionary %v", c.values)
	}
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

// TestLongBoundsAreCut: bounds of text and bytes have at most 64 bytes. An upper bound that nothing
// short is above stays whole in the page, and is left out of the metadata of the chunk.
func TestLongBoundsAreCut(t *testing.T) {
	text := schema.MustPrimitive(schema.NewPrimitiveNodeLogical("t", parquet.Repetitions.Required,
		schema.StringLogicalType{}, parquet.Types.ByteArray, 0, -1))
	raw := schema.MustPrimitive(schema.NewPrimitiveNode("b", parquet.Repetitions.Required, parquet.Types.ByteArray, -1,
		0))
	fixed := schema.MustPrimitive(schema.NewPrimitiveNode("f", parquet.Repetitions.Required,
		parquet.Types.FixedLenByteArray, -1, 5000))
	long := func(start string, rest string, n int) []byte {
		return append([]byte(start), bytes.Repeat([]byte(rest), n)...)
	}
	for name, c := range map[string]struct {
		node      schema.Node
		value     []byte
		low, high []byte
	}{
		"short":              {text, []byte("short"), []byte("short"), []byte("short")},
		"64 bytes":           {raw, long("", "\xFF", 64), long("", "\xFF", 64), long("", "\xFF", 64)},
		"ascii":              {text, long("", "a", 5000), long("", "a", 64), append(long("", "a", 63), 'b')},
		"inside a character": {text, long("a", "é", 60), long("a", "é", 31), append(long("a", "é", 30), "ê"...)},
		"before surrogates": {text, long("", "\uD7FF", 30), long("", "\uD7FF", 21),
			append(long("", "\uD7FF", 20), "\uE000"...)},
		"longer if raised": {text, long("", "\x7F", 70), long("", "\x7F", 64),
			append(long("", "\x7F", 62), "\u0080"...)},
		"the last character":   {text, long("", "\U0010FFFF", 30), long("", "\U0010FFFF", 16), nil},
		"the last but for one": {text, long("x", "\U0010FFFF", 30), long("x", "\U0010FFFF", 15), []byte("y")},
		"bytes": {raw, long("", "\xFE\xFF", 60), long("", "\xFE\xFF", 32),
			append(long("", "\xFE\xFF", 31), 0xFF)},
		"all of one":   {raw, long("", "\xFF", 5000), long("", "\xFF", 64), nil},
		"fixed length": {fixed, long("", "a", 5000), long("", "a", 5000), long("", "a", 5000)},
	} {
		column := schema.NewColumn(c.node.(*schema.PrimitiveNode), 0, 0)
		values := c.value
		if column.PhysicalType() == parquet.Types.ByteArray {
			values = append(binary.LittleEndian.AppendUint32(nil, uint32(len(c.value))), c.value...)
		}
		var p PlainBounds
		p.Reset(column)
		found, err := p.OfPage(Plain, slices.Clone(values), 1)
		require.NoError(t, err)
		high := c.high
		if high == nil {
			high = c.value
		}
		want := Bounds{Min: c.low, Max: high, MinInexact: !bytes.Equal(c.low, c.value),
			MaxInexact: !bytes.Equal(high, c.value)}
		require.Equal(t, want, found.Bounds, name)
		if want.Max = c.high; c.high == nil {
			want.MaxInexact = false
		}
		x := Index{Column: column, Entries: []PageLocation{{Statistics: found}}}
		require.Equal(t, want, x.Statistics().Bounds, name)
	}
}

// TestBoundsOfPages: a chunk has the widest bounds of its pages, which are exact where one of the pages has the value.
// A bound that a page lacks is missing, the other one is not.
func TestBoundsOfPages(t *testing.T) {
	column := boundsOf(t, parquet.Types.Double).column
	text := boundsOf(t, parquet.Types.ByteArray).column
	number := func(v float64) []byte { return arrow.GetBytes([]float64{v}) }
	whole := bytes.Repeat([]byte{0xFF}, longestBound+1)
	for name, c := range map[string]struct {
		column *schema.Column
		pages  []Bounds
		want   Bounds
	}{
		"none": {column, nil, Bounds{AllNull: true}},
		"nulls": {column, []Bounds{{AllNull: true, Nulls: 2}, {AllNull: true, Nulls: 3}},
			Bounds{AllNull: true, Nulls: 5}},
		"widest": {column, []Bounds{{AllNull: true, Nulls: 1}, {Min: number(2), Max: number(3)},
			{Min: number(-1), Max: number(1)}}, Bounds{Min: number(-1), Max: number(3), Nulls: 1}},
		"NaN": {column, []Bounds{{Min: number(2), NaNs: 1}, {NaNs: 2}, {Min: number(1), Max: number(9)}},
			Bounds{Min: number(1), NaNs: 3}},
		"NaN with the sign bit": {column, []Bounds{{Min: number(2), Max: number(3)}, {NaNs: 2, NegativeNaN: true}},
			Bounds{NaNs: 2, NegativeNaN: true}},
		"exact in one page": {text, []Bounds{{Min: []byte("a"), Max: []byte("c"), MinInexact: true, MaxInexact: true},
			{Min: []byte("a"), Max: []byte("c")}}, Bounds{Min: []byte("a"), Max: []byte("c")}},
		"inexact": {text, []Bounds{{Min: []byte("b"), Max: []byte("b")},
			{Min: []byte("a"), Max: []byte("c"), MinInexact: true, MaxInexact: true}},
			Bounds{Min: []byte("a"), Max: []byte("c"), MinInexact: true, MaxInexact: true}},
		"not cut": {text, []Bounds{{Min: []byte("b"), Max: whole}, {Min: []byte("a"), Max: []byte("c")}},
			Bounds{Min: []byte("a")}},
		"no order": {text, []Bounds{{}}, Bounds{}},
	} {
		x := Index{Column: c.column}
		for _, b := range c.pages {
			x.Entries = append(x.Entries, PageLocation{Statistics: Statistics{Bounds: b}})
		}
		require.Equal(t, c.want, x.Statistics().Bounds, name)
		lacking := name == "no order"
		require.Equal(t, lacking || c.want.NegativeNaN, c.want.LacksMin(), name)
		require.Equal(t, lacking || c.want.NaNs > 0 || name == "not cut", c.want.LacksMax(), name)
	}
}
