package difftest

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// FuzzMergeAndSearch searches the space of values, as FuzzValues does, of the parts that are merged, of their records
// in a stream, and of the values that are searched.
func FuzzMergeAndSearch(f *testing.F) {
	f.Add([]byte{0}, uint64(0))
	f.Add([]byte{1, 0, 1, 1, 2, 6, 255, 255, 255, 255, 255, 255, 255, 127, 6, 0, 0, 0, 0, 0, 0, 0, 128}, uint64(1))
	f.Add([]byte("2\x02\x01\x01\x03\x0B\x00 strings, and numbers between them, some of them twice, twice"), uint64(2))
	f.Fuzz(func(t *testing.T, input []byte, seed uint64) {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		defer mem.AssertSize(t, 0)
		tab := tableOf(input)
		defer tab.release()
		r := rand.New(rand.NewPCG(seed, 3))
		opts := arrowsort.Options{Allocator: mem, Threads: r.IntN(3)}
		require.NoError(t, tab.checkMerge(t, r, opts), tab.text)
		require.NoError(t, tab.checkSearch(t, r, opts), tab.text)
	})
}
