package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

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
		return &work{variants: []variant{{"arrowsort", func(ctx context.Context) (arrow.Record, measured, error) {
			return clock(func() (arrow.Record, error) { return arrowsort.Sort(ctx, rec, keys, arrowsort.Options{}) })
		}}}}, nil
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
	}
	return nil, fmt.Errorf("unknown -mode %q: use sort, argsort, small, copy or memory", mode)
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
