//go:build cuda && linux && amd64

package gpu

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/engine/enginetest"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A library is another user of the primary context: it has columns there, and a stream in which it works.
type library struct {
	*driver.Context
	stream *driver.Stream
	taken  []driver.Ptr
}

// openLibrary retains the primary context of a device for the test.
func openLibrary(t testing.TB, device int) *library {
	c, err := driver.NewContext(device, true)
	require.NoError(t, err, "this test needs a GPU")
	l := &library{Context: c}
	require.NoError(t, c.Do(func() (err error) {
		l.stream, err = c.NewStream()
		return err
	}))
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return l
}

// flushed is a shift: the bytes end where a page of the device does, after which the stand-in has no memory.
const flushed = -1

// put queues a copy of bytes to new memory, shift bytes after its start and exactly up to its end.
func (l *library) put(t testing.TB, b []byte, shift int) uint64 {
	const page = 4096
	if shift == flushed {
		shift = -len(b) & (page - 1)
	}
	p, err := l.Alloc(max(1, len(b)+shift))
	require.NoError(t, err)
	l.taken = append(l.taken, p)
	if len(b) > 0 {
		pinned, err := l.NewPinned(len(b))
		require.NoError(t, err)
		copy(pinned, b)
		require.NoError(t, l.stream.Upload(p+driver.Ptr(shift), pinned))
	}
	return uint64(p) + uint64(shift)
}

// get queues a copy from the device, which is complete when the stream is idle.
func (l *library) get(t testing.TB, p uint64, bytes int) []byte {
	pinned, err := l.NewPinned(max(1, bytes))
	require.NoError(t, err)
	if bytes > 0 {
		require.NoError(t, l.stream.Download(pinned[:bytes], driver.Ptr(p)))
	}
	return pinned[:bytes]
}

// spoil queues other bytes in place of columns: a sort that comes too late reads them.
func (l *library) spoil(t testing.TB, columns []DeviceColumn, rows int) {
	for _, c := range columns {
		if width := (&keyencode.Column{Kind: c.Kind, Width: c.Width}).ValueBytes(); width > 0 && rows > 0 {
			first := driver.Ptr(c.Values) + driver.Ptr(c.Offset*width)
			require.NoError(t, l.stream.Zero(first, rows*width))
		}
	}
}

func (l *library) free(t testing.TB) {
	for _, p := range l.taken {
		require.NoError(t, l.Free(p))
	}
	l.taken = nil
}

// onDeviceArrays is an engine whose row numbers, and columns of fixed width, come from ArgsortDevice: columns go to a
// library's memory, at any alignment, and all else is that of the engine.
type onDeviceArrays struct {
	*Engine
	t       testing.TB
	library *library
	mutex   *sync.Mutex
	sorted  *int // jobs
}

func openOnDeviceArrays(t testing.TB, use ...func(*tuning.Table)) onDeviceArrays {
	e, err := Open(Options{PrimaryContext: true})
	require.NoError(t, err, "this test needs a GPU")
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	for _, set := range use {
		set(&e.tuning)
	}
	return onDeviceArrays{e, t, openLibrary(t, 0), new(sync.Mutex), new(int)}
}

// isForDevice reports whether ArgsortDevice takes a job's keys.
func isForDevice(job *engine.Job) bool {
	return !slices.ContainsFunc(job.Keys, func(k keyencode.Key) bool {
		c := &job.Columns[k.Column]
		return c.Kind > keyencode.FixedSizeBinary || c.Kind == keyencode.FixedSizeBinary && (c.Width > 8 || c.Width < 1)
	})
}

func (e onDeviceArrays) Sort(ctx context.Context, job *engine.Job, mem engine.Allocator) (*engine.Result, error) {
	result, err := e.Engine.Sort(ctx, job, mem)
	if err != nil || job.RowNumbers == 0 && len(gathered(job)) == 0 || !isForDevice(job) {
		return result, err
	}
	e.mutex.Lock()
	defer e.mutex.Unlock()
	err = e.argsort(ctx, job, result, rand.New(rand.NewPCG(testrun.Seed(), uint64(*e.sorted))))
	if *e.sorted++; err != nil {
		result.Release(mem)
		return nil, err
	}
	return result, nil
}

// gathered are the positions in job.Gather of the columns that ArgsortDevice gathers.
func gathered(job *engine.Job) (list []int) {
	for i, at := range job.Gather {
		c := &job.Columns[at]
		if c.Kind <= keyencode.Bool || c.Kind <= keyencode.FixedSizeBinary && c.ValueBytes() > 0 {
			list = append(list, i)
		}
	}
	return list
}

