package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// A variant is one way to do the work. It returns its result and the seconds it took.
type variant struct {
	name string
	run  func(ctx context.Context) (result arrow.Record, m measured, err error)
}

// measured is what one run gave.
type measured struct {
	Seconds float64 `json:"seconds"`
	// Bytes is, in mode memory, the peak of temp storage beside input and output.
	Bytes int64 `json:"bytes,omitempty"`
}

type work struct {
	variants []variant
	bytes    int // that a run may need: what the record takes, three times
}

func newWork(mode string, rec arrow.Record, names []string) (*work, error) {
	keys := make([]arrowsort.Key, len(names))
	for i, name := range names {
		keys[i].Path = name
	}
	switch mode {
	case "sort":
		return &work{variants: []variant{
			sortVariant("arrowsort", rec, keys, arrowsort.Options{}),
			sortVariant("recycled", rec, keys, arrowsort.Options{Allocator: arrowsort.NewRecycler(nil, 0)}),
		}}, nil
	case "argsort":
		return &work{variants: []variant{{"arrowsort", func(ctx context.Context) (arrow.Record, measured, error) {
			return clock(func() (arrow.Record, error) { return argsort(ctx, rec, keys) })
		}}}}, nil
	case "small":
		return smallWork(rec, keys)
	case "copy":
		return copyWork(rec)
	case "memory":
		return memoryWork(rec, keys), nil
	case "collate":
		return collateWork(rec, keys)
	}
	return nil, fmt.Errorf("unknown -mode %q: use sort, argsort, small, copy, memory or collate", mode)
}

func sortVariant(name string, rec arrow.Record, keys []arrowsort.Key, opts arrowsort.Options) variant {
	return variant{name, func(ctx context.Context) (arrow.Record, measured, error) {
		return clock(func() (arrow.Record, error) { return arrowsort.Sort(ctx, rec, keys, opts) })
	}}
}

func argsort(ctx context.Context, rec arrow.Record, keys []arrowsort.Key) (arrow.Record, error) {
	rows, err := arrowsort.SortIndices(ctx, rec, keys, arrowsort.Options{})
	if err != nil {
		return nil, err
	}
	defer rows.Release()
	return indexRecord(rows), nil
}

func indexRecord(rows arrow.Array) arrow.Record {
	schema := arrow.NewSchema([]arrow.Field{{Name: "index", Type: rows.DataType()}}, nil)
	return array.NewRecord(schema, []arrow.Array{rows}, int64(rows.Len()))
}

func clock(f func() (arrow.Record, error)) (arrow.Record, measured, error) {
	start := time.Now()
	rec, err := f()
	return rec, measured{Seconds: time.Since(start).Seconds()}, err
}

func (w *work) names() []string {
	var names []string
	for _, v := range w.variants {
		names = append(names, v.name)
	}
	return names
}

// do carries out one command and returns what to answer.
func (w *work) do(ctx context.Context, line string) (any, error) {
	f := strings.Fields(line)
	if len(f) < 2 {
		return nil, fmt.Errorf("want run VARIANT or save VARIANT FILE")
	}
	i := slices.IndexFunc(w.variants, func(v variant) bool { return v.name == f[1] })
	if i < 0 {
		return nil, fmt.Errorf("no such variant: use one of %s", strings.Join(w.names(), ", "))
	}
	warmPages(w.bytes)
	rec, m, err := w.variants[i].run(ctx)
	if err != nil {
		return nil, err
	}
	defer fresh()
	if rec != nil {
		defer rec.Release()
	}
	switch {
	case f[0] == "run" && len(f) == 2:
		return m, nil
	case f[0] == "save" && len(f) == 3:
		if rec == nil {
			return map[string]any{"saved": false}, nil
		}
		return map[string]any{"saved": true}, store(f[2], rec)
	}
	return nil, fmt.Errorf("unknown command: want run VARIANT or save VARIANT FILE")
}

// fresh gives the memory of a dropped result back to the system, so that the next run pays for its pages again.
func fresh() {
	runtime.GC()
	debug.FreeOSMemory()
}

// copyWork copies the fixed-width values of all columns into new memory with all threads: the floor of any sort that
// gives a new record.
func copyWork(rec arrow.Record) (*work, error) {
	var columns [][]byte
	for i, c := range rec.Columns() {
		w, ok := c.DataType().(arrow.FixedWidthDataType)
		if !ok || w.BitWidth()%8 != 0 {
			return nil, fmt.Errorf("mode copy wants columns of whole bytes, %q is %s", rec.ColumnName(i), c.DataType())
		}
		size := w.BitWidth() / 8
		d := c.Data()
		columns = append(columns, d.Buffers()[1].Bytes()[d.Offset()*size:(d.Offset()+d.Len())*size])
	}
	return &work{variants: []variant{{"copy", func(context.Context) (arrow.Record, measured, error) {
		var kept [][]byte
		_, m, err := clock(func() (arrow.Record, error) {
			for _, src := range columns {
				kept = append(kept, copyParallel(src))
			}
			return nil, nil
		})
		runtime.KeepAlive(kept)
		return nil, m, err
	}}}}, nil
}

