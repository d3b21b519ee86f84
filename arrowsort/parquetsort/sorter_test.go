package parquetsort

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
)

// counted is the engine of the CPU and counts its sorts.
type counted struct {
	engine.Engine
	sorts atomic.Int64
}

func (c *counted) Sort(ctx context.Context, job *engine.Job, mem engine.Allocator) (*engine.Result, error) {
	c.sorts.Add(1)
	return c.Engine.Sort(ctx, job, mem)
}

func TestRunsAreSortedByTheEngine(t *testing.T) {
	folder, spill := t.TempDir(), t.TempDir()
	in, out := manyNumbers(t, folder, "in.parquet"), filepath.Join(folder, "out.parquet")
	e := &counted{Engine: cpu.New()}
	result := sortFiles(t, []string{in}, out,
		Options{Keys: numberKeys["key"], Memory: Memory{Budget: MinMemory, SpillDir: spill}, Run: Run{Engine: e}})
	require.Greater(t, result.Runs, 1)
	require.GreaterOrEqual(t, e.sorts.Load(), int64(result.Runs))
	requireSorted(t, []string{in}, []string{out}, numberKeys["key"])
}

// TestOptionsOfAWrittenFile that make no sense are ErrOption, as those of Sort are.
func TestOptionsOfAWrittenFile(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int64}}, nil)
	for _, out := range []Output{{Compression: "other"}, {Format: "other"}, {RowGroupRows: -1}} {
		s, err := NewSorter(t.Context(), schema, []arrowsort.Key{{Path: "k"}}, SorterOptions{})
		require.NoError(t, err)
		_, err = s.WriteFile(filepath.Join(t.TempDir(), "out.parquet"), out)
		require.ErrorIs(t, err, ErrOption)
		require.NoError(t, s.Close())
	}
}

// TestNilArguments calls every function with a nil in place of each argument that can be one.
func TestNilArguments(t *testing.T) {
	var noContext context.Context
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "in.parquet")
	opts := Options{Keys: []arrowsort.Key{{Path: "k"}}}
	var footers FooterOptions
	var parts PartOptions
	schema := arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int64}}, nil)
	calls := map[string]func(ctx context.Context, paths []string) error{}
	add := func(name string, call func(ctx context.Context, paths []string) (any, error)) {
		calls[name] = func(ctx context.Context, paths []string) error {
			_, err := call(ctx, paths)
			return err
		}
	}
	add("Sort", func(ctx context.Context, p []string) (any, error) { return Sort(ctx, p, path, opts) })
	add("Merge", func(ctx context.Context, p []string) (any, error) { return Merge(ctx, p, path, opts) })
	add("Check", func(ctx context.Context, p []string) (any, error) { return Check(ctx, p, checking(opts)) })
	add("Explain", func(ctx context.Context, p []string) (any, error) { return Explain(ctx, p, opts) })
	add("Divide", func(ctx context.Context, p []string) (any, error) {
		return Divide(ctx, p, 1, DivideOptions{Keys: opts.Keys})
	})
	add("DeclaredOrders", func(ctx context.Context, p []string) (any, error) { return DeclaredOrders(ctx, p, footers) })
	add("CheckFooters", func(ctx context.Context, p []string) (any, error) {
		return CheckFooters(ctx, &CheckResult{Files: p}, footers)
	})
	for name, call := range calls {
		require.ErrorIs(t, call(ctx, nil), ErrOption, name)
		require.ErrorIs(t, call(noContext, []string{path}), ErrOption, name)
	}
	_, err := Argsort(noContext, path, path, opts)
	require.ErrorIs(t, err, ErrOption)
	_, err = Plan(noContext, path, checking(opts))
	require.ErrorIs(t, err, ErrOption)
	_, err = CheckFooters(ctx, nil, footers)
	require.ErrorIs(t, err, ErrOption)
	use := func(arrow.Table) error { return nil }
	require.ErrorIs(t, ReadPart(noContext, Part{}, schema, nil, parts, use), ErrOption)
	require.ErrorIs(t, ReadPart(ctx, Part{}, nil, nil, parts, use), ErrOption)
	require.ErrorIs(t, ReadPart(ctx, Part{}, schema, nil, parts, nil), ErrOption)
	_, err = NewSorter(noContext, schema, opts.Keys, SorterOptions{})
	require.ErrorIs(t, err, ErrOption)
	_, err = NewSorter(ctx, nil, opts.Keys, SorterOptions{})
	require.ErrorIs(t, err, ErrOption)
	_, err = NewSorter(ctx, schema, nil, SorterOptions{})
	require.ErrorIs(t, err, arrowsort.ErrNoKeys)
	_, err = NewSorter(ctx, schema, opts.Keys, SorterOptions{BatchRows: -1})
	require.ErrorIs(t, err, ErrOption)
	s, err := NewSorter(ctx, schema, opts.Keys, SorterOptions{})
	require.NoError(t, err)
	defer s.Close()
	require.ErrorIs(t, s.Write(nil), ErrOption)
	require.EqualError(t, s.Write(nil), "parquetsort: invalid option: the batch is nil")
	_, err = s.WriteFile(path, Output{RowGroupRows: -1})
	require.EqualError(t, err, "parquetsort: invalid option: RowGroupRows is -1")
	files, err := Expand(nil)
	require.NoError(t, err)
	require.Empty(t, files)
}