// argsort replaces the row numbers and columns of a result by those that ArgsortDevice makes.
func (e onDeviceArrays) argsort(ctx context.Context, job *engine.Job, to *engine.Result, r *rand.Rand) (err error) {
	l := e.library
	inContext := l.Do(func() error {
		defer l.free(e.t)
		device := &DeviceJob{Rows: job.Rows, Keys: job.Keys, Limit: job.Limit, RowNumbers: job.RowNumbers,
			Stream: uintptr(l.stream.Handle())}
		for i := range job.Columns {
			device.Columns = append(device.Columns, l.putColumn(e.t, &job.Columns[i], r))
		}
		list := gathered(job)
		for _, i := range list {
			device.Gather = append(device.Gather, job.Gather[i])
		}
		bytes := job.Out() * job.RowNumbers
		if job.RowNumbers > 0 && r.IntN(2) == 0 {
			device.Out = l.put(e.t, make([]byte, bytes), []int{0, 16, flushed, r.IntN(16)}[r.IntN(4)])
		}
		var result *DeviceRows
		if result, err = e.ArgsortDevice(ctx, device); err != nil {
			return l.stream.Wait()
		}
		l.fetch(e.t, to.RowNumbers, result.Address)
		for k, i := range list {
			c, made := &to.Columns[i], result.Columns[k]
			valid := c.Validity
			if valid == nil && made.Validity != 0 { // Sort has found no null
				valid = make([]byte, (job.Out()+7)/8)
			}
			l.fetch(e.t, valid, made.Validity)
			l.fetch(e.t, c.Values, made.Values)
			require.True(e.t, c.Validity != nil || valid == nil || buffers.CountZeros(valid, 0, job.Out()) == 0)
		}
		l.spoil(e.t, device.Columns, job.Rows)
		require.NoError(e.t, result.Release())
		return l.stream.Wait()
	})
	require.NoError(e.t, inContext)
	return err
}

// fetch copies bytes of the device to memory of the host, which are there when the stream is idle.
func (l *library) fetch(t testing.TB, to []byte, p uint64) {
	if len(to) > 0 {
		got := l.get(t, p, len(to))
		require.NoError(t, l.stream.Wait())
		copy(to, got)
	}
}

// putColumn makes a column of one chunk on the device: its values begin at any byte, its first row is any bit.
func (l *library) putColumn(t testing.TB, c *keyencode.Column, r *rand.Rand) DeviceColumn {
	made := DeviceColumn{Kind: c.Kind, Width: c.Width, Offset: r.IntN(20) * r.IntN(2)}
	rows, width := c.Rows(), c.ValueBytes()
	bitmap := func(set func(k *keyencode.Chunk, row int) bool) uint64 {
		bits := make([]byte, (made.Offset+rows+7)/8)
		for i := range bits {
			bits[i] = byte(r.Uint32())
		}
		at := made.Offset
		for i := range c.Chunks {
			for row := range c.Chunks[i].Rows {
				if bits[at/8] &^= 1 << (at % 8); set(&c.Chunks[i], row) {
					bits[at/8] |= 1 << (at % 8)
				}
				at++
			}
		}
		return l.put(t, bits, shiftOf(r))
	}
	nullable := slices.ContainsFunc(c.Chunks, func(k keyencode.Chunk) bool { return k.Validity != nil })
	if nullable {
		made.Validity = bitmap(func(k *keyencode.Chunk, row int) bool {
			return k.Validity == nil || buffers.Bit(k.Validity, k.Offset+row)
		})
	}
	switch {
	case c.Kind == keyencode.Bool:
		made.Values = bitmap(func(k *keyencode.Chunk, row int) bool { return buffers.Bit(k.Values, k.Offset+row) })
	case c.Kind > keyencode.FixedSizeBinary: // it is no key
		made = DeviceColumn{}
	case width > 0:
		values := make([]byte, made.Offset*width)
		for _, k := range c.Chunks {
			values = append(values, k.Values[k.Offset*width:(k.Offset+k.Rows)*width]...)
		}
		made.Values = l.put(t, values, shiftOf(r))
	}
	return made
}

// shiftOf is any shift of put.
func shiftOf(r *rand.Rand) int { return []int{0, flushed, r.IntN(16)}[r.IntN(3)] }

