//go:build cuda && standin && linux && amd64

package gpu

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/engine/enginetest"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/keyencode"
)

// documented returns a number of bytes from a sentence of the documents.
func documented(t *testing.T, sentence string) int {
	for _, path := range []string{"gpu.go", "../docs/gpu.md"} {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		found := regexp.MustCompile(sentence).FindSubmatch(
			regexp.MustCompile(`\n// |\s+`).ReplaceAll(text, []byte(" ")))
		require.NotNil(t, found, "%s does not say %q", path, sentence)
		if path == "../docs/gpu.md" {
			bytes, err := strconv.Atoi(string(found[1]))
			require.NoError(t, err)
			return bytes
		}
	}
	return 0
}

// columnBytes is what a column takes on the device.
func columnBytes(c *keyencode.Column, rows int) int {
	bytes := rows * c.ValueBytes()
	if c.Kind == keyencode.Bool {
		bytes = rows / 8
	}
	if host.Nullable(c) {
		bytes += rows / 8
	}
	return bytes
}

// memoryFor is the memory of the device that the documents say a job needs.
func memoryFor(t *testing.T, job *engine.Job) int {
	ofRow, ofRank := documented(t, `(\d+) bytes per row`), documented(t, `(\d+) more for a dictionary`)
	keys, widest := 0, 0
	for _, key := range job.Keys {
		c := &job.Columns[key.Column]
		keys += columnBytes(c, job.Rows)
		if c.Kind >= keyencode.Dictionary8 {
			keys += ofRank * job.Rows
		}
	}
	for _, at := range job.Gather {
		if c := &job.Columns[at]; !host.IsText(c.Kind) {
			widest = max(widest, columnBytes(c, job.Rows))
		}
	}
	return keys + max(ofRow*job.Rows, 4*job.Rows+3*widest) + documented(t, `(\d+) MiB besides`)<<20
}

// memoryColumn is a column of random values.
func memoryColumn(r *rand.Rand, kind keyencode.Kind, rows int, nulls bool) keyencode.Column {
	c := keyencode.Column{Kind: kind}
	k := keyencode.Chunk{Rows: rows, Values: make([]byte, rows*max(1, c.ValueBytes())+8)}
	fill(k.Values, r.Uint64())
	if nulls {
		k.Validity = make([]byte, rows/8+8)
		fill(k.Validity, r.Uint64())
	}
	if kind == keyencode.Dictionary8 {
		for range 256 {
			k.Ranks = append(k.Ranks, 1+r.Uint32N(200))
		}
	}
	c.Chunks = []keyencode.Chunk{k}
	return c
}

// roomJob sorts by columns and gathers columns.
func roomJob(columns []keyencode.Column, keys, gather []int) *engine.Job {
	job := &engine.Job{Rows: columns[0].Rows(), Columns: columns, Gather: gather, RowNumbers: 4}
	for i, at := range keys {
		job.Keys = append(job.Keys, keyencode.Key{Column: at, Order: keyencode.Order(i % 2)})
	}
	return job
}

// roomJobs are jobs that take the device's memory in all ways.
func roomJobs(rows int) (jobs []*engine.Job) {
	r := rand.New(rand.NewPCG(uint64(rows), 8))
	few := memoryColumn(r, keyencode.Int64, rows, false) // tied rows have to be sorted by the next word
	for i := range few.Chunks[0].Values {
		few.Chunks[0].Values[i] &= 3
	}
	whole := memoryColumn(r, keyencode.Float64, rows, true) // fixed-point floats
	for values := whole.Chunks[0].Values; len(values) > 0; values = values[8:] {
		binary.LittleEndian.PutUint64(values, math.Float64bits(float64(r.IntN(3000))))
	}
	columns := []keyencode.Column{
		memoryColumn(r, keyencode.Int64, rows, false), memoryColumn(r, keyencode.Float64, rows, true),
		memoryColumn(r, keyencode.Uint32, rows, true),
		memoryColumn(r, keyencode.Dictionary8, rows, false), memoryColumn(r, keyencode.Bool, rows, true),
		memoryColumn(r, keyencode.Decimal128, rows, false),
		texts(r, keyencode.Binary, rows), texts(r, keyencode.LargeBinary, rows), few, whole,
	}
	for _, keys := range [][]int{{0}, {1}, {2}, {3}, {5}, {7}, {9}, {0, 2}, {2, 3}, {8, 0}, {8, 6}, {1, 0, 5}} {
		for _, gather := range [][]int{nil, {0, 5}, {1, 0, 5, 1, 2, 3, 4, 6}} {
			jobs = append(jobs, roomJob(columns, keys, gather))
		}
	}
	return jobs
}

// useEverything has small jobs take all ways that large ones take.
func useEverything(t *tuning.Table) {
	useStreams(t)
	t.SmallSortRows, t.LargeSampleRows, t.TextRows = 0, 0, 1
	t.WindowBytes, t.WindowRows = 0, 1<<12
}

// TestMemory sorts with the device memory that the documents state: by codes of keys in two passes over the rows, which
// takes the most.
func TestMemory(t *testing.T) {
	const rows = 9 << 20
	table := tuning.Default()
	shape := strategy.ShapeBuckets(&table, rows, 8)
	require.Less(t, shape.First, shape.Bits)
	r := rand.New(rand.NewPCG(4, 4))
	columns := []keyencode.Column{
		memoryColumn(r, keyencode.Int64, rows, false), memoryColumn(r, keyencode.Uint32, rows, true),
		memoryColumn(r, keyencode.Dictionary8, rows, false),
	}
	job := roomJob(columns, []int{1, 2}, []int{0})
	want := sortWithEverything(t, job, goMemory{})
	t.Setenv("ARROWSORT_STANDIN_MEMORY", fmt.Sprint(memoryFor(t, job)))
	require.True(t, reflect.DeepEqual(want, sortWithEverything(t, job, goMemory{})))
}

