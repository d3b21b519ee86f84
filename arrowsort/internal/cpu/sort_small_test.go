package cpu

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/metrics"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/buffers"
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
		values = append(values, buffers.Bytes([]uint64{x})[:width]...)
	}
	c.Chunks = []keyencode.Chunk{{Rows: n, Values: values}}
	return c
}

// TestTinyIsTheSame compares tiny sorts with the way that larger ones take: a job that wants a plan is not tiny.
func TestTinyIsTheSame(t *testing.T) {
	for kind := keyencode.Int8; kind <= keyencode.Float64; kind++ {
		for _, n := range []int{1, 2, 3, 33, 100, 1000, tinyRows} {
			column := numberColumn(rand.New(rand.NewPCG(uint64(kind), uint64(n))), kind, n)
			for _, mode := range modes {
				for _, width := range []int{4, 8} {
					for _, limit := range []int{0, 1, n/2 + 1} {
						job := engine.Job{
							Rows: n, Columns: []keyencode.Column{column}, Keys: []keyencode.Key{mode},
							RowNumbers: width, Limit: limit,
						}
						require.True(t, fitsTiny(&job))
						got, temp := mustSort(t, &job)
						job.Plan = true
						require.False(t, fitsTiny(&job))
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
		"more rows":       func(j *engine.Job) { j.Rows = tinyRows + 1 },
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
		require.True(t, fitsTiny(job))
		change(job)
		require.False(t, fitsTiny(job), name)
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
	require.Equal(t, []uint64{1, 2, 0}, buffers.View[uint64](got.RowNumbers))
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

// risingJobs are jobs in order in which lower makes a row sort before its predecessor: by one word; by the second word,
// where all rows tie in the first or pairs of them do; by a string, deep in it.
func risingJobs(n int) map[string]func() (job engine.Job, lower func(row int)) {
	rising := func(per int) []uint64 {
		return drawn(1, n, func(r *rand.Rand, n, i int) uint64 { return uint64(i/per+1) << 40 })
	}
	words := func(keys ...[]uint64) (job engine.Job) {
		job.Rows = n
		for i, k := range keys {
			job.Columns = append(job.Columns, uint64Column(k))
			job.Keys = append(job.Keys, keyencode.Key{Column: i})
		}
		return job
	}
	wide := func(i int) uint64 { return uint64(i+1)<<40 + uint64(i*i%1000) } // neither a common factor nor dead bits
	return map[string]func() (engine.Job, func(int)){
		"one word": func() (engine.Job, func(int)) {
			keys := rising(1)
			return words(keys), func(row int) { keys[row] = keys[row-1] - 1 }
		},
		"ties": func() (engine.Job, func(int)) {
			keys := rising(1 << 20)
			return words(keys), func(row int) { keys[row] = keys[row-1] - 1 }
		},
		"two keys": func() (engine.Job, func(int)) {
			first := numbered(n, func(i int) uint64 { return wide(i / 2) })
			second := numbered(n, wide)
			return words(first, second), func(row int) { first[row], second[row] = first[row-1], second[row-1]-1 }
		},
		"the last of three": func() (engine.Job, func(int)) {
			first, third := rising(n+1), rising(1)
			return words(first, first, third), func(row int) { third[row] = third[row-1] - 1 }
		},
		"strings": func() (engine.Job, func(int)) {
			data := [][]byte{
				slices.Repeat([]byte{'a'}, 50), append(slices.Repeat([]byte{'a'}, 49), 'b'),
				slices.Repeat([]byte{'z'}, 50),
			}
			c := viewColumn(n, data, func(i int) int { return 1 + i/(n-1|1) }) // no head that all rows share
			return engine.Job{Rows: n, Columns: []keyencode.Column{c}, Keys: []keyencode.Key{{}}}, func(row int) {
				buffers.View[uint32](c.Chunks[0].Values)[4*row+2] = 0
			}
		},
	}
}

// TestFirstUnsorted lowers one row, or several, on both sides of the borders of blocks and tiles.
func TestFirstUnsorted(t *testing.T) {
	const n = 2*tileRows + 1000
	rows := []int{
		1, 2, blockRows - 1, blockRows, blockRows + 1, 2*blockRows - 2, 2 * blockRows, tileRows - 1, tileRows,
		tileRows + 1, tileRows + blockRows, n - 1,
	}
	several := map[string]bool{"two keys": true, "strings": true}
	for name, build := range risingJobs(n) {
		job, _ := build()
		job.Threads = 2
		row, err := FirstUnsorted(t.Context(), &job, newMeter(t))
		require.NoError(t, err)
		require.Equal(t, -1, row, "%s: all rows are in order", name)
		plan, err := Explain(t.Context(), &job, newMeter(t))
		require.NoError(t, err)
		require.Equal(t, several[name], plan.Words() > 1, "%s: the code has several words", name)
		for _, at := range rows {
			job, lower := build()
			job.Threads = 2
			lower(at)
			if at+2*blockRows < n {
				lower(at + 2*blockRows)
				lower(n - 2)
			}
			row, err := FirstUnsorted(t.Context(), &job, newMeter(t))
			require.NoError(t, err)
			require.Equal(t, at, row, "%s: row %d is the first that is too low", name, at)
		}
	}
}

// TestFirstUnsortedOfFew does the same for every row of few.
func TestFirstUnsortedOfFew(t *testing.T) {
	for _, n := range []int{0, 1, 2, 5, 40} {
		for name, build := range risingJobs(n) {
			for at := range n + 1 {
				job, lower := build()
				want := -1 // for 0 and n, which lower nothing
				if at > 0 && at < n {
					lower(at)
					want = at
				}
				row, err := FirstUnsorted(t.Context(), &job, newMeter(t))
				require.NoError(t, err)
				require.Equal(t, want, row, "%s, %d rows", name, n)
			}
		}
	}
}

// TestInOrderIsOneCopy: rows in order, and rows that fall at every step, are sorted without temp storage that
// grows with the rows.
func TestInOrderIsOneCopy(t *testing.T) {
	const n = 150_000
	for name, build := range risingJobs(n) {
		job, _ := build()
		job.RowNumbers, job.Threads = 8, 2
		for i := range job.Columns {
			job.Gather = append(job.Gather, i)
		}
		for _, limit := range []int{0, 1000, n - 1} {
			job.Limit = limit
			res, temp := mustSort(t, &job)
			requireSame(
				t, numbered(res.Rows, func(i int) uint64 { return uint64(i) }), buffers.View[uint64](res.RowNumbers),
				"%s, limit %d", name, limit,
			)
			require.LessOrEqual(t, temp, 64, "%s, limit %d: temp memory", name, limit)
		}
	}
	keys := drawn(1, n, shapes["reversed"])
	job := engine.Job{
		Rows: n, Columns: []keyencode.Column{uint64Column(keys)}, Keys: []keyencode.Key{{}}, RowNumbers: 8,
		Gather: []int{0}, Threads: 2,
	}
	res, temp := mustSort(t, &job)
	want := numbered(n, func(i int) uint64 { return uint64(n - 1 - i) })
	requireSame(t, want, buffers.View[uint64](res.RowNumbers), "reversed")
	slices.Reverse(keys)
	requireSame(t, keys, buffers.View[uint64](res.Columns[0].Values), "reversed")
	require.LessOrEqual(t, temp, 2*blockRows*8, "reversed: temp memory")
}

// TestReverseInto reverses values of every width that a mover may have.
func TestReverseInto(t *testing.T) {
	for _, width := range []int{1, 2, 3, 4, 8, 16, 32} {
		for _, n := range []int{0, 1, 2, 7, 100} {
			src, want := make([]byte, n*width), []byte(nil)
			for i := range src {
				src[i] = byte(rand.Uint32())
			}
			for i := n - 1; i >= 0; i-- {
				want = append(want, src[i*width:(i+1)*width]...)
			}
			dst := make([]byte, n*width)
			reverseInto(dst, src, width)
			require.Equal(t, fmt.Sprintf("%x", want), fmt.Sprintf("%x", dst), "%d values of %d bytes", n, width)
		}
	}
}

// numbered are n words of a function of the place.
func numbered(n int, f func(i int) uint64) []uint64 {
	return drawn(0, n, func(_ *rand.Rand, _, i int) uint64 { return f(i) })
}
