package page

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

func plainTexts(texts ...string) (plain []byte) {
	for _, t := range texts {
		plain = append(binary.LittleEndian.AppendUint32(plain, uint32(len(t))), t...)
	}
	return plain
}

// TestEncodingsOfTheFormat are the examples of Encodings.md in parquet-format, in blocks of the size that is written.
func TestEncodingsOfTheFormat(t *testing.T) {
	zeros := func(n int) string { return string(make([]byte, n)) }
	deltas := "\x80\x01\x04\x08\x0e" + "\x03\x02\x00\x00\x00" + "\xc0\x3f" + zeros(6)
	lengths := "\x80\x01\x04\x04\x08" + "\x00\x02\x00\x00\x00" + "\x28" + zeros(7)
	prefixes := "\x80\x01\x04\x04\x00" + "\x03\x03\x00\x00\x00" + "\x44\x01" + zeros(10)
	suffixes := "\x80\x01\x04\x04\x08" + "\x03\x03\x00\x00\x00" + "\x70" + zeros(11)
	texts := plainTexts("axis", "axle", "babble", "babyhood")
	for _, c := range []struct {
		encoding, values int
		typ              parquet.Type
		plain            []byte
		want             string
	}{
		{DeltaBinaryPacked, 8, parquet.Types.Int64, arrow.GetBytes([]int64{7, 5, 3, 1, 2, 3, 4, 5}), deltas},
		{DeltaBinaryPacked, 8, parquet.Types.Int32, arrow.GetBytes([]int32{7, 5, 3, 1, 2, 3, 4, 5}), deltas},
		{DeltaLengthByteArray, 4, parquet.Types.ByteArray, texts, lengths + "axisaxlebabblebabyhood"},
		{DeltaByteArray, 4, parquet.Types.ByteArray, texts, prefixes + suffixes + "axislebabbleyhood"},
		{ByteStreamSplit, 3, parquet.Types.Float, []byte("\xaa\xbb\xcc\xdd\x00\x11\x22\x33\xa3\xb4\xc5\xd6"),
			"\xaa\x00\xa3\xbb\x11\xb4\xcc\x22\xc5\xdd\x33\xd6"},
	} {
		got := new(Writer).AppendValues(nil, c.encoding, c.typ, c.plain)
		require.Equal(t, c.want, string(got), "encoding %d of %s", c.encoding, c.typ)
	}
}

// roundTrip encodes plain values and decodes them again.
func roundTrip(t *testing.T, encoding int, typ parquet.Type, plain []byte, n int) {
	mem := arrowtest.Checked(t)
	s := NewBuffers(mem)
	defer s.Release()
	encoded := new(Writer).AppendValues([]byte("levels"), encoding, typ, plain)[len("levels"):]
	got, err := s.PlainValues(withSpare(encoded), n, encoding, typ)
	require.NoError(t, err)
	require.Equal(t, len(plain), len(got))
	require.Equal(t, string(plain), string(got))
}

// TestIntegersOfEveryWidth have differences of every number of bits, as many as a miniblock or a block has, one more
// and one less.
func TestIntegersOfEveryWidth(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 31, 32, 33, 34, 127, 128, 129, 130, 257, 1000} {
		for width := range 65 {
			wide, narrow := make([]int64, n), make([]int32, n)
			for i := range wide {
				delta := int64(r.Uint64() & (1<<width - 1))
				if i > 0 {
					wide[i], narrow[i] = wide[i-1]+delta, narrow[i-1]+int32(delta)
				}
			}
			for _, e := range []int{DeltaBinaryPacked, ByteStreamSplit} {
				roundTrip(t, e, parquet.Types.Int64, arrow.GetBytes(wide), n)
				roundTrip(t, e, parquet.Types.Int32, arrow.GetBytes(narrow), n)
			}
		}
	}
}

// TestDifferencesWrap in the width of the values: they pass that of the type.
func TestDifferencesWrap(t *testing.T) {
	wide := []int64{math.MaxInt64, math.MinInt64, 0, math.MaxInt64, -1, math.MinInt64, math.MaxInt64, 1}
	roundTrip(t, DeltaBinaryPacked, parquet.Types.Int64, arrow.GetBytes(wide), len(wide))
	narrow := []int32{math.MaxInt32, math.MinInt32, 0, math.MaxInt32, -1, math.MinInt32, math.MaxInt32, 1}
	roundTrip(t, DeltaBinaryPacked, parquet.Types.Int32, arrow.GetBytes(narrow), len(narrow))
	encoded := new(Writer).AppendValues(nil, DeltaBinaryPacked, parquet.Types.Int32, arrow.GetBytes(narrow))
	require.LessOrEqual(t, int(encoded[len("\x80\x01\x04\x08")+5+5]), 32, "bits of a difference of 32 bits")
}

