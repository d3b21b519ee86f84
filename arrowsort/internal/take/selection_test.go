package take

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// randomSpans is spans of a chunk of 1,000 rows, and the rows they name.
func randomSpans(rng *rand.Rand, n int) (s spans[int32], rows []uint64) {
	s.ends = append(s.ends, 0)
	for range n {
		length, start := rng.IntN(40)*rng.IntN(2), uint64(rng.IntN(900))
		s.starts = append(s.starts, start)
		s.ends = append(s.ends, s.ends[len(s.ends)-1]+int32(length))
		for k := range length {
			rows = append(rows, start+uint64(k))
		}
	}
	return s, rows
}

func TestSpansAndGroupsYieldTheirRowsFromAnywhere(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 200 {
		s, rows := randomSpans(rng, 1+rng.IntN(30))
		if len(rows) == 0 {
			continue
		}
		size := 1 + rng.IntN(5)
		g := groups{s, size}
		var grouped []uint64
		for _, r := range rows {
			for k := range size {
				grouped = append(grouped, r*uint64(size)+uint64(k))
			}
		}
		require.Equal(t, len(grouped), g.len())
		for range 50 {
			lo := rng.IntN(len(rows))
			hi := lo + 1 + rng.IntN(len(rows)-lo)
			require.Equal(t, rows[lo:hi], s.at(lo, hi, make([]uint64, hi-lo)))
			lo = rng.IntN(len(grouped))
			hi = lo + 1 + rng.IntN(len(grouped)-lo)
			require.Equal(
				t, grouped[lo:hi], g.at(lo, hi, make([]uint64, hi-lo)), "size %d, rows %d to %d", size, lo, hi,
			)
		}
	}
}

// Copying a range must leave the bytes around it alone: other goroutines write there.
func TestSpansCopyStaysInItsRange(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for range 300 {
		s, rows := randomSpans(rng, 1+rng.IntN(30))
		if len(rows) == 0 {
			continue
		}
		width := 1 + rng.IntN(9)
		src := make([]byte, 1000*width)
		for i := range src {
			src[i] = byte(rng.IntN(255))
		}
		want := make([]byte, len(rows)*width)
		for i := range want {
			want[i] = 255
		}
		got := append([]byte(nil), want...)
		lo := rng.IntN(len(rows))
		hi := lo + 1 + rng.IntN(len(rows)-lo)
		for i := lo; i < hi; i++ {
			copy(want[i*width:(i+1)*width], src[int(rows[i])*width:])
		}
		s.copy(got, [][]byte{src}, width, lo, hi)
		require.Equal(t, want, got, "width %d, rows %d to %d", width, lo, hi)
	}
}
