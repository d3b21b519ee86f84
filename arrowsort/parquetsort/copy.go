package parquetsort

import (
	"context"
	"errors"
	"sync"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/allocators"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
)

// errNotInOrder ends the copying of inputs that have to be sorted or merged.
var errNotInOrder = errors.New("not in order")

// declaredOrder returns the order of the keys if the inputs can be copied and are in it, by the bounds of their row
// groups; else nil.
func (in *inputs) declaredOrder(ctx context.Context, output string) []tablefile.SortingColumn {
	sorting := sortingOf(in.opts.Keys)
	decoded, err := dictionary.DecodedSchema(in.schema)
	if err != nil || !tablefile.Replaces(output) {
		return nil
	}
	out, err := in.outputs(ctx, output, decoded)
	if err != nil {
		return nil
	}
	out.options.Sorting = sorting
	var last []byte
	declared := func(layout *tablefile.Layout) (ok bool) {
		last, ok = layout.DeclaresOrder(sorting, last)
		return ok
	}
	if !out.copies(in, in.paths, declared) {
		return nil
	}
	return sorting
}

// sortingOf returns the order of keys for the metadata of a file.
func sortingOf(keys []arrowsort.Key) (order []tablefile.SortingColumn) {
	for _, k := range keys {
		by := tablefile.SortingColumn{Path: k.Path, Descending: k.Order == arrowsort.Descending,
			NullsFirst: k.Nulls == arrowsort.NullsAtStart}
		if k.Path == "" {
			by.Column, _ = k.At.Index()
		}
		order = append(order, by)
	}
	return order
}

// copyDeclared copies inputs that declare the order of the keys, while it finds their order. There is no result if they
// do not, or are not in order as they are given. The caller releases the order, which is nil if it was not found.
func (in *inputs) copyDeclared(ctx context.Context, output string) (result *Result, order *sortedness, err error) {
	sorting := in.declaredOrder(ctx, output)
	if sorting == nil {
		return nil, nil, nil
	}
	copying, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var looking sync.WaitGroup
	looking.Go(func() {
		if order, err = in.quiet().order(copying); err != nil {
			cancel(err)
		} else if !order.sortedAsGiven() {
			cancel(errNotInOrder)
		}
	})
	result, failed := in.within(copying, output, func(_ *extsort.Sorter, out *outputs) (*Result, error) {
		out.options.Sorting = sorting
		if err := out.begin(); err != nil {
			return nil, err
		}
		if err := out.copyRowGroups(copying, in, in.paths); err != nil {
			return nil, err
		}
		if looking.Wait(); copying.Err() != nil {
			return nil, context.Cause(copying)
		}
		return order.copied()
	})
	if failed != nil && !errors.Is(failed, tablefile.ErrCorrupt) { // whoever reads all of it says what is wrong
		cancel(failed)
	}
	looking.Wait()
	switch first := context.Cause(copying); {
	case failed == nil:
		order.release()
		return result, nil, nil
	case first == nil || first == errNotInOrder:
		return nil, order, nil
	default:
		order.release()
		return nil, nil, first
	}
}

// quiet returns the inputs without progress.
func (in *inputs) quiet() *inputs {
	quiet, opts := *in, *in.opts
	opts.Run.Progress = func(Phase, int64, int64) {}
	quiet.opts = &opts
	return &quiet
}

// copies reports whether files can be copied to the output row group by row group, since it is to be as they are, and
// their layouts are such as is wanted; nil for any. The footer of the output takes as much memory as theirs.
func (o *outputs) copies(in *inputs, files []string, wanted func(*tablefile.Layout) bool) bool {
	opts := in.opts
	if opts.splits() || opts.filters() || len(opts.Input.Columns) > 0 || opts.Rows.Limit > 0 ||
		opts.Output.RowGroupRows > 0 || opts.Output.PageRows > 0 || o.options.Format != tablefile.Parquet ||
		in.footers > opts.budget().Footer() {
		return false
	}
	for _, file := range files {
		s, err := in.scan(file)
		if err != nil {
			return false
		}
		same := dataset.ColumnsEqual(in.schema, s.Schema) && tablefile.Copies(s, o.schema, o.options) &&
			(wanted == nil || wanted(s.Layout))
		s.Close()
		if !same {
			return false
		}
	}
	return len(files) > 0
}

// copyRowGroups copies the row groups of files, and completes the output.
func (o *outputs) copyRowGroups(ctx context.Context, in *inputs, files []string) error {
	read := *in
	read.flat = allocators.NewRecycler(in.opts.Run.Allocator, 0)
	defer read.flat.Release()
	done := int64(0)
	for _, file := range files {
		s, err := read.scan(file)
		if err != nil {
			return err
		}
		err = o.file.Copy(ctx, s, func(bytes int64) {
			done += bytes
			in.opts.Run.Progress(PhaseCopy, done, in.bytes)
		})
		s.Close()
		if err != nil {
			return err
		}
	}
	if err := o.head.read(ctx, &read, files); err != nil {
		return err
	}
	return o.finish()
}

// copied returns the result for files that are copied.
func (o *sortedness) copied() (*Result, error) {
	plan, err := o.stats.Plan()
	if err != nil {
		return nil, err
	}
	return &Result{RowsIn: o.rows, Rows: o.rows, Plan: plan.String(), Copied: true}, nil
}
