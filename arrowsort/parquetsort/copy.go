package parquetsort

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/allocators"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/output"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/roworder"
)

// errNotInOrder ends the copying of inputs that have to be sorted or merged.
var errNotInOrder = errors.New("not in order")

// copyDeclared copies inputs that declare the order of the keys, while it finds their order. There is no result if they
// do not, or are not in order as they are given. The caller releases the order, which is nil if it was not found.
func (j *job) copyDeclared(ctx context.Context) (result *Result, order *roworder.Sortedness, err error) {
	written := tablefile.RowOrder{Sorting: roworder.SortingOf(j.rows.Keys)}
	if len(written.Sorting) < len(j.rows.Keys) || !j.declares(written) { // sorting columns name columns only
		return nil, nil, nil
	}
	copying, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var looking sync.WaitGroup
	looking.Go(func() {
		if order, err = roworder.Measure(copying, j.files, j.rows, j.opts.sorting(), nil); err != nil {
			cancel(err)
		} else if !order.SortedAsGiven() {
			cancel(errNotInOrder)
		}
	})
	result, failed := j.withSorter(copying, func(_ *extsort.Sorter, out *output.Files) (*Result, error) {
		if err := out.Begin(written); err != nil {
			return nil, err
		}
		if err := j.copyRowGroups(copying, out, j.files.Files); err != nil {
			return nil, err
		}
		if looking.Wait(); copying.Err() != nil {
			return nil, context.Cause(copying)
		}
		return copied(order)
	})
	if failed != nil && !errors.Is(failed, tablefile.ErrCorrupt) { // whoever reads all of it says what is wrong
		cancel(failed)
	}
	looking.Wait()
	switch first := context.Cause(copying); {
	case failed == nil:
		order.Release()
		return result, nil, nil
	case first == nil || first == errNotInOrder:
		return nil, order, nil
	default:
		order.Release()
		return nil, nil, first
	}
}

// declares reports whether the inputs can be copied and are in an order, by the bounds of their row groups.
func (j *job) declares(order tablefile.RowOrder) bool {
	decoded, err := dictionary.DecodedSchema(j.rows.Schema)
	if err != nil || !tablefile.Replaces(j.target.Path) {
		return false
	}
	var last []byte
	return j.copies(j.files.Files, decoded, order, func(template *tablefile.Template) (ok bool) {
		last, ok = template.DeclaresOrder(order.Sorting, last)
		return ok
	})
}

// copies reports whether files can be copied row group by row group to an output of tables of a schema, since it is to
// be as they are, and their layouts are such as is wanted; nil for any. The footer of the output takes as much memory
// as theirs.
func (j *job) copies(files []string, tables *arrow.Schema, order tablefile.RowOrder,
	wanted func(*tablefile.Template) bool) bool {
	opts := &j.opts
	if j.target.Split || opts.Rows != (Rows{}) || len(opts.Columns) > 0 || opts.Output.choosesPages() ||
		j.target.Write.Format != tablefile.Parquet ||
		j.files.Footers > j.files.Budget.Footer() {
		return false
	}
	for _, file := range files {
		s, err := j.files.OpenFile(file, dataset.ScanOptions{})
		if err != nil {
			return false
		}
		same := dataset.ColumnsEqual(j.rows.Schema, s.Schema) && j.target.Copies(s, j.content(tables), order) &&
			(wanted == nil || wanted(s.Template))
		s.Close()
		if !same {
			return false
		}
	}
	return len(files) > 0
}

// copyRowGroups copies the row groups of files, and completes the output.
func (j *job) copyRowGroups(ctx context.Context, out *output.Files, files []string) error {
	pool := allocators.NewRecycler(j.opts.Run.Allocator, 0)
	defer pool.Release()
	done, progress := int64(0), j.opts.progress(PhaseCopy)
	for _, file := range files {
		s, err := j.files.OpenFile(file, dataset.ScanOptions{Pool: pool})
		if err != nil {
			return err
		}
		err = out.CopyRowGroups(ctx, s, func(bytes int64) {
			done += bytes
			progress(done, j.files.Bytes)
		})
		s.Close()
		if err != nil {
			return err
		}
	}
	if out.Preview > 0 {
		if err := j.preview(ctx, out, files, pool); err != nil {
			return err
		}
	}
	return out.Finish()
}

// preview reads the first rows of the files.
func (j *job) preview(ctx context.Context, out *output.Files, files []string, pool *allocators.Recycler) error {
	scan := dataset.ScanOptions{Columns: j.rows, Files: files, DecodeDictionaries: true, Pool: pool,
		BatchBytes: roworder.KeyScanBytes}
	_, err := j.files.Scan(ctx, scan, func(_ int, batch arrow.Table) error {
		done, err := out.AddPreview(ctx, batch)
		if err == nil && done {
			err = io.EOF
		}
		return err
	})
	return err
}

// copied returns the result for files in an order that are copied.
func copied(order *roworder.Sortedness) (*Result, error) {
	plan, err := order.Stats.Plan()
	if err != nil {
		return nil, err
	}
	return &Result{RowsIn: order.Rows, Rows: order.Rows, Plan: plan.String(), Copied: true}, nil
}
