package enginetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A guard is an allocator that watches its caller: it fills fresh and freed memory with a pattern, records every live
// buffer by its first byte and length, and notices two calls at once. It can fail on request.
type guard struct {
	failAt int    // the call to Allocate or Reallocate, counted from 1, that fails; 0: none
	panics bool   // fail by a panic rather than by nil
	quick  bool   // leave memory as it is: where time is measured
	onCall func() // before every call, when set

	busy  atomic.Bool
	mutex sync.Mutex
	calls int
	live  map[*byte]int
	bad   []string // what the caller did wrong
}

func newGuard() *guard { return &guard{live: map[*byte]int{}} }

func (g *guard) enter() (leave func()) {
	overlap := !g.busy.CompareAndSwap(false, true)
	g.mutex.Lock()
	if overlap {
		g.bad = append(g.bad, "the allocator was called from two goroutines at once")
	}
	return func() {
		g.mutex.Unlock()
		g.busy.Store(false)
	}
}

func (g *guard) Allocate(size int) []byte {
	defer g.enter()()
	return g.allocate(size)
}

func (g *guard) allocate(size int) []byte {
	if g.onCall != nil {
		g.onCall()
	}
	g.calls++
	if g.calls == g.failAt {
		if g.panics {
			panic("enginetest: no memory, as requested")
		}
		return nil
	}
	// One spare block before cache-line alignment, and a byte so that empty buffers have an address.
	raw := make([]byte, size+64+1)
	shift := -int(uintptr(unsafe.Pointer(unsafe.SliceData(raw)))) & 63 // Arrow promises buffers aligned to 64 bytes
	b := raw[shift : shift+size : shift+size+1]
	g.fill(b, 0xA5)
	g.live[unsafe.SliceData(b)] = size
	return b
}

func (g *guard) Reallocate(size int, b []byte) []byte {
	defer g.enter()()
	fresh := g.allocate(size)
	if fresh != nil {
		copy(fresh, b)
		g.free(b)
	}
	return fresh
}

func (g *guard) Free(b []byte) {
	defer g.enter()()
	g.free(b)
}

func (g *guard) free(b []byte) {
	size, known := g.live[unsafe.SliceData(b)]
	switch {
	case !known:
		g.bad = append(g.bad, fmt.Sprintf("freed %d bytes that were not allocated, or freed before", len(b)))
		return
	case size != len(b):
		g.bad = append(g.bad, fmt.Sprintf("freed %d bytes of a buffer of %d", len(b), size))
	}
	delete(g.live, unsafe.SliceData(b))
	g.fill(b, 0x5A)
}

func (g *guard) fill(b []byte, pattern byte) {
	if g.quick || len(b) == 0 {
		return
	}
	b[0] = pattern
	for done := 1; done < len(b); done *= 2 {
		copy(b[done:], b[:done])
	}
}

// check reports what the caller did wrong; all buffers have to be back.
func (g *guard) check() error {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if len(g.bad) > 0 {
		return fmt.Errorf("%d faults with the allocator, the first: %s", len(g.bad), g.bad[0])
	}
	if len(g.live) > 0 {
		total := 0
		for _, size := range g.live {
			total += size
		}
		return fmt.Errorf("%d buffers with %d bytes in all were not given back", len(g.live), total)
	}
	return nil
}

// busy is a job that needs everything: several keys of more than 64 bits, strings, nulls, all outputs.
func busy(rows int) *engine.Job {
	job := scenario{
		seed: 12, rows: rows,
		keys: []keySpec{
			{columnSpec: columnSpec{kind: keyencode.Int64, dist: plain[8], nulls: 0.1}},
			{columnSpec: columnSpec{kind: keyencode.Float64, dist: uniform, nulls: 0.1}, order: keyencode.Descending},
		},
		payload: []columnSpec{
			rowID, {kind: keyencode.Binary, dist: uniform, style: 3, nulls: 0.1},
			{kind: keyencode.Bool, dist: uniform, nulls: 0.1},
		},
	}.job()
	return wanting(job, 8, allColumns(job)...)
}

// testMemory lets every single allocation fail, by nil and by a panic.
func testMemory(t *testing.T, e suite) {
	const enough = 10_000 // allocations; no engine should need more
	for _, rows := range e.sizes(30, 3000, 70_000, 300_000) {
		job := busy(rows)
		for _, panics := range []bool{false, true} {
			for failAt := 1; ; failAt++ {
				require.Less(t, failAt, enough, "%d rows: the engine still asks for memory", rows)
				mem := newGuard()
				mem.failAt, mem.panics = failAt, panics
				res, err := e.Sort(t.Context(), job, mem)
				if mem.calls < failAt {
					require.NoError(t, err, "%d rows, no allocation failed", rows)
					res.Release(mem)
					require.NoError(t, mem.check(), "%d rows", rows)
					break
				}
				require.ErrorIs(
					t, err, engine.ErrMemory, "%d rows, allocation %d fails, by panic: %v", rows, failAt, panics,
				)
				require.Nil(t, res, "%d rows, allocation %d fails", rows, failAt)
				require.NoError(t, mem.check(), "%d rows, allocation %d fails, by panic: %v", rows, failAt, panics)
				if failAt > 40 {
					failAt += failAt / 8
				}
			}
		}
	}
}
