package parquetsort

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/allocators"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
)

// A sortedness says which files are sorted, and the first and last key of each.
type sortedness struct {
	files    []fileRange // those that have rows
	rows     int64
	stats    extsort.KeyStatistics
	unsorted *Violation // the first row that is not in order; then nothing else holds
}

// A fileRange is an input that is in order. Its borders are batches of one row that hold the keys only.
type fileRange struct {
	number            int
	path              string
	rows              int64
	scan              orderChecker
	first, last       *extsort.KeyedRows
	firstKey, lastKey []uint64 // the codes of the borders
}

// order reads the keys of the inputs, up to the first row that is not in order. The caller releases what it returns.
func (in *inputs) order(ctx context.Context) (*sortedness, error) {
	keys, opts := *in, *in.opts
	keys.opts, keys.decode, keys.piece = &opts, true, keyScanBytes
	keys.readKeysOnly()
	keys.flat = allocators.NewRecycler(opts.Run.Allocator, 0)
	defer keys.flat.Release()
	o := &sortedness{}
	err := keys.each(ctx, PhaseCheck, func(file int, piece arrow.Table) error {
		return o.add(ctx, &keys, file, piece)
	})
	if err == nil && o.unsorted == nil && o.rows > 0 {
		err = o.encode(ctx, &opts)
	}
	if err != nil {
		o.release()
		return nil, err
	}
	return o, nil
}

// keyScanBytes are read of the keys at a time: of most inputs that are not in order the first piece shows it.
const keyScanBytes = 1 << 20

// add looks at the next rows of a file.
func (o *sortedness) add(ctx context.Context, in *inputs, file int, piece arrow.Table) error {
	if piece.NumRows() == 0 {
		return nil
	}
	if n := len(o.files); n == 0 || o.files[n-1].number != file {
		o.files = append(o.files, fileRange{number: file, path: in.paths[file], scan: orderChecker{opts: in.opts}})
	}
	f := &o.files[len(o.files)-1]
	at, err := f.scan.add(ctx, piece)
	if err != nil {
		return err
	}
	if at >= 0 {
		o.unsorted = &Violation{File: f.path, Row: f.rows + at}
		return io.EOF
	}
	if f.first == nil {
		if f.first, err = extsort.CopyRow(ctx, piece, 0, in.opts.Keys, in.opts.sorting()); err != nil {
			return err
		}
	}
	o.rows += piece.NumRows()
	f.rows += piece.NumRows()
	return o.stats.Add(ctx, piece, in.opts.Keys, in.opts.Run.Allocator)
}

// encode makes the codes of all borders.
func (o *sortedness) encode(ctx context.Context, opts *Options) error {
	plan, err := o.stats.Plan()
	if err != nil {
		return err
	}
	for i := range o.files {
		f := &o.files[i]
		if f.last, err = extsort.CopyRow(ctx, f.scan.last, 0, opts.Keys, opts.sorting()); err != nil {
			return err
		}
		f.first.Bind(plan)
		f.last.Bind(plan)
		f.firstKey, f.lastKey = f.first.Code(0), f.last.Code(0)
	}
	return nil
}

// err returns the error for inputs that have to be in order and are not.
func (o *sortedness) err(ctx context.Context, in *inputs) error {
	v := o.unsorted
	advice, err := in.csvTypeConflict(ctx, v.File)
	switch {
	case err != nil:
		return err
	case advice != "":
		advice += "; sort them together"
	default:
		advice = "sort the file first"
	}
	return &UnsortedError{File: v.File, Row: v.Row, advice: advice}
}

// concatenable lists the files with rows so that each begins where the one before ends; nil when some overlap. Ties at
// borders keep the order of the inputs.
func (o *sortedness) concatenable() []string {
	sorted := slices.Clone(o.files)
	slices.SortStableFunc(sorted, func(a, b fileRange) int { return slices.Compare(a.firstKey, b.firstKey) })
	var paths []string
	for i, f := range sorted {
		if i > 0 {
			before := &sorted[i-1]
			if c := slices.Compare(before.lastKey, f.firstKey); c > 0 || c == 0 && before.number > f.number {
				return nil
			}
		}
		paths = append(paths, f.path)
	}
	return paths
}

// sortedAsGiven reports whether all rows are in order as they are given.
func (o *sortedness) sortedAsGiven() bool {
	if o.unsorted != nil {
		return false
	}
	for i := 1; i < len(o.files); i++ {
		if slices.Compare(o.files[i-1].lastKey, o.files[i].firstKey) > 0 {
			return false
		}
	}
	return true
}

// overlap returns the largest number of files that have rows at the same place of the order.
func (o *sortedness) overlap() int {
	most := 0
	for _, at := range o.files {
		n := 0
		for _, f := range o.files {
			if slices.Compare(f.firstKey, at.firstKey) <= 0 && slices.Compare(at.firstKey, f.lastKey) <= 0 {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

func (o *sortedness) release() {
	if o == nil {
		return
	}
	for i := range o.files {
		f := &o.files[i]
		f.scan.forget()
		for _, b := range []*extsort.KeyedRows{f.first, f.last} {
			if b != nil {
				b.Release()
			}
		}
	}
	o.files = nil
}

// An orderChecker checks piece by piece that each row sorts after the one before it. It keeps the last row.
type orderChecker struct {
	opts *Options
	last arrow.Table // nil before the first row
}

// add returns the first row of the next piece that sorts before the one above it; -1 when there is none.
func (o *orderChecker) add(ctx context.Context, piece arrow.Table) (row int64, err error) {
	parts, above := []arrow.Table{piece}, int64(0)
	if o.last != nil {
		parts, above = []arrow.Table{o.last, piece}, 1
	}
	all := arraydata.Concatenate(piece.Schema(), parts)
	defer all.Release()
	sorted, first, err := arrowsort.IsSorted(ctx, all, o.opts.Keys, o.opts.sorting())
	if err != nil {
		return -1, err
	}
	if !sorted {
		return int64(first) - above, nil
	}
	if piece.NumRows() == 0 {
		return -1, nil
	}
	return -1, o.remember(ctx, piece)
}

// remember copies the last row of a piece, which would keep the piece in memory.
func (o *orderChecker) remember(ctx context.Context, piece arrow.Table) error {
	last, err := extsort.TakeRows(ctx, piece, []uint64{uint64(piece.NumRows() - 1)}, o.opts.sorting())
	if err != nil {
		return fmt.Errorf("the last row of a piece: %w", err)
	}
	o.forget()
	o.last = last
	return nil
}

func (o *orderChecker) forget() {
	if o.last != nil {
		o.last.Release()
		o.last = nil
	}
}
