package arena

import (
	"context"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// TestManyBuffersAreKept: the time is linear in the columns of a result; if it were quadratic, this would take minutes.
func TestManyBuffersAreKept(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	a := New(t.Context(), mem)
	all := make([][]byte, 200_000)
	for i := range all {
		all[i] = mem.Allocate(1)
		a.live = append(a.live, all[i])
	}
	temporary := a.live[1]
	for i, buf := range all {
		if i != 1 {
			a.Keep(buf)
		}
	}
	require.Equal(t, [][]byte{temporary}, a.live)
	a.Release()
	for i, buf := range all {
		if i != 1 {
			mem.Free(buf)
		}
	}
}

// TestArena: buffers that are kept and freed are spared, the others are released; nil and none are no buffers.
func TestArena(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	a := New(t.Context(), mem)
	none, err := a.Bytes(0)
	require.NoError(t, err)
	require.Nil(t, none)
	a.Free(none)
	a.Keep(nil)
	kept, err := a.Bytes(100)
	require.NoError(t, err)
	freed, err := Slice[uint64](a, 10)
	require.NoError(t, err)
	require.Len(t, freed, 10)
	_, err = a.Bytes(1000)
	require.NoError(t, err)
	kept, err = a.Shrink(kept, 50)
	require.NoError(t, err)
	require.Len(t, kept, 50)
	a.Keep(kept)
	a.Free(buffers.Bytes(freed))
	require.Equal(t, 50+1000, mem.CurrentAlloc())
	a.Release()
	require.Equal(t, 50, mem.CurrentAlloc())
	mem.Free(kept)
	mem.AssertSize(t, 0)
}

// broken is an allocator that panics when it shrinks memory.
type broken struct{ memory.Allocator }

func (broken) Reallocate(int, []byte) []byte { panic("broken") }

// TestArenaFails: an allocator that fails is an error, and so is an allocation after the end of the context.
func TestArenaFails(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	a := New(ctx, broken{memory.NewGoAllocator()})
	_, err := Slice[uint32](a, 1<<61)
	require.ErrorIs(t, err, engine.ErrMemory)
	b, err := a.Bytes(100)
	require.NoError(t, err)
	_, err = a.Shrink(b, 50)
	require.ErrorIs(t, err, engine.ErrMemory)
	cancel()
	_, err = a.Bytes(100)
	require.ErrorIs(t, err, context.Canceled)
	_, err = a.Shrink(b, 50)
	require.ErrorIs(t, err, context.Canceled)
}
