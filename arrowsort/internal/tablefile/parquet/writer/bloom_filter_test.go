package writer

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/cespare/xxhash/v2"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// leafOf returns a leaf column of a type.
func leafOf(typ parquet.Type) *schema.Column {
	node := schema.MustPrimitive(schema.NewPrimitiveNode("x", parquet.Repetitions.Required, typ, -1, 0))
	return schema.NewColumn(node, 0, 0)
}

// contains looks up a value as BloomFilter.md of parquet-format defines it: eight bits of one block of 256.
func contains(t *testing.T, filter []byte, value []byte) bool {
	size := page.BloomFilterSize(filter[:min(len(filter), page.BloomHeader)])
	require.EqualValues(t, len(filter), size)
	header := 0
	for ; (len(filter)-header)&(len(filter)-header-1) != 0; header++ { // the bits are a power of 2
	}
	bits, h := filter[header:], xxhash.Sum64(value)
	block := (h >> 32) * uint64(len(bits)/32) >> 32
	for i, salt := range []uint32{0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947,
		0x5c6bfb31} {
		word := binary.LittleEndian.Uint32(bits[block*32+uint64(i)*4:])
		if word>>(uint32(h)*salt>>27)&1 == 0 {
			return false
		}
	}
	return true
}

// TestBloomFilters have all values, few of the others, and about the size that the number of different values asks for.
func TestBloomFilters(t *testing.T) {
	column := leafOf(parquet.Types.Int64)
	for _, n := range []int{0, 1, 2, 100, 5000, 100_000} {
		for _, falsePositives := range []float64{0.5, 0.01, 1e-4} {
			b := page.NewBloomHashes(column)
			for i := range n {
				b.Add(arrow.GetBytes([]int64{int64(i), int64(i), int64(i / 2)})) // repeated, also later
			}
			filter := newBloomFilter(b, falsePositives)
			for i := range n {
				require.True(t, contains(t, filter, arrow.GetBytes([]int64{int64(i)})))
			}
			const probes = 20_000
			found := 0
			for i := range probes {
				if contains(t, filter, arrow.GetBytes([]int64{int64(-1 - i)})) {
					found++
				}
			}
			require.LessOrEqual(t, float64(found), 1.3*falsePositives*probes+10, "%d values, %v", n, falsePositives)
			bits := -8 * float64(n) / math.Log(1-math.Pow(falsePositives, 1.0/8))
			require.LessOrEqual(t, float64(len(filter)), max(2*bits/8, 32)+page.BloomHeader)
		}
	}
}

// TestBloomFiltersOfText are of the bytes without their length, empty ones included.
func TestBloomFiltersOfText(t *testing.T) {
	b := page.NewBloomHashes(leafOf(parquet.Types.ByteArray))
	b.Add([]byte("\x03\x00\x00\x00one\x00\x00\x00\x00\x05\x00\x00\x00three"))
	filter := newBloomFilter(b, 1e-6)
	for text, there := range map[string]bool{"one": true, "": true, "three": true, "two": false, "on": false} {
		require.Equal(t, there, contains(t, filter, []byte(text)), text)
	}
}

// TestBloomFiltersOfZerosAndNaNs: a reader that looks for a zero wants both, and one that looks for NaN any of them.
func TestBloomFiltersOfZerosAndNaNs(t *testing.T) {
	negative := math.Copysign(0, -1)
	payload := math.Float64frombits(0xFFF8000000000123)
	double := func(v float64) []byte { return arrow.GetBytes([]float64{v}) }
	float := func(v float64) []byte { return arrow.GetBytes([]float32{float32(v)}) }
	for typ, bytesOf := range map[parquet.Type]func(float64) []byte{parquet.Types.Double: double,
		parquet.Types.Float: float} {
		for _, c := range []struct {
			values    []float64
			zero, nan bool
		}{{[]float64{1, 2}, false, false}, {[]float64{0}, true, false}, {[]float64{negative, 3}, true, false},
			{[]float64{payload}, false, true}, {[]float64{math.NaN(), negative}, true, true}} {
			b := page.NewBloomHashes(leafOf(typ))
			for _, v := range c.values {
				b.Add(bytesOf(v))
			}
			filter := newBloomFilter(b, 1e-6)
			for _, v := range c.values {
				require.True(t, contains(t, filter, bytesOf(v)))
			}
			for _, zero := range []float64{0, negative} {
				require.Equal(t, c.zero, contains(t, filter, bytesOf(zero)), "%v in %v", zero, c.values)
			}
			for _, nan := range []uint64{0x7FF8000000000000, 0xFFF8000000000000} {
				v := math.Float64frombits(nan)
				require.Equal(t, c.nan, contains(t, filter, bytesOf(v)), "%x in %v", nan, c.values)
			}
		}
	}
}
