package page

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/cespare/xxhash/v2"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// TestBloomHashes are of the bytes of values, each once; of text without its length.
func TestBloomHashes(t *testing.T) {
	b := NewBloomHashes(boundsOf(t, parquet.Types.ByteArray).column)
	b.Add(plainText("one", "", "one", "one"))
	b.Add(plainText("three"))
	want := []uint64{xxhash.Sum64String("one"), xxhash.Sum64String(""), xxhash.Sum64String("three")}
	slices.Sort(want)
	require.Equal(t, want, b.Distinct())
	require.Empty(t, NewBloomHashes(boundsOf(t, parquet.Types.Int32).column).Distinct())
	b = NewBloomHashes(boundsOf(t, parquet.Types.Int32).column)
	require.Error(t, errkind.Contain(func() error {
		b.Add(make([]byte, 7))
		return nil
	}), "a value that is cut off")
}

// TestBloomHashesOfHalves: a filter of halves has each number as one of 32 bits as well, as which DuckDB looks for it.
func TestBloomHashesOfHalves(t *testing.T) {
	half := schema.MustPrimitive(schema.NewPrimitiveNodeLogical("h", parquet.Repetitions.Required,
		schema.Float16LogicalType{}, parquet.Types.FixedLenByteArray, 2, -1))
	for bits, number := range map[uint16]float32{0x3C00: 1, 0xC100: -2.5, 0x7BFF: 65504, 0x0001: 0x1p-24,
		0x83FF: -0x3FFp-24, 0x7C00: float32(math.Inf(1)), 0xFC00: float32(math.Inf(-1))} {
		b := NewBloomHashes(schema.NewColumn(half, 0, 0))
		b.Add(binary.LittleEndian.AppendUint16(nil, bits))
		want := []uint64{xxhash.Sum64(binary.LittleEndian.AppendUint16(nil, bits)),
			xxhash.Sum64(binary.LittleEndian.AppendUint32(nil, math.Float32bits(number)))}
		slices.Sort(want)
		require.Equal(t, want, b.Distinct(), number)
	}
}

// TestBloomFilterSize: filters of other kinds, of sizes that are no blocks, and bytes that are none have no size.
func TestBloomFilterSize(t *testing.T) {
	filter := append(AppendBloomHeader(nil, 32), make([]byte, 32)...)
	header := len(filter) - 32 // one block
	require.EqualValues(t, len(filter), BloomFilterSize(filter))
	require.EqualValues(t, len(filter), BloomFilterSize(filter[:header]))
	for end := range header {
		require.Zero(t, BloomFilterSize(filter[:end]), end)
	}
	for at, b := range filter[:header] {
		if b == 1<<4|ThriftStruct && filter[at+1] == thriftStop {
			other := bytes.Clone(filter)
			other[at] = 2<<4 | ThriftStruct // another algorithm, hash or compression
			require.Zero(t, BloomFilterSize(other))
		}
	}
	for _, size := range []int{0, 31, 33, MostBloomBytes + 32} {
		var w compactWriter
		w.number(1, size)
		require.Zero(t, BloomFilterSize(append(w.b, filter[2:header]...)))
	}
}
