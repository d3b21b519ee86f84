package gpu

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
	out, pinned int
	full        bool
}

func (h *heapPages) get(size int) ([]byte, error) {
	if h.full {
		return nil, errors.New("as told")
	}
	h.out, h.pinned = h.out+size, h.pinned+size
	return make([]byte, size), nil
}
func (h *heapPages) put(b []byte)       { h.out -= len(b) }
func (h *heapPages) pin(b []byte) error { h.pinned += len(b); return nil }
func (h *heapPages) unpin(b []byte)     { h.pinned -= len(b) }

func TestAllocator(t *testing.T) {
	pages := &heapPages{}
	a := newAllocator(pages)
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

	a.detach()
	require.Zero(t, pages.pinned)
	a.attach(pages)
	require.Equal(t, 1<<20+1<<18, pages.pinned)
	a.Free(b)
	a.Trim()
	require.Zero(t, pages.out)
	require.Zero(t, pages.pinned)

	pages.full = true
	require.Panics(t, func() { a.Allocate(1 << 20) })
}

func TestReallocateShrinks(t *testing.T) {
	a := newAllocator(&heapPages{})
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
	a := newAllocator(&heapPages{})
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
