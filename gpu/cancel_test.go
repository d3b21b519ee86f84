//go:build cuda && standin && linux && amd64

package gpu

import (
	"context"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/arrowsort/arrowsort/internal/testrun"
)

// guardedMemory is pinned memory that nobody can read or write from when it is freed until the sort has returned. The
// stand-in copies late: a copy from or to freed memory ends the test with a fault.
type guardedMemory struct {
	t     *testing.T
	mem   *Allocator
	freed [][]byte
	live  int
}

func (g *guardedMemory) Allocate(n int) []byte {
	g.live++
	return g.mem.Allocate(n)
}

func (g *guardedMemory) Reallocate(int, []byte) []byte { panic("a sort reallocates") }

func (g *guardedMemory) Free(b []byte) {
	g.live--
	if len(b) >= 32<<10 { // pages of the system
		b = b[:cap(b)]
		require.NoError(g.t, unix.Mprotect(b, unix.PROT_NONE))
	}
	g.freed = append(g.freed, b)
}

// returned gives freed memory back to the allocator.
func (g *guardedMemory) returned() {
	for _, b := range g.freed {
		if len(b) >= 32<<10 {
			require.NoError(g.t, unix.Mprotect(b, unix.PROT_READ|unix.PROT_WRITE))
		}
		g.mem.Free(b)
	}
	g.freed = nil
}

// TestCancelledAnywhere cancels sorts each time that they ask: they return the error of the context and all memory,
// which no copy uses any more.
func TestCancelledAnywhere(t *testing.T) {
	e := openForTest(t, useEverything)
	e.tuning.DirectBytes, e.tuning.SelectRows = 1, 1
	const rows = 10_000
	mem := &guardedMemory{t: t, mem: e.Allocator()}
	columns := roomJobs(rows)[0].Columns
	for _, c := range []struct {
		keys  []int
		limit int
	}{
		{[]int{7}, 0}, {[]int{9}, 0}, {[]int{8, 6}, 0}, {[]int{1}, 0}, {[]int{0, 2}, 0},
		{[]int{8, 7}, rows / 8}, {[]int{3, 1}, rows / 8},
	} {
		job := roomJob(columns, c.keys, []int{0, 1, 4, 6})
		job.Limit = c.limit
		want, err := e.Sort(t.Context(), job, goMemory{})
		require.NoError(t, err)
		for asked, cancelled := 0, true; cancelled; asked++ {
			if !testrun.Share(4, c, asked) {
				continue
			}
			got, err := e.Sort(newAskedContext(t.Context(), asked), job, mem)
			mem.returned()
			if cancelled = err != nil; cancelled {
				require.ErrorIs(t, err, context.Canceled, "%v, asked %d times", c, asked)
				require.Zero(t, mem.live, "%v, asked %d times", c, asked)
				continue
			}
			require.True(t, reflect.DeepEqual(want, got), "%v", c)
			got.Release(mem)
			mem.returned()
		}
	}
}
