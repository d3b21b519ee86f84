//go:build cuda && linux && amd64

package gpu

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/argsort"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/keys"
	"github.com/arrowsort/arrowsort/keyencode"
)

// goMemory is ordinary memory, as Arrow's default allocator gives it.
type goMemory struct{}

func (goMemory) Allocate(n int) []byte             { return make([]byte, n) }
func (goMemory) Reallocate(n int, b []byte) []byte { return append(b[:0:0], b...)[:n] }
func (goMemory) Free([]byte)                       {}

// fill writes uniform random words, the same for the same seed.
func fill(dst []byte, seed uint64) {
	var group sync.WaitGroup
	parts := runtime.GOMAXPROCS(0)
	words := len(dst) / 8
	for p := range parts {
		group.Go(func() {
			for i := words * p / parts; i < words*(p+1)/parts; i++ {
				x := (uint64(i) + seed<<40) * 0x9E3779B97F4A7C15
				x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
				x = (x ^ x>>27) * 0x94D049BB133111EB
				binary.LittleEndian.PutUint64(dst[8*i:], x^x>>31)
			}
		})
	}
	group.Wait()
}

func openForBenchmark(b *testing.B) *Engine {
	e, err := Open(Options{})
	require.NoError(b, err, "this benchmark needs a GPU")
	b.Cleanup(func() { require.NoError(b, e.Close()) })
	return e
}

// randomJob has columns of random words of 8 bytes, of which the first is the key.
func randomJob(mem engine.Allocator, kind keyencode.Kind, rows, columns int) *engine.Job {
	job := &engine.Job{Rows: rows, Keys: []keyencode.Key{{}}}
	for i := range columns {
		values := mem.Allocate(8 * rows)
		fill(values, uint64(i))
		job.Columns = append(job.Columns, keyencode.Column{Kind: kind,
			Chunks: []keyencode.Chunk{{Rows: rows, Values: values}}})
	}
	return job
}

// BenchmarkSort is the library call: from and to memory of the host.
func BenchmarkSort(b *testing.B) {
	e := openForBenchmark(b)
	memories := []struct {
		name string
		engine.Allocator
	}{{"pinned", e.Allocator()}, {"go", goMemory{}}}
	for _, mem := range memories {
		for _, rows := range []int{1000, 10_000, 100_000, 1 << 20, 20_000_000, 1 << 27} {
			for _, want := range []string{"indices", "columns"} {
				b.Run(fmt.Sprintf("memory=%s/type=int64/rows=%d/want=%s", mem.name, rows, want), func(b *testing.B) {
					job := randomJob(mem, keyencode.Int64, rows, 3)
					if job.Gather = []int{0, 1, 2}; want == "indices" {
						job.Gather, job.RowNumbers = nil, 8
					}
					sort := func() {
						res, err := e.Sort(b.Context(), job, mem)
						require.NoError(b, err)
						res.Release(mem)
					}
					sort() // the first one allocates
					for b.Loop() {
						sort()
					}
					for _, c := range job.Columns {
						mem.Free(c.Chunks[0].Values)
					}
				})
			}
		}
	}
}

// BenchmarkStages are the stages of a sort with its columns on the device.
func BenchmarkStages(b *testing.B) {
	e := openForBenchmark(b)
	for _, kind := range []keyencode.Kind{keyencode.Uint32, keyencode.Int64, keyencode.Float64} {
		for _, rows := range []int{10_000, 1 << 16, 1 << 20, 1 << 24, 1 << 28} {
			b.Run(fmt.Sprintf("kind=%d/rows=%d", kind, rows), func(b *testing.B) { benchmarkStages(b, e, kind, rows) })
		}
	}
}

func benchmarkStages(b *testing.B, e *Engine, kind keyencode.Kind, rows int) {
	job := randomJob(goMemory{}, kind, rows, 1)
	session := <-e.turn
	defer func() { e.turn <- session }()
	leave, err := session.Enter()
	require.NoError(b, err)
	defer leave()
	t := device.NewTask(b.Context(), session, 0)
	defer t.End()
	columns := keys.NewColumns(t, job, nil, nil)
	columns.Column(0)
	require.NoError(b, t.Wait())
	var measure, sort time.Duration
	for b.Loop() {
		start := time.Now()
		middle := start
		order, _ := argsort.Run(columns, func() { middle = time.Now() })
		require.NoError(b, t.Wait())
		measure, sort = measure+middle.Sub(start), sort+time.Since(middle)
		t.Free(order)
		t.Arguments.Reset()
	}
	b.ReportMetric(float64(measure.Microseconds())/float64(b.N), "measure-us")
	b.ReportMetric(float64(sort.Microseconds())/float64(b.N), "sort-us")
}

// BenchmarkCopy is the speed of the bus: the bound of everything that comes from the host.
func BenchmarkCopy(b *testing.B) {
	e := openForBenchmark(b)
	memory := e.Allocator().Allocate(1 << 30)
	fill(memory, 1)
	session := <-e.turn
	defer func() { e.turn <- session }()
	leave, err := session.Enter()
	require.NoError(b, err)
	defer leave()
	t := device.NewTask(b.Context(), session, 0)
	defer t.End()
	p := t.Alloc(len(memory))
	for _, way := range []string{"up", "down"} {
		b.Run("way="+way, func(b *testing.B) {
			b.SetBytes(int64(len(memory)))
			for b.Loop() {
				if way == "up" {
					t.Upload(p, memory)
				} else {
					t.Download(memory, p)
				}
				require.NoError(b, t.Wait())
			}
		})
	}
}
