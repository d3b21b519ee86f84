package allocators

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

func TestLimiterPanicsAboveItsLimit(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	l := NewLimiter(mem, 1000, errkind.ErrLimit)
	a := l.Allocate(600)
	require.ErrorIs(t, errkind.Contain(func() error { l.Allocate(401); return nil }), errkind.ErrLimit)
	require.ErrorIs(t, errkind.Contain(func() error { l.Allocate(1 << 60); return nil }), errkind.ErrLimit)
	b := l.Allocate(400)
	l.Free(a)
	b = l.Reallocate(900, b)
	require.ErrorIs(t, errkind.Contain(func() error { l.Reallocate(1001, b); return nil }), errkind.ErrLimit)
	l.Free(b)
	require.Zero(t, l.used.Load())
}