// copyParallel returns a copy of src in fresh huge pages, where the system has them.
func copyParallel(src []byte) []byte {
	dst := make([]byte, len(src))
	adviseHuge(dst)
	threads := runtime.GOMAXPROCS(0)
	var wg sync.WaitGroup
	for t := range threads {
		lo, hi := len(src)/threads*t, len(src)/threads*(t+1)
		if t == threads-1 {
			hi = len(src)
		}
		wg.Go(func() { copy(dst[lo:hi], src[lo:hi]) })
	}
	wg.Wait()
	return dst
}

// smallTime is how long one run of a small job repeats its call; the run reports the seconds of one call.
const smallTime = 200 * time.Millisecond

// smallWork compares the row numbers of a small record with slices.SortFunc on (key, row) pairs. The pairs are copied
// from prepared ones inside the clock, because SortFunc sorts in place; taking the row numbers out again is not
// counted.
func smallWork(rec arrow.Record, keys []arrowsort.Key) (*work, error) {
	column, ok := rec.Column(0).(*array.Int64)
	if !ok || column.NullN() > 0 {
		return nil, fmt.Errorf("mode small wants an int64 first column without nulls, got %s", rec.Column(0).DataType())
	}
	type pair struct {
		key int64
		row uint32
	}
	pairs := make([]pair, column.Len())
	for row, key := range column.Int64Values() {
		pairs[row] = pair{key, uint32(row)}
	}
	scratch := make([]pair, len(pairs))
	return &work{variants: []variant{
		{"arrowsort", func(ctx context.Context) (arrow.Record, measured, error) {
			m, err := repeat(func() error {
				rows, err := arrowsort.SortIndices(ctx, rec, keys, arrowsort.Options{})
				if err == nil {
					rows.Release()
				}
				return err
			})
			if err != nil {
				return nil, m, err
			}
			result, err := argsort(ctx, rec, keys)
			return result, m, err
		}},
		{"slices", func(context.Context) (arrow.Record, measured, error) {
			m, err := repeat(func() error {
				copy(scratch, pairs)
				slices.SortFunc(scratch, func(a, b pair) int {
					return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.row, b.row))
				})
				return nil
			})
			return nil, m, err
		}},
	}}, nil
}

// repeat calls f for about smallTime and returns the mean of a call.
func repeat(f func() error) (measured, error) {
	start, calls := time.Now(), 0
	for time.Since(start) < smallTime {
		for range 8 {
			if err := f(); err != nil {
				return measured{}, err
			}
			calls++
		}
	}
	return measured{Seconds: time.Since(start).Seconds() / float64(calls)}, nil
}

// memoryWork measures the temp storage of a sort: the most bytes that were allocated at any moment, less those of the
// result.
func memoryWork(rec arrow.Record, keys []arrowsort.Key) *work {
	return &work{variants: []variant{{"arrowsort", func(ctx context.Context) (arrow.Record, measured, error) {
		mem := &peakAllocator{Allocator: memory.NewGoAllocator()}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		result, m, err := clock(func() (arrow.Record, error) {
			return arrowsort.Sort(ctx, rec, keys, arrowsort.Options{Allocator: mem})
		})
		runtime.ReadMemStats(&after)
		// What was not allocated through the allocator counts in full, although some may have been garbage at the peak.
		outside := int64(after.TotalAlloc-before.TotalAlloc) - mem.total
		m.Bytes = mem.peak - mem.live + max(outside, 0)
		return result, m, err
	}}}}
}

// peakAllocator remembers the most bytes that were live at once.
type peakAllocator struct {
	memory.Allocator
	mu                sync.Mutex
	live, peak, total int64
}

func (a *peakAllocator) Allocate(size int) []byte {
	a.grow(size)
	return a.Allocator.Allocate(size)
}

// Reallocate counts old and new memory as live at once, as they are while the bytes are copied.
func (a *peakAllocator) Reallocate(size int, b []byte) []byte {
	a.grow(size)
	defer a.shrink(len(b))
	return a.Allocator.Reallocate(size, b)
}

func (a *peakAllocator) Free(b []byte) {
	a.shrink(len(b))
	a.Allocator.Free(b)
}

func (a *peakAllocator) grow(size int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.total += int64(size)
	a.live += int64(size)
	a.peak = max(a.peak, a.live)
}

func (a *peakAllocator) shrink(size int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.live -= int64(size)
}
