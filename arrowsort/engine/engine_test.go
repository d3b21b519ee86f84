package engine_test

import (
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
)

// stingy is an allocator that gives too little.
type stingy struct {
	memory.Allocator
	give func(mem memory.Allocator, n int) []byte
}

func (s stingy) Allocate(n int) []byte { return s.give(s.Allocator, n) }

func TestAllocateReportsFailure(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	for text, give := range map[string]func(memory.Allocator, int) []byte{
		"engine: out of memory: the allocator returned 0 of 8 bytes": func(memory.Allocator, int) []byte { return nil },
		"engine: out of memory: the allocator returned 7 of 8 bytes": func(mem memory.Allocator,
			n int) []byte {
			return mem.Allocate(n - 1)
		},
		"engine: out of memory: allocating 8 bytes: full": func(memory.Allocator,
			int) []byte {
			panic("full")
		},
		"engine: out of memory: 8 bytes more than there are": func(memory.Allocator, int) []byte {
			panic(fmt.Errorf("%w: 8 bytes more than there are", engine.ErrMemory))
		},
	} {
		b, err := engine.Allocate(stingy{mem, give}, 8)
		require.Nil(t, b)
		require.ErrorIs(t, err, engine.ErrMemory)
		require.EqualError(t, err, text)
	}
	b, err := engine.Allocate(mem, 8)
	require.NoError(t, err)
	require.Len(t, b, 8)
	mem.Free(b)
}
