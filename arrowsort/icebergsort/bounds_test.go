package icebergsort

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/iceberg-go"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/internal/testrun"
)

// The examples of the table format's specification: a decimal is the unscaled value in two's complement, big endian, in
// the fewest bytes.
func TestBoundsOfDecimals(t *testing.T) {
	typ := iceberg.DecimalTypeOf(38, 2)
	for v, want := range map[int64][]byte{
		0: {0}, 1: {1}, -1: {0xff}, 127: {0x7f}, 128: {0, 0x80}, -128: {0x80}, -129: {0xff, 0x7f}, 1420: {0x05, 0x8c},
		math.MaxInt64: {0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		math.MinInt64: {0x80, 0, 0, 0, 0, 0, 0, 0},
	} {
		stored, ok := storedBound(typ, parquet.Types.Int64, binary.LittleEndian.AppendUint64(nil, uint64(v)))
		require.True(t, ok)
		require.Equal(t, want, stored, v)
		wide := append(bytes.Repeat([]byte{byte(v >> 63)}, 8), binary.BigEndian.AppendUint64(nil, uint64(v))...)
		stored, ok = storedBound(typ, parquet.Types.FixedLenByteArray, wide)
		require.True(t, ok)
		require.Equal(t, want, stored, v)
	}
	stored, ok := storedBound(typ, parquet.Types.Int32, binary.LittleEndian.AppendUint32(nil, uint32(0xfffffffe)))
	require.True(t, ok)
	require.Equal(t, []byte{0xfe}, stored)
}

// Whatever is cut off, the bounds hold the value.
func TestTruncatedBoundsHoldTheValue(t *testing.T) {
	text, binaries := iceberg.PrimitiveTypes.String, iceberg.PrimitiveTypes.Binary
	for _, c := range []struct {
		typ         iceberg.Type
		value       string
		most        int
		lower       string
		upper       string
		withoutHigh bool
	}{
		{text, "Chicago", 16, "Chicago", "Chicago", false},
		{text, "Chicago", 7, "Chicago", "Chicago", false},
		{text, "Chicago", 3, "Chi", "Chj", false},
		{text, "größer", 3, "grö", "gr÷", false},
		{text, "a\U0010ffff\U0010ffff", 2, "a\U0010ffff", "b", false},
		{text, "\U0010ffff\U0010ffff", 1, "\U0010ffff", "", true},
		{text, "\ud7ffx", 1, "\ud7ff", "\ue000", false},
		{text, "", 1, "", "", false},
		{binaries, "\x01\xff\x05", 2, "\x01\xff", "\x02", false},
		{binaries, "\xff\xff\x05", 2, "\xff\xff", "", true},
		{iceberg.PrimitiveTypes.UUID, "sixteen letters.", 2, "sixteen letters.", "sixteen letters.", false},
	} {
		require.Equal(t, c.lower, string(truncateLower(c.typ, []byte(c.value), c.most)), "%q", c.value)
		upper, ok := truncateUpper(c.typ, []byte(c.value), c.most)
		require.Equal(t, !c.withoutHigh, ok, "%q", c.value)
		if ok {
			require.Equal(t, c.upper, string(upper), "%q", c.value)
			require.GreaterOrEqual(t, string(upper), c.value)
		}
	}
}

func TestOrderedBytesCompareAsValues(t *testing.T) {
	ints := []int64{math.MinInt64, math.MinInt32, -129, -128, -1, 0, 1, 127, 128, math.MaxInt32, math.MaxInt64}
	floats := []float64{math.Inf(-1), -math.MaxFloat64, -1, -math.SmallestNonzeroFloat64, math.Copysign(0, -1), 0,
		math.SmallestNonzeroFloat64, 1, math.MaxFloat64, math.Inf(1)}
	for _, a := range ints {
		for _, b := range ints {
			want := cmp.Compare(a, b)
			require.Equal(t, want, compareOrdered(iceberg.PrimitiveTypes.Int64, int64Bytes(a), int64Bytes(b)),
				"%d %d", a, b)
			require.Equal(t, want, compareOrdered(iceberg.DecimalTypeOf(38, 0), decimalBytes(a), decimalBytes(b)),
				"%d %d", a, b)
		}
	}
	for _, a := range floats {
		for _, b := range floats {
			require.Equal(t, cmp.Compare(a, b), compareOrdered(iceberg.PrimitiveTypes.Float64,
				int64Bytes(int64(math.Float64bits(a))), int64Bytes(int64(math.Float64bits(b)))), "%g %g", a, b)
		}
	}
	for _, c := range []struct {
		typ   iceberg.Type
		bound []byte
	}{{iceberg.PrimitiveTypes.Int32, []byte{1}}, {iceberg.PrimitiveTypes.Float32, []byte{1}},
		{iceberg.PrimitiveTypes.Float64, nil}, {iceberg.DecimalTypeOf(9, 2), nil},
		{iceberg.DecimalTypeOf(9, 2), make([]byte, 18)}} {
		require.Nil(t, orderedBytes(c.typ, c.bound), "%v", c)
	}
}

func compareOrdered(typ iceberg.Type, a, b []byte) int {
	return bytes.Compare(orderedBytes(typ, a), orderedBytes(typ, b))
}

func int64Bytes(v int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(v)) }

func decimalBytes(v int64) []byte {
	b := new(big.Int).And(big.NewInt(v), new(big.Int).SetUint64(math.MaxUint64)).FillBytes(make([]byte, 8))
	return shortestInteger(b)
}

// The depths are those of a comparison of all spans at all bounds and in all gaps between them.
func TestDepthIsThatOfAllPlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(testrun.Seed(), 1))
	for range testrun.Count(2000, 200) {
		spans := make([]span, rng.IntN(12))
		var bounds []byte
		for i := range spans {
			low := byte(rng.IntN(20))
			spans[i] = span{low: []byte{low}, high: []byte{low + byte(rng.IntN(8))}}
			bounds = append(bounds, spans[i].low[0], spans[i].high[0])
		}
		slices.Sort(bounds)
		bounds = slices.Compact(bounds)
		got := depths(spans)
		for i, s := range spans {
			sum, places, most := 0, 0, 0
			add := func(from, to byte) {
				if from < s.low[0] || to > s.high[0] {
					return
				}
				n := 0
				for _, o := range spans {
					if o.low[0] <= from && o.high[0] >= to {
						n++
					}
				}
				sum, places, most = sum+n, places+1, max(most, n)
			}
			for b, v := range bounds {
				add(v, v)
				if b+1 < len(bounds) {
					add(v, bounds[b+1])
				}
			}
			require.Equal(t, most, got[i].most, "%v", spans)
			require.InDelta(t, float64(sum)/float64(places), got[i].mean, 1e-9, "%v", spans)
		}
	}
}
