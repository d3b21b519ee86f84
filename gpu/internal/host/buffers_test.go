package host

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

func TestBuffers(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	b := &Buffers{Mem: mem}
	none, err := b.Bytes(0)
	require.NoError(t, err)
	require.Nil(t, none)
	kept, err := b.Bytes(100)
	require.NoError(t, err)
	words, err := Words[uint64](b, 10)
	require.NoError(t, err)
	require.Len(t, words, 10)
	_, err = Words[uint32](b, 7)
	require.NoError(t, err)
	b.Free(buffers.Bytes(words))
	b.Keep(kept)
	require.Equal(t, 100+28, mem.CurrentAlloc())
	b.Release()
	require.Equal(t, 100, mem.CurrentAlloc())
	mem.Free(kept)
	b.Release()
}

// broken fails in one of three ways.
type broken struct {
	memory.Allocator
	how string
}

func (b broken) Allocate(size int) []byte {
	switch b.how {
	case "nil":
		return nil
	case "short":
		return b.Allocator.Allocate(size - 1)
	}
	panic("no memory")
}

func TestBuffersOfABrokenAllocator(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	for _, how := range []string{"nil", "short", "panic"} {
		b := &Buffers{Mem: broken{mem, how}}
		_, err := b.Bytes(10)
		require.ErrorIs(t, err, engine.ErrMemory, how)
		b.Release()
	}
}
