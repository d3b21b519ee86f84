package scatter

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/internal/testrun"
)

// TestStringCombiner moves strings of many lengths to bins that begin anywhere, and compares with copies one by one:
// every byte of the destination, also those that no string takes.
func TestStringCombiner(t *testing.T) {
	for _, longest := range []int{1, 7, 40, 63, 64, 65, 300, 2000} {
		for _, count := range []int{1, 7, 300} {
			t.Run(fmt.Sprintf("longest=%d/bins=%d", longest, count), func(t *testing.T) {
				testStringCombiner(t, longest, count)
			})
		}
	}
}

func testStringCombiner(t *testing.T, longest, count int) {
	r := rand.New(rand.NewPCG(testrun.Seed(), uint64(longest*count)))
	src := make([]byte, 3*longest)
	for i := range src {
		src[i] = byte(r.Uint32())
	}
	type text struct{ bin, from, n int }
	texts, sizes := make([]text, 3000), make([]int, count)
	for i := range texts {
		texts[i] = text{r.IntN(count), r.IntN(2 * longest), r.IntN(longest + 1)}
		sizes[texts[i].bin] += texts[i].n
	}
	first, next, end := make([]int, count), make([]int, count), 0
	for bin, n := range sizes {
		end += r.IntN(3) * r.IntN(200) // bytes of others, before those of the bin
		first[bin], next[bin], end = end, end, end+n
	}
	want, got := make([]byte, end+1000), alignedBytes(end+1000)
	for i := range want {
		want[i], got[i] = 0xee, 0xee
	}
	w := NewStringCombiner(make([]byte, StringBufferBytes(count)))
	for _, s := range texts {
		from := src[s.from:]
		if r.IntN(2) == 0 {
			from = from[:s.n] // nothing after it
		}
		copy(want[next[s.bin]:], from[:s.n])
		w.Add(got, s.bin, first[s.bin], next[s.bin], from, s.n)
		next[s.bin] += s.n
	}
	for bin := range sizes {
		w.End(got, bin, first[bin], next[bin])
	}
	w.Fence()
	require.Equal(t, want, got)
}
