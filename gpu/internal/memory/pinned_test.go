package memory

import (
	"bytes"
	"errors"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// heapPages are pages for tests: they count what is out and what is pinned.
type heapPages struct {
	out, pinned  int
	full, frozen bool // there are none; none is pinned
}

func (h *heapPages) get(size int) ([]byte, error) {
	if h.full {
		return nil, errors.New("as told")
	}
	h.out += size
	return make([]byte, size), nil
}
func (h *heapPages) put(b []byte) { h.out -= len(b) }
func (h *heapPages) Pin(b []byte) error {
	if h.frozen {
		return errors.New("as told")
	}
	h.pinned += len(b)
	return nil
}
func (h *heapPages) Unpin(b []byte) error {
	h.pinned -= len(b)
	return nil
}

func TestAllocator(t *testing.T) {
	pages := &heapPages{}
	a := New(pages, pages)
	for _, size := range []int{0, 1, 63, 64, pinnedBytes - 1} {
		b := a.Allocate(size)
		require.Len(t, b, size)
		require.Zero(t, uintptr(unsafe.Pointer(unsafe.SliceData(b)))%alignment)
		a.Free(b)
	}
	require.Zero(t, pages.out, "small memory is ordinary")

	b := a.Allocate(pinnedBytes)
	require.Len(t, b, pinnedBytes)
	copy(b, "begin")
	b = a.Reallocate(1<<20+1, b)
	require.Len(t, b, 1<<20+1)
	require.Equal(t, "begin", string(b[:5]))
	require.Equal(t, pinnedBytes+1<<20+1<<18, pages.out)
	first := &b[0]
	a.Free(b)
	b = a.Allocate(1<<20 + 1000)
	require.Same(t, first, &b[0], "freed memory is used again")

	a.Detach()
	require.Zero(t, pages.pinned)
	a.Attach(pages)
	require.Equal(t, 1<<20+1<<18, pages.pinned)
	a.Free(b)
	a.Trim()
	require.Zero(t, pages.out)
	require.Zero(t, pages.pinned)

	pages.full = true
	require.Panics(t, func() { a.Allocate(1 << 20) })
}

// TestAllocatorUnpinned has memory that is not pinned: for a while there is no device, or the driver refuses.
func TestAllocatorUnpinned(t *testing.T) {
	pages := &heapPages{}
	a := New(pages, pages)
	before := a.Allocate(pinnedBytes)
	a.Detach()
	during := a.Allocate(2 * pinnedBytes)
	spare := a.Allocate(4 * pinnedBytes)
	a.Free(spare)
	a.Detach() // twice does no harm
	require.Zero(t, pages.pinned)
	a.Attach(pages)
	require.Equal(t, 3*pinnedBytes, pages.pinned)
	pages.frozen = true
	refused := a.Allocate(4 * pinnedBytes)
	require.Equal(t, 3*pinnedBytes, pages.pinned)
	a.Free(refused)
	pages.frozen = false
	again := a.Allocate(4 * pinnedBytes)
	require.Same(t, &refused[0], &again[0])
	require.Equal(t, 7*pinnedBytes, pages.pinned, "spare memory is pinned when it is used")
	for _, b := range [][]byte{before, during, again} {
		a.Free(b)
	}
	a.Trim()
	require.Zero(t, pages.pinned)
	require.Zero(t, pages.out)
}

func TestReallocateShrinks(t *testing.T) {
	a := New(&heapPages{}, &heapPages{})
	b := a.Allocate(100_000)
	for i := range b {
		b[i] = byte(i)
	}
	want := bytes.Clone(b)
	for _, size := range []int{99_000, 50_000, 1000, 10} {
		b = a.Reallocate(size, b)
		require.Equal(t, want[:size], b)
	}
	a.Free(b)
	require.Empty(t, a.live)
}

func TestAllocatorConcurrently(t *testing.T) {
	a := New(&heapPages{}, &heapPages{})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i := range 200 {
				b := a.Allocate(pinnedBytes + i*1000)
				b[0], b[len(b)-1] = 1, 2
				a.Free(b)
			}
		})
	}
	group.Wait()
	require.Empty(t, a.live)
}

func TestSizeClass(t *testing.T) {
	for size := 1 << 10; size < 1<<24; size += 997 {
		class := SizeClass(size)
		require.GreaterOrEqual(t, class, size)
		require.LessOrEqual(t, class, size+size/4+1)
		require.Zero(t, class%256, "size %d", size)
		require.Equal(t, class, SizeClass(class))
	}
	require.Zero(t, SizeClass(pinnedBytes)%4096, "whole pages are pinned")
}
