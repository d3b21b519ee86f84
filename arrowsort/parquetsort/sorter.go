package parquetsort

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/output"
)

// A Sorter sorts record batches within a memory budget: Write takes them, Sorted gives all of them back in order, or
// WriteFile writes them to files. It is used by one goroutine. Close it in any case, after the release of the reader:
// it removes the runs.
type Sorter struct {
	ctx    context.Context
	opts   Options // resolved, without Output
	sorter *extsort.Sorter
}

// NewSorter begins a sort of batches of a schema by keys, the most significant first. Dictionary columns come back as
// their values.
func NewSorter(ctx context.Context, schema *arrow.Schema, keys []arrowsort.Key, options SorterOptions) (*Sorter,
	error) {
	opts, _, err := Options{Keys: keys, Rows: options.Rows, Memory: options.Memory, Run: options.Run}.resolve(ctx)
	switch {
	case err != nil:
		return nil, err
	case schema == nil:
		return nil, fmt.Errorf("%w: the schema is nil", errOption)
	case options.BatchRows < 0:
		return nil, fmt.Errorf("%w: BatchRows is %d", errOption, options.BatchRows)
	}
	opts.Output.RowGroupRows = options.BatchRows
	s, err := extsort.New(ctx, schema, opts.spilling(keys, extsort.Budget{Total: opts.Memory.Budget,
		All: opts.Memory.Budget}))
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

// Sorted gives the rows in order, in batches of BatchRows. It is called once, after the last Write. The caller
// releases the reader, then closes the sorter.
func (s *Sorter) Sorted() (array.RecordReader, error) { return s.sorter.Sorted() }

// Close removes what was spilled. It may be called more than once.
func (s *Sorter) Close() error { return s.sorter.Close() }

// WriteFile writes the rows in order to a file, or to several, as Sort does; it is called in place of Sorted. Result
// has no inputs.
func (s *Sorter) WriteFile(path string, out Output) (*Result, error) {
	if err := out.check(); err != nil {
		return nil, err
	}
	if len(out.PartitionBy) > 0 || out.Overwrite {
		return nil, fmt.Errorf("%w: PartitionBy and Overwrite go with Sort, and not with WriteFile", errOption)
	}
	target, err := s.opts.Run.target(s.ctx, path, out)
	if err != nil {
		return nil, err
	}
	if err := target.Check(nil, nil); err != nil {
		return nil, err
	}
	files := output.New(s.ctx, target, output.Content{Rows: s.Schema()})
	defer files.Abort()
	result, err := writeRuns(s.ctx, s.sorter, files, out.RowGroupRows,
		dataset.Projection{Keys: s.opts.Keys, Schema: s.Schema()})
	if err != nil {
		return nil, files.Standing(err)
	}
	result.Runs, result.BytesSpilled = s.sorter.Spilled()
	result.Columns = s.Schema().NumFields()
	return result.commit(files, s.Schema(), s.opts.Rows)
}