// TestDeviceArrays holds row numbers of columns on the device to the suite that every engine passes: every type of key,
// every order and null placement, several keys, limits, distributions, at any alignment and offset.
func TestDeviceArrays(t *testing.T) {
	sorted := 0
	rows := 6000
	if testrun.Long() {
		rows = 200_000
	}
	enginetest.TestEngineBelow(t, rows, func(t testing.TB) engine.Engine {
		e := openOnDeviceArrays(t)
		t.Cleanup(func() { sorted += *e.sorted })
		return e
	})
	require.Positive(t, sorted, "jobs that ArgsortDevice has sorted")
}

// TestDeviceArraysAtRandomThresholds has few rows take the paths of many.
func TestDeviceArraysAtRandomThresholds(t *testing.T) {
	seed := testrun.Seed()
	e := openOnDeviceArrays(t)
	for end := seed + uint64(testrun.Count(2000, 200)); seed < end; seed++ {
		r := rand.New(rand.NewPCG(seed, 6))
		e.tuning = randomThresholds(r)
		enginetest.CheckRandom(t, e, seed, r.IntN(1+1<<r.IntN(14)))
	}
	require.Positive(t, *e.sorted, "seed %d", seed)
}

// TestDeviceArraysOfManyRows sorts by the ways of many rows, whose kernels run when ArgsortDevice has returned.
func TestDeviceArraysOfManyRows(t *testing.T) {
	e := openOnDeviceArrays(t)
	for i, name := range []string{"uniform", "like Zipf", "sorted", "constant", "1 % hot", "log-uniform"} {
		for k, kind := range []keyencode.Kind{keyencode.Int64, keyencode.Float64, keyencode.Int32, keyencode.Float32} {
			rows := 90_001 + 1000*i
			key := numberKey{kind: kind, null: percent((i+k)%3*10, 3), order: keyencode.Order(k % 2),
				nulls: keyencode.NullPlacement(i % 2)}
			key.value = draws[name].by(rows, key.bytes(), uint64(i))
			e.tuning = tuning.Default()
			if (i+k)%2 == 0 {
				e.tuning.SmallSortRows = 0
			}
			job := &engine.Job{Rows: rows, Columns: []keyencode.Column{key.column(rows)},
				Keys: []keyencode.Key{{Order: key.order, Nulls: key.nulls}}, Limit: []int{0, 9, rows / 7}[(i+k)%3]}
			enginetest.CheckOrder(t, e, job, "%s, kind %d", name, kind)
		}
	}
	require.Positive(t, *e.sorted)
}

// TestDeviceArraysKeepNothing releases results in any order while other sorts run: memory is used again, and only
// after the stream that reads it has passed.
func TestDeviceArraysKeepNothing(t *testing.T) {
	e := openOnDeviceArrays(t)
	r := rand.New(rand.NewPCG(testrun.Seed(), 7))
	const rows = 3000
	values := make([]uint64, rows)
	for i := range values {
		values[i] = r.Uint64()
	}
	want := make([]uint64, rows)
	for i := range want {
		want[i] = uint64(i)
	}
	slices.SortStableFunc(want, func(a, b uint64) int { return cmp.Compare(values[a], values[b]) })
	l := e.library
	require.NoError(t, l.Do(func() error {
		defer l.free(t)
		job := &DeviceJob{Rows: rows, RowNumbers: 8, Stream: uintptr(l.stream.Handle()), Keys: []keyencode.Key{{}},
			Columns: []DeviceColumn{{Kind: keyencode.Uint64, Values: l.put(t, buffers.Bytes(values), 0)}}}
		var held []*DeviceRows
		var got [][]byte
		for i := range 60 {
			sorted, err := e.ArgsortDevice(t.Context(), job)
			require.NoError(t, err)
			got = append(got, l.get(t, sorted.Address, 8*rows))
			if held = append(held, sorted); i%3 == 2 {
				at := r.IntN(len(held))
				require.NoError(t, held[at].Release())
				require.NoError(t, held[at].Release(), "a second time")
				held = slices.Delete(held, at, at+1)
			}
		}
		require.NoError(t, l.stream.Wait())
		for i, numbers := range got {
			require.Equal(t, want, buffers.View[uint64](numbers), "sort %d", i)
		}
		for _, sorted := range held {
			require.NoError(t, sorted.Release())
		}
		return nil
	}))
	require.NoError(t, e.Trim(t.Context()))
	s := <-e.turn
	require.Zero(t, s.Pool.Held, "bytes that the pool holds")
	e.turn <- s
}

// addressOf is the address of memory of the host.
func addressOf(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }
