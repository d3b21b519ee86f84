package arrowsort_test

import (
	"context"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
)

func TestOptionsAreChecked(t *testing.T) {
	mem := checked(t)
	a := fromJSON(t, mem, arrow.PrimitiveTypes.Int32, `[2, 1]`)
	for text, opts := range map[string]arrowsort.Options{
		"arrowsort: invalid argument: Options.Limit is -1; give 0 for all rows":     {Limit: -1},
		"arrowsort: invalid argument: Options.Threads is -2; give 0 for GOMAXPROCS": {Threads: -2},
	} {
		_, err := arrowsort.Sort(t.Context(), a, nil, opts)
		require.EqualError(t, err, text)
		require.ErrorIs(t, err, arrowsort.ErrOption)
		_, err = arrowsort.Take(t.Context(), a, a, opts)
		require.EqualError(t, err, text)
		_, _, err = arrowsort.IsSorted(t.Context(), a, nil, opts)
		require.EqualError(t, err, text)
	}
}

// failing is an engine that says what it was asked for.
type failing struct {
	err error
	job engine.Job
}

func (f *failing) Name() string { return "failing" }

func (f *failing) Sort(_ context.Context, job *engine.Job, _ engine.Allocator) (*engine.Result, error) {
	f.job = *job
	return nil, f.err
}

func TestEngineGetsTheJob(t *testing.T) {
	mem := checked(t)
	rec := record(t, []string{"a", "l"}, fromJSON(t, mem, arrow.PrimitiveTypes.Int32, `[2, 1]`),
		fromJSON(t, mem, arrow.ListOf(arrow.PrimitiveTypes.Int32), `[[1], null]`))
	for err, want := range map[error]error{
		engine.ErrMemory: engine.ErrMemory, engine.ErrRows: arrowsort.ErrRows,
		engine.ErrOffsets: arrowsort.ErrOffsets,
	} {
		f := &failing{err: err}
		_, got := arrowsort.Sort(
			t.Context(), rec, []arrowsort.Key{{Path: "a"}},
			arrowsort.Options{Allocator: mem, Engine: f, Threads: 3, Limit: 1},
		)
		require.ErrorIs(t, got, err)
		require.ErrorIs(t, got, want)
		require.Equal(t, 3, f.job.Threads)
		require.Equal(t, 1, f.job.Limit)
		require.Equal(t, 4, f.job.RowNumbers, "the list is taken by row numbers")
		require.Equal(t, []int{0}, f.job.Gather, "the key is gathered from its own column")
		require.Len(t, f.job.Columns, 1)
	}
}
