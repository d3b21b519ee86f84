package cpu

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/metrics"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// numberColumn is a column of integers or floats with few and many ties, zeros of both signs, infinities and NaNs.
func numberColumn(r *rand.Rand, kind keyencode.Kind, n int) keyencode.Column {
	c := keyencode.Column{Kind: kind}
	width := c.ValueBytes()
	values := make([]byte, 0, n*width)
	for range n {
		x := r.Uint64() >> r.IntN(64)
		switch special := r.IntN(8); {
		case special > 2:
		case kind == keyencode.Float16:
			x = []uint64{0, 1 << 15, 0x7c00, 0xfc00, 0x7e01, 0xfd00}[r.IntN(6)]
		case kind == keyencode.Float32:
			x = uint64([]uint32{0, 1 << 31, 0x7f800000, 0xff800000, 0x7fc00001, 0xff800001}[r.IntN(6)])
		case kind == keyencode.Float64:
			x = []uint64{0, 1 << 63, math.Float64bits(math.Inf(1)), math.Float64bits(math.Inf(-1)), 0x7ff8000000000001,
				0xfff0000000000001}[r.IntN(6)]
		default:
			x = []uint64{0, 1, math.MaxUint64, 1 << (8*width - 1), 1<<(8*width-1) - 1, 42}[r.IntN(6)]
		}
		values = append(values, bytesOf([]uint64{x})[:width]...)
	}
	c.Chunks = []keyencode.Chunk{{Rows: n, Values: values}}
	return c
}

// TestTinyIsTheSame compares tiny sorts with the way that larger ones take: a job that wants a plan is not tiny.
func TestTinyIsTheSame(t *testing.T) {
	for kind := keyencode.Int8; kind <= keyencode.Float64; kind++ {
		for _, n := range []int{1, 2, 3, 33, 100, 1000, singleTileRows} {
			column := numberColumn(rand.New(rand.NewPCG(uint64(kind), uint64(n))), kind, n)
			for _, mode := range modes {
				for _, width := range []int{4, 8} {
					for _, limit := range []int{0, 1, n/2 + 1} {
						job := engine.Job{
							Rows: n, Columns: []keyencode.Column{column}, Keys: []keyencode.Key{mode},
							RowNumbers: width, Limit: limit,
						}
						require.True(t, fitsSingleTile(&job))
						got, temp := mustSort(t, &job)
						job.Plan = true
						require.False(t, fitsSingleTile(&job))
						want, _ := mustSort(t, &job)
						require.Equal(
							t, want.RowNumbers, got.RowNumbers, "kind %d, %d rows, key %+v, limit %d", kind, n, mode,
							limit,
						)
						require.Zero(t, temp, "temp memory")
					}
				}
			}
		}
	}
}

// TestWhatIsTiny: jobs that only resemble tiny ones go another way.
func TestWhatIsTiny(t *testing.T) {
	tiny := func() *engine.Job {
		return &engine.Job{
			Rows: 100, Columns: []keyencode.Column{uint64Column(make([]uint64, 200))}, Keys: []keyencode.Key{{}},
			RowNumbers: 8,
		}
	}
	for name, change := range map[string]func(j *engine.Job){
		"no rows":         func(j *engine.Job) { j.Rows = 0 },
		"more rows":       func(j *engine.Job) { j.Rows = singleTileRows + 1 },
		"no row numbers":  func(j *engine.Job) { j.RowNumbers = 0 },
		"odd row numbers": func(j *engine.Job) { j.RowNumbers = 3 },
		"a column":        func(j *engine.Job) { j.Gather = []int{0} },
		"a plan":          func(j *engine.Job) { j.Plan = true },
		"progress":        func(j *engine.Job) { j.Progress = func(int, int) {} },
		"no key":          func(j *engine.Job) { j.Keys = nil },
		"two keys":        func(j *engine.Job) { j.Keys = append(j.Keys, keyencode.Key{}) },
		"two columns":     func(j *engine.Job) { j.Columns = append(j.Columns, j.Columns[0]) },
		"two chunks": func(j *engine.Job) {
			j.Columns[0].Chunks = append(j.Columns[0].Chunks,
				keyencode.Chunk{})
		},
		"nulls":            func(j *engine.Job) { j.Columns[0].Chunks[0].Validity = make([]byte, 25) },
		"decimals":         func(j *engine.Job) { j.Columns[0].Kind = keyencode.Decimal128 },
		"too short a list": func(j *engine.Job) { j.Columns[0].Chunks[0].Rows = 99 },
	} {
		job := tiny()
		job.Columns[0].Chunks[0].Rows = 100
		require.True(t, fitsSingleTile(job))
		change(job)
		require.False(t, fitsSingleTile(job), name)
	}
}

// TestTinyIsCheap bounds what a sort of 100 rows costs in addition to its result: it starts no goroutine, and the Go
// heap sees a result, its buffer, and little else.
func TestTinyIsCheap(t *testing.T) {
	keys := drawn(1, 100, uniform)
	job := engine.Job{
		Rows: 100, Columns: []keyencode.Column{uint64Column(keys)}, Keys: []keyencode.Key{{}}, RowNumbers: 8,
	}
	sort := func() {
		res, err := New().Sort(t.Context(), &job, memory.DefaultAllocator)
		if err != nil {
			t.Error(err)
			return
		}
		res.Release(memory.DefaultAllocator)
	}
	created := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
	metrics.Read(created)
	before := created[0].Value.Uint64()
	for range 1000 {
		sort()
	}
	metrics.Read(created)
	require.Less(
		t, created[0].Value.Uint64()-before, uint64(100),
		"goroutines started by 1000 sorts, those of the runtime included",
	)
	require.LessOrEqual(t, testing.AllocsPerRun(1000, sort), 6.0, "allocations of a sort")
}

// TestTinyFails: a tiny sort fails as others do.
func TestTinyFails(t *testing.T) {
	job := engine.Job{
		Rows: 3, Columns: []keyencode.Column{uint64Column([]uint64{3, 1, 2})}, Keys: []keyencode.Key{{}}, RowNumbers: 8,
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	res, err := New().Sort(ctx, &job, newMeter(t))
	require.ErrorIs(t, err, context.Canceled)
	require.Nil(t, res)
	for _, mem := range []engine.Allocator{failing{}, failing{panics: true}} {
		res, err = New().Sort(t.Context(), &job, mem)
		require.ErrorIs(t, err, engine.ErrMemory, fmt.Sprintf("%+v", mem))
		require.Nil(t, res)
	}
	got, _ := mustSort(t, &job) // the kept storage is as good as new
	require.Equal(t, []uint64{1, 2, 0}, view[uint64](got.RowNumbers))
}

// failing is an allocator without memory.
type failing struct{ panics bool }

func (f failing) Allocate(int) []byte {
	if f.panics {
		panic("no memory")
	}
	return nil
}
func (f failing) Reallocate(n int, _ []byte) []byte { return f.Allocate(n) }
func (failing) Free([]byte)                         { panic("nothing to free") }
