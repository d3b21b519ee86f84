package parquetsort

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/output"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/roworder"
)

// A Sorter sorts record batches within a memory budget: Write takes them, Sorted gives all of them back in order, or
// WriteFile writes them to files. It is used by one goroutine. Close it in any case, after the release of the reader:
// it removes the runs.
type Sorter struct {
	ctx    context.Context
	opts   Options
	sorter *extsort.Sorter
}

// NewSorter begins a sort of batches of a schema by keys, the most significant first. Of the options it uses Rows,
// Memory, Run, and Output: RowGroupRows for the batches of Sorted, all of it for WriteFile. Dictionary columns come
// back as their values.
func NewSorter(ctx context.Context, schema *arrow.Schema, keys []arrowsort.Key, opts Options) (*Sorter, error) {
	if len(opts.Keys) > 0 || opts.KeysFor != nil {
		return nil, fmt.Errorf("%w: the keys of a Sorter are an argument; leave out Keys and KeysFor", errOption)
	}
	opts.Keys = keys
	opts, _, err := opts.resolve(ctx)
	if err != nil {
		return nil, err
	}
	if schema == nil {
		return nil, fmt.Errorf("%w: the schema is nil", errOption)
	}
	s, err := extsort.New(ctx, schema,
		opts.spilling(keys, extsort.Budget{Total: opts.Memory.Budget, All: opts.Memory.Budget}))
	if err != nil {
		return nil, err
	}
	return &Sorter{ctx: ctx, opts: opts, sorter: s}, nil
}

// Schema returns the schema of the sorted batches.
func (s *Sorter) Schema() *arrow.Schema { return s.sorter.Schema() }

// Write takes a batch of the sorter's schema; the caller may release it. It returns when there is memory for the next:
// now and then it sorts and spills. After an error the sorter can only be closed.
func (s *Sorter) Write(rec arrow.Record) error { return s.sorter.Write(rec) }

// Sorted gives the rows in order, in batches of RowGroupRows. It is called once, after the last Write. The caller
// releases the reader, then closes the sorter.
func (s *Sorter) Sorted() (array.RecordReader, error) { return s.sorter.Sorted() }

// Close removes what was spilled. It may be called more than once.
func (s *Sorter) Close() error { return s.sorter.Close() }

// WriteFile writes the rows in order to a file, as Sort does, and is called in place of Sorted. Result has no inputs.
func (s *Sorter) WriteFile(path string) (*Result, error) {
	target, err := s.opts.target(path)
	if err != nil {
		return nil, err
	}
	if err := target.Check(); err != nil {
		return nil, err
	}
	out := output.New(s.ctx, target, output.Content{Rows: s.Schema()})
	defer out.Abort()
	sorted, err := s.sorter.Stream()
	if err != nil {
		return nil, err
	}
	defer sorted.Close()
	if err := out.Begin(tablefile.SortingOf(s.sorter.Plan(), roworder.SortingOf(s.opts.Keys))); err != nil {
		return nil, err
	}
	result, err := writeSorted(s.ctx, s.sorter, out, sorted)
	if err != nil {
		return nil, err
	}
	result.Runs, result.BytesSpilled = s.sorter.Spilled()
	result.Columns = s.Schema().NumFields()
	return result.commit(out, s.Schema(), s.opts.Rows)
}