// TestGiveBack sorts with as little memory as will do, and with more and more of it: at any moment what the sort can do
// without is given back.
func TestGiveBack(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	for _, job := range roomJobs(20_000) {
		name := fmt.Sprintf("keys %v, columns %v", job.Keys, job.Gather)
		want := sortWithEverything(t, job, mem, useEverything)
		enough := false
		for room := 1 << 20; room < 8<<20; room += room / 3 {
			t.Setenv("ARROWSORT_STANDIN_MEMORY", fmt.Sprint(room))
			e, err := Open(Options{})
			require.NoError(t, err)
			useEverything(&e.tuning)
			e.pretendMemory(1 << 40) // so that it tries everything
			for range 2 {
				got, err := e.Sort(t.Context(), job, mem)
				if !enough && err != nil {
					require.ErrorIs(t, err, engine.ErrMemory, name)
					require.Less(t, room, memoryFor(t, job), name)
					continue
				}
				enough = true
				require.NoError(t, err, "%s, %d bytes", name, room)
				require.True(t, reflect.DeepEqual(want, got), "%s, %d bytes", name, room)
				got.Release(mem)
			}
			require.NoError(t, e.Close())
		}
		t.Setenv("ARROWSORT_STANDIN_MEMORY", "")
		want.Release(mem)
	}
}

// sortWithEverything sorts with ample memory.
func sortWithEverything(t *testing.T, job *engine.Job, mem engine.Allocator, use ...func(*tuning.Table),
) *engine.Result {
	e, err := Open(Options{})
	require.NoError(t, err)
	defer e.Close()
	for _, set := range use {
		set(&e.tuning)
	}
	res, err := e.Sort(t.Context(), job, mem)
	require.NoError(t, err)
	return res
}

// pretendMemory has the engine believe that the device has so much memory.
func (e *Engine) pretendMemory(bytes int64) {
	s := <-e.turn
	defer func() { e.turn <- s }()
	s.FreeBytes = bytes
}

// TestGridShortOfMemory makes each allocation of a sort by counted digits fail once: the next sort is right, and no
// memory has been given back twice.
func TestGridShortOfMemory(t *testing.T) {
	t.Setenv("ARROWSORT_STANDIN_CAPABILITY", "8")
	const rows = 30_000
	draw := func(keep int64) func(int) uint64 {
		return func(row int) uint64 { return uint64(int64(mix(uint64(row))%2) * keep) }
	}
	keys := []numberKey{{kind: keyencode.Int16, value: draw(20_000)}, {kind: keyencode.Int32, value: draw(1e9 + 1)}}
	job := &engine.Job{Rows: rows, RowNumbers: 4}
	for i, k := range keys {
		job.Columns = append(job.Columns, k.column(rows))
		job.Keys = append(job.Keys, keyencode.Key{Column: i})
	}
	failed, passed := 0, 0
	for call := 1; passed < 10; call++ {
		require.Less(t, call, 200)
		t.Setenv("ARROWSORT_STANDIN_SHORT", fmt.Sprint(call))
		e, err := Open(Options{})
		if err != nil {
			continue
		}
		if got, err := e.Sort(t.Context(), job, goMemory{}); err == nil {
			passed++
			got.Release(goMemory{})
		} else {
			failed, passed = failed+1, 0
			require.ErrorIs(t, err, engine.ErrMemory, "call %d", call)
		}
		t.Setenv("ARROWSORT_STANDIN_SHORT", "")
		enginetest.CheckOrder(t, e, job, "call %d", call)
		require.NoError(t, e.Close())
	}
	require.Greater(t, failed, 2)
}

// TestShortOfMemory makes each allocation fail once: the error reports it, the device is not lost, and the next sort is
// correct.
func TestShortOfMemory(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	jobs := roomJobs(10_000)
	job := jobs[len(jobs)-1]
	want := sortWithEverything(t, job, mem, useEverything)
	defer want.Release(mem)
	opened, failed, passed := 0, 0, 0
	for call := 1; passed < 100; call++ {
		require.Less(t, call, 2000)
		t.Setenv("ARROWSORT_STANDIN_SHORT", fmt.Sprint(call))
		e, err := Open(Options{})
		if err != nil {
			opened++
			require.ErrorIs(t, err, engine.ErrMemory, "call %d", call)
			continue
		}
		useEverything(&e.tuning)
		before := <-e.turn
		e.turn <- before
		for range 2 {
			got, err := e.Sort(t.Context(), job, mem)
			if err != nil {
				failed, passed = failed+1, 0
				require.ErrorIs(t, err, engine.ErrMemory, "call %d", call)
				require.NotErrorIs(t, err, ErrDevice)
				continue
			}
			passed++
			require.True(t, reflect.DeepEqual(want, got), "call %d", call)
			got.Release(mem)
		}
		after := <-e.turn
		require.Same(t, before, after, "call %d", call)
		e.turn <- after
		require.NoError(t, e.Close())
	}
	require.Greater(t, opened, 3)
	require.Greater(t, failed, 10)
}
