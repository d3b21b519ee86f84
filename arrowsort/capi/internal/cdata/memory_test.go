//go:build capi

package cdata

import (
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

func TestBlocksAreAlignedAndCounted(t *testing.T) {
	before := Bytes()
	m := new(Memory)
	require.Empty(t, m.Allocate(0))
	m.Free(nil)
	for _, size := range []int{2, 63, 64, 65, 4096, large - 1, large, 5 << 20} {
		b := m.Allocate(size)
		require.Len(t, b, size)
		require.Zero(t, uintptr(unsafe.Pointer(&b[0]))%64, size)
		b[0], b[size-1] = 1, 2
		require.Equal(t, before+int64(size), Bytes())
		short := m.Reallocate(size/2, b)
		require.Len(t, short, size/2)
		grown := m.Reallocate(3*size, short)
		require.Equal(t, byte(1), grown[0])
		require.Equal(t, before+3*int64(size), Bytes())
		m.Free(grown[:1])
		require.Equal(t, before, Bytes())
	}
}

func TestMemoryHasALimit(t *testing.T) {
	m := &Memory{Limit: 1000}
	a := m.Allocate(600)
	require.ErrorIs(t, Contain(func() error { m.Allocate(401); return nil }), errkind.ErrMemory)
	require.ErrorIs(t, Contain(func() error { m.Allocate(1 << 62); return nil }), errkind.ErrMemory)
	require.ErrorIs(t, Contain(func() error { new(Memory).Allocate(1 << 62); return nil }), errkind.ErrMemory)
	m.Free(m.Allocate(400))
	m.Free(a)
	m.Free(m.Allocate(1000))
}

// TestLargeBlocksAreKeptForAWhile and then freed, also those that were in use at that time.
func TestLargeBlocksAreKeptForAWhile(t *testing.T) {
	defer func(before time.Duration) { idle = before }(idle)
	idle = 100 * time.Millisecond
	m := new(Memory)
	first := m.Allocate(3 * large)
	m.Free(first)
	again := m.Allocate(3 * large)
	require.Same(t, &first[0], &again[0])
	other := m.Allocate(large)
	m.Free(other)
	require.Eventually(t, func() bool {
		kept.Lock()
		defer kept.Unlock()
		return kept.Recycler == nil
	}, 20*time.Second, 10*time.Millisecond)
	forget() // as after a race of the timer with a call
	again[3*large-1] = 1
	m.Free(again)
}