func TestTextsAsDifferences(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, texts := range [][]string{nil, {""}, {"", "", ""}, {"a"}, {"a", ""}, {"", "a"}, {"same", "same"},
		{"longer than eight", "longer than eighty"}, {"longer than eight", "longer"}, {"\x00", "\x00\xff", "\xff"}} {
		for _, e := range []int{DeltaLengthByteArray, DeltaByteArray} {
			roundTrip(t, e, parquet.Types.ByteArray, plainTexts(texts...), len(texts))
		}
	}
	for range 100 {
		texts := make([]string, r.IntN(300))
		for i := range texts {
			b := make([]byte, r.IntN(20))
			for j := range b {
				b[j] = byte(r.IntN(2))
			}
			texts[i] = string(b)
		}
		for _, e := range []int{DeltaLengthByteArray, DeltaByteArray} {
			roundTrip(t, e, parquet.Types.ByteArray, plainTexts(texts...), len(texts))
		}
	}
}

// TestBlocksOfOtherWriters may have more values and miniblocks, and any width for miniblocks without values.
func TestBlocksOfOtherWriters(t *testing.T) {
	s := NewBuffers(memory.DefaultAllocator)
	defer s.Release()
	block := "\x80\x02\x02\x03\x02" + "\x02" + "\x01\x3f" + "\x02" + string(make([]byte, 15)) // 2 miniblocks
	got, err := s.PlainValues(withSpare([]byte(block)), 3, DeltaBinaryPacked, parquet.Types.Int64)
	require.NoError(t, err)
	require.Equal(t, []int64{1, 2, 4}, arrow.GetData[int64](got))
}

// TestBrokenPagesOfDifferences are errors, whatever is cut off or wrong.
func TestBrokenPagesOfDifferences(t *testing.T) {
	s := NewBuffers(memory.DefaultAllocator)
	defer s.Release()
	numbers := make([]int64, 200)
	for i := range numbers {
		numbers[i] = int64(i*i) << (i % 40)
	}
	for _, c := range []struct {
		encoding, values int
		typ              parquet.Type
		plain            []byte
	}{
		{DeltaBinaryPacked, 200, parquet.Types.Int64, arrow.GetBytes(numbers)},
		{ByteStreamSplit, 200, parquet.Types.Double, arrow.GetBytes(numbers)},
		{DeltaLengthByteArray, 3, parquet.Types.ByteArray, plainTexts("abc", "abd", "x")},
		{DeltaByteArray, 3, parquet.Types.ByteArray, plainTexts("abc", "abd", "x")},
	} {
		whole := new(Writer).AppendValues(nil, c.encoding, c.typ, c.plain)
		for size := range whole {
			_, err := s.PlainValues(withSpare(whole[:size:size]), c.values, c.encoding, c.typ)
			require.ErrorIs(t, err, errkind.ErrCorrupt, "encoding %d cut after %d bytes", c.encoding, size)
		}
		_, err := s.PlainValues(withSpare(whole[:len(whole):len(whole)]), c.values+1, c.encoding, c.typ)
		require.ErrorIs(t, err, errkind.ErrCorrupt)
		for i := range whole { // any change is an error or other values, and no panic
			broken := append([]byte(nil), whole...)
			broken[i] ^= 0xFF
			if _, err := s.PlainValues(withSpare(broken), c.values, c.encoding, c.typ); err != nil {
				require.ErrorIs(t, err, errkind.ErrCorrupt)
			}
		}
	}
	for name, header := range map[string]string{"no block": "\x00\x01\x02\x00", "no miniblock": "\x80\x01\x00\x02\x00",
		"miniblocks of 16": "\x80\x01\x08\x02\x00", "a block of 2^21": "\x80\x80\x80\x01\x04\x02\x00"} {
		_, err := s.PlainValues(withSpare([]byte(header+"\x00\x00\x00\x00\x00")), 2, DeltaBinaryPacked,
			parquet.Types.Int64)
		require.ErrorIs(t, err, errkind.ErrCorrupt, name)
	}
}
