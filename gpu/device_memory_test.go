//go:build cuda && standin && linux && amd64

package gpu

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A countedMemory is a program's hook: it allocates by the driver up to a number of bytes.
type countedMemory struct {
	*driver.Context
	blocks       map[uint64]int
	bytes, most  int
	streams      map[uintptr]bool
	misaligned   bool
	freed, given int
}

func (m *countedMemory) Allocate(bytes int, stream uintptr) (uint64, error) {
	if m.bytes+bytes > m.most {
		return 0, fmt.Errorf("the program has no %d bytes", bytes)
	}
	p, err := m.Alloc(bytes)
	if err != nil {
		return 0, err
	}
	address := uint64(p)
	if m.misaligned {
		address++
	}
	m.given++
	m.bytes += bytes
	m.blocks[address], m.streams[stream] = bytes, true
	return address, nil
}

func (m *countedMemory) Free(address uint64, bytes int, stream uintptr) error {
	if m.blocks[address] != bytes {
		return fmt.Errorf("%d bytes at %#x in stream %#x were not allocated", bytes, address, stream)
	}
	delete(m.blocks, address)
	m.bytes -= bytes
	m.freed++
	return m.Context.Free(driver.Ptr(address &^ 1))
}

// A usedMemory is a program's hook that gives memory whose last use is queued in the stream: it is free there only.
type usedMemory struct{ *driver.Context }

func (m usedMemory) Allocate(bytes int, stream uintptr) (uint64, error) {
	p, err := m.Alloc(bytes)
	if err == nil {
		err = m.Of(stream).Zero(p, bytes)
	}
	return uint64(p), err
}

func (m usedMemory) Free(address uint64, _ int, _ uintptr) error {
	return m.Context.Free(driver.Ptr(address))
}

// TestDeviceMemoryOfAStream uploads columns, while the keys are sorted, to memory that is free only in the stream of
// kernels.
func TestDeviceMemoryOfAStream(t *testing.T) {
	const rows = 20_000
	e, err := Open(Options{PrimaryContext: true, Memory: usedMemory{openLibrary(t, 0).Context}})
	require.NoError(t, err)
	e.tuning.SmallSortRows, e.tuning.PrefetchBytes, e.tuning.LateBytes = 0, 1, 0
	e.tuning.DirectBytes, e.tuning.BatchBytes = 1<<60, 1024 // many copies
	job := &engine.Job{Rows: rows, Keys: []keyencode.Key{{}}, Threads: 4}
	values := make([]byte, 8*rows)
	for at := range 21 {
		job.Columns = append(job.Columns, keyencode.Column{Kind: keyencode.Uint64,
			Chunks: []keyencode.Chunk{{Rows: rows, Values: values}}})
		job.Gather = append(job.Gather, at)
	}
	for seed := range uint64(60) { // the stand-in lets work wait, or not, at random
		fill(values, seed+1)
		sorted, err := e.Sort(t.Context(), job, goMemory{})
		require.NoError(t, err)
		for at := range sorted.Columns {
			require.True(t, bytes.Equal(sorted.Columns[0].Values, sorted.Columns[at].Values), "column %d", at)
		}
		require.NoError(t, e.Trim(t.Context()))
	}
	require.NoError(t, e.Close())
}

// TestDeviceMemoryOfAProgram takes all memory of sorts from the program's hook, and gives all of it back.
func TestDeviceMemoryOfAProgram(t *testing.T) {
	l := openLibrary(t, 0)
	memory := &countedMemory{Context: l.Context, blocks: map[uint64]int{}, most: 1 << 30, streams: map[uintptr]bool{}}
	e, err := Open(Options{PrimaryContext: true, Memory: memory})
	require.NoError(t, err)
	const rows = 300_000
	sort := func() (sorted *DeviceRows, err error) {
		l.withJob(t, rows, func(job *DeviceJob) {
			job.Gather = []int{0}
			sorted, err = e.ArgsortDevice(t.Context(), job)
		})
		return sorted, err
	}
	sorted, err := sort()
	require.NoError(t, err)
	require.GreaterOrEqual(t, memory.bytes, 24*rows)
	require.Equal(t, map[uintptr]bool{uintptr(l.stream.Handle()): true}, memory.streams, "that of the job")
	require.NoError(t, e.Trim(t.Context()))
	require.InDelta(t, 12*rows, memory.bytes, 2<<20, "the result, and counters")
	memory.most = 6 * rows
	_, err = sort()
	require.ErrorIs(t, err, engine.ErrMemory)
	require.ErrorContains(t, err, "the program has no")
	memory.most, memory.misaligned = 1<<30, true
	_, err = sort()
	require.ErrorIs(t, err, engine.ErrMemory)
	require.ErrorContains(t, err, "not a multiple of 256")
	memory.misaligned = false
	again, err := sort()
	require.NoError(t, err)
	require.NoError(t, sorted.Release())
	require.NoError(t, e.Close(), "with a result that is not released")
	require.NoError(t, again.Release())
	require.Zero(t, memory.bytes)
	require.Equal(t, memory.given, memory.freed)
}

// TestDeviceMemoryLimit fails a sort beyond the limit, by an error that names it, and sorts fewer rows.
func TestDeviceMemoryLimit(t *testing.T) {
	e, err := Open(Options{PrimaryContext: true, MemoryLimit: 8 << 20})
	require.NoError(t, err)
	l := openLibrary(t, 0)
	for _, rows := range []int{1_000_000, 100_000, 1_000_000, 20_000} {
		l.withJob(t, rows, func(job *DeviceJob) {
			sorted, err := e.ArgsortDevice(t.Context(), job)
			if rows > 100_000 {
				require.ErrorIs(t, err, engine.ErrMemory)
				require.ErrorContains(t, err, "of a limit of 8388608")
				return
			}
			require.NoError(t, err)
			require.NoError(t, sorted.Release())
		})
	}
	require.NoError(t, e.Close())
}
