// Package roworder finds out whether the rows of files are in order, and translates the order that Parquet files name
// in their footers to keys and back.
package roworder

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
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
)

// A Violation is a row that sorts before the one above it.
type Violation struct {
	File string
	Row  int64 // in the file, from 0; row 0 sorts before the last row of the file before
	// Reason is set when the file may be in order by itself: its key has another type than in all CSV files together.
	Reason string
}

// String names the row and the one that it sorts before, without the file.
func (v *Violation) String() string {
	if v.Row == 0 {
		return "row 0 sorts before the last row of the files before it (rows count from 0)"
	}
	return fmt.Sprintf("row %d sorts before row %d (rows count from 0)", v.Row, v.Row-1)
}

// A Sortedness says which files are sorted, and the first and last key of each.
type Sortedness struct {
	Rows     int64 // of all files
	Stats    extsort.KeyStatistics
	Unsorted *Violation // the first row that is not in order; then nothing else holds

	files []fileRange // those that have rows
}

// A fileRange is a file that is in order. Its borders are batches of one row that hold the keys only.
type fileRange struct {
	number            int
	path              string
	rows              int64
	scan              Checker
	first, last       *extsort.KeyedRows
	firstKey, lastKey []uint64 // the codes of the borders
}

// Measure reads the keys of a dataset, up to the first row that is not in order. The caller releases the result.
func Measure(ctx context.Context, d *dataset.Dataset, rows dataset.Projection, opts arrowsort.Options,
	progress func(done, total int64)) (*Sortedness, error) {
	pool := allocators.NewRecycler(opts.Allocator, 0)
	defer pool.Release()
	keys, s := rows.OnlyKeys(), &Sortedness{}
	scan := dataset.ScanOptions{Columns: keys, DecodeDictionaries: true, BatchBytes: KeyScanBytes, Pool: pool,
		Progress: progress}
	_, err := d.Scan(ctx, scan, func(file int, batch arrow.Table) error {
		if batch.NumRows() == 0 {
			return nil
		}
		if n := len(s.files); n == 0 || s.files[n-1].number != file {
			s.files = append(s.files, fileRange{number: file, path: d.Files[file], scan: Checker{Options: opts}})
		}
		return s.add(ctx, &s.files[len(s.files)-1], keys.Keys, batch)
	})
	if err == nil && s.Unsorted == nil && s.Rows > 0 {
		err = s.encode(ctx, keys.Keys, opts)
	}
	if err != nil {
		s.Release()
		return nil, err
	}
	return s, nil
}

// KeyScanBytes are read of the keys at a time: of most inputs that are not in order the first batch shows it.
const KeyScanBytes = 1 << 20

// add looks at the next rows of a file.
func (s *Sortedness) add(ctx context.Context, f *fileRange, keys []arrowsort.Key, batch arrow.Table) error {
	at, err := f.scan.Add(ctx, keys, batch)
	if err != nil {
		return err
	}
	if at >= 0 {
		s.Unsorted = &Violation{File: f.path, Row: f.rows + at}
		return io.EOF
	}
	if f.first == nil {
		if f.first, err = extsort.CopyRow(ctx, batch, 0, keys, f.scan.Options); err != nil {
			return err
		}
	}
	s.Rows += batch.NumRows()
	f.rows += batch.NumRows()
	return s.Stats.Add(ctx, batch, keys, f.scan.Options.Allocator)
}

// encode makes the codes of all borders.
func (s *Sortedness) encode(ctx context.Context, keys []arrowsort.Key, opts arrowsort.Options) error {
	plan, err := s.Stats.Plan()
	if err != nil {
		return err
	}
	for i := range s.files {
		f := &s.files[i]
		if f.last, err = extsort.CopyRow(ctx, f.scan.last, 0, keys, opts); err != nil {
			return err
		}
		f.first.Bind(plan)
		f.last.Bind(plan)
		f.firstKey, f.lastKey = f.first.Code(0), f.last.Code(0)
	}
	return nil
}

// Files returns the number of files that have rows.
func (s *Sortedness) Files() int { return len(s.files) }

// Sources returns the files as sources of a merge, which take over their first rows. open opens a file when it is read.
func (s *Sortedness) Sources(open func(path string) extsort.TableStream) []extsort.Source {
	var sources []extsort.Source
	for i := range s.files {
		f := &s.files[i]
		sources = append(sources, extsort.Source{Rows: open(f.path), First: f.first})
		f.first = nil
	}
	return sources
}

// Concatenable lists the files with rows so that each begins where the one before ends; nil when some overlap. Ties at
// borders keep the order of the inputs.
func (s *Sortedness) Concatenable() []string {
	sorted := slices.Clone(s.files)
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

// SortedAsGiven reports whether all rows are in order as they are given.
func (s *Sortedness) SortedAsGiven() bool {
	if s.Unsorted != nil {
		return false
	}
	for i := 1; i < len(s.files); i++ {
		if slices.Compare(s.files[i-1].lastKey, s.files[i].firstKey) > 0 {
			return false
		}
	}
	return true
}

// Overlap returns the largest number of files that have rows at the same place of the order.
func (s *Sortedness) Overlap() int {
	most := 0
	for _, at := range s.files {
		n := 0
		for _, f := range s.files {
			if slices.Compare(f.firstKey, at.firstKey) <= 0 && slices.Compare(at.firstKey, f.lastKey) <= 0 {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// Release releases the borders of the files; that of nil does nothing.
func (s *Sortedness) Release() {
	if s == nil {
		return
	}
	for i := range s.files {
		f := &s.files[i]
		f.scan.Forget()
		for _, b := range []*extsort.KeyedRows{f.first, f.last} {
			if b != nil {
				b.Release()
			}
		}
	}
	s.files = nil
}

// A Checker checks batch by batch that each row sorts after the one before it. It keeps the last row.
type Checker struct {
	Options arrowsort.Options
	last    arrow.Table // nil before the first row
}

// Add returns the first row of the next batch that sorts before the one above it; -1 when there is none.
func (c *Checker) Add(ctx context.Context, keys []arrowsort.Key, batch arrow.Table) (row int64, err error) {
	parts, above := []arrow.Table{batch}, int64(0)
	if c.last != nil {
		parts, above = []arrow.Table{c.last, batch}, 1
	}
	all := arraydata.Concatenate(batch.Schema(), parts)
	defer all.Release()
	sorted, first, err := arrowsort.IsSorted(ctx, all, keys, c.Options)
	if err != nil {
		return -1, err
	}
	if !sorted {
		return int64(first) - above, nil
	}
	if batch.NumRows() == 0 {
		return -1, nil
	}
	// A slice would keep all rows of the batch.
	last, err := extsort.TakeRows(ctx, batch, []uint64{uint64(batch.NumRows() - 1)}, c.Options)
	if err != nil {
		return -1, fmt.Errorf("the last row of a piece: %w", err)
	}
	c.Forget()
	c.last = last
	return -1, nil
}

// Forget releases the last row: the next one is in order after any.
func (c *Checker) Forget() {
	if c.last != nil {
		c.last.Release()
		c.last = nil
	}
}
