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
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/roworder"
)

// A CheckResult is what Check read.
type CheckResult struct {
	Files     []string
	Keys      []arrowsort.Key // those by position have the name of their column if no other has it
	Rows      int64           // that were checked: up to the violation or the limit
	Columns   int
	Bytes     int64      // of the files
	Violation *Violation // nil: all rows are in order
}

// Check finds the first row of some files, read one after the other, that sorts before the one above it. It streams.
// With CheckOptions.Curve the order is that of places on the curve that the metadata of the files name; files that name
// none, another one, or not all the same are ErrOption.
func Check(ctx context.Context, paths []string, options CheckOptions) (*CheckResult, error) {
	if options.Curve != 0 {
		return checkAlong(ctx, paths, options)
	}
	opts, d, rows, err := openFiles(ctx, paths, options.options(), true)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if err := withoutRandom("Check", rows.Keys); err != nil {
		return nil, err
	}
	c := checker{limit: opts.Rows.Limit, keys: rows.OnlyKeys().Keys}
	result, err := c.scan(ctx, d, rows, &opts, func(batch arrow.Table) (arrow.Table, error) {
		batch.Retain()
		return batch, nil
	})
	if v := result.Violation; err == nil && v != nil {
		v.Reason, err = d.TypeConflict(ctx, rows.KeyColumns(), v.File)
	}
	return result, err
}

// scan reads the keys of files, of which code makes the rows that are checked.
func (c *checker) scan(ctx context.Context, d *dataset.Dataset, rows dataset.Projection, opts *Options,
	code func(keys arrow.Table) (arrow.Table, error)) (_ *CheckResult, err error) {
	c.order = roworder.Checker{Options: opts.sorting()}
	c.result = &CheckResult{Files: d.Files, Keys: rows.Keys, Columns: d.Schema.NumFields()}
	defer c.order.Forget()
	pool := allocators.NewRecycler(opts.Run.Allocator, 0)
	defer pool.Release()
	scan := dataset.ScanOptions{Columns: rows.OnlyKeys(), Pool: pool, Progress: opts.progress(PhaseCheck)}
	c.result.Bytes, err = d.Scan(ctx, scan, func(file int, batch arrow.Table) error {
		coded, err := code(batch)
		if err != nil {
			return err
		}
		defer coded.Release()
		return c.add(ctx, file, coded)
	})
	return c.result, err
}

func (o *CheckOptions) options() Options {
	return Options{Keys: o.Keys, KeysFor: o.KeysFor, Curve: o.Curve, Rows: Rows{Limit: o.Limit}, Input: o.Input,
		Memory: o.Memory, Run: o.Run}
}

// A checker looks at one file after the other.
type checker struct {
	limit  int64
	keys   []arrowsort.Key // of the batches
	order  roworder.Checker
	result *CheckResult
	file   int
	first  int64 // row of the batch in its file
}

func (c *checker) add(ctx context.Context, file int, batch arrow.Table) error {
	if file != c.file {
		c.file, c.first = file, 0
	}
	rows := batch.NumRows()
	if c.limit > 0 {
		rows = min(rows, c.limit-c.result.Rows)
	}
	wanted := arraydata.SliceTable(batch, 0, rows)
	defer wanted.Release()
	at, err := c.order.Add(ctx, c.keys, wanted)
	if err != nil {
		return err
	}
	if at >= 0 {
		c.result.Violation = &Violation{File: c.result.Files[file], Row: c.first + at}
		c.result.Rows += at
		return io.EOF
	}
	c.result.Rows += rows
	c.first += rows
	if c.result.Rows == c.limit && c.limit > 0 {
		return io.EOF
	}
	return nil
}

// A DeclaredOrder is the order that a Parquet file names in its footer, where readers look for it.
type DeclaredOrder = roworder.DeclaredOrder

// DeclaredOrders reads the orders that files name, which may be as in Sort.
func DeclaredOrders(ctx context.Context, paths []string, options FooterOptions) ([]DeclaredOrder, error) {
	opts, read, err := options.options().resolveAll(ctx)
	if err != nil {
		return nil, err
	}
	files, err := listFiles(ctx, paths, &opts)
	if err != nil {
		return nil, err
	}
	d, orders := dataset.New(files, nil, read), make([]DeclaredOrder, len(files))
	for i, file := range files {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		if orders[i].File = file; d.FormatOf(file) == tablefile.CSV {
			continue
		}
		s, err := d.OpenFile(file, dataset.ScanOptions{})
		if err != nil {
			return nil, err
		}
		orders[i] = roworder.Declared(file, s)
		s.Close()
	}
	return orders, nil
}

func (o *FooterOptions) options() Options {
	return Options{Input: o.Input, Memory: o.Memory, Run: o.Run}
}

// A Footer is the order that a file names, compared with its rows.
type Footer struct {
	DeclaredOrder
	Holds *bool // nil: it was not checked
	// Implied is set when rows in the order of the keys are in this one, ByGroup when this order has the keys, which
	// hold in each row group alone.
	Implied, ByGroup bool
	Violation        *Violation // the first row that is not in the order of its row group
}

// CheckFooters compares the orders that files name with the rows that Check read: of all files, or of the one with the
// violation. Rows are checked again, unless they are sorted by keys that begin with that order.
func CheckFooters(ctx context.Context, checked *CheckResult, opts FooterOptions) ([]Footer, error) {
	if checked == nil {
		return nil, fmt.Errorf("%w: the result of Check is nil", errOption)
	}
	orders, err := DeclaredOrders(ctx, checked.Files, opts)
	if err != nil {
		return nil, err
	}
	footers, unsure := make([]Footer, len(orders)), []*Footer(nil)
	unsorted := checked.Violation != nil
	for i, o := range orders {
		f := &footers[i]
		f.DeclaredOrder = o
		if len(o.Keys) == 0 && !o.Mixed || unsorted && checked.Violation.File != o.File {
			continue
		}
		f.Holds = new(true)
		f.ByGroup = unsorted && !o.Mixed && startsWith(o.Keys, checked.Keys)
		if f.Implied = !unsorted && !o.Mixed && startsWith(checked.Keys, o.Keys); !f.Implied {
			unsure = append(unsure, f)
		}
	}
	return footers, checkAllDeclared(ctx, unsure, opts)
}

// checkAllDeclared checks the orders that footers name.
func checkAllDeclared(ctx context.Context, footers []*Footer, opts FooterOptions) (err error) {
	report, sizes, before, all := opts.Run.Progress, make([]int64, len(footers)), int64(0), int64(0)
	store := storeFor(ctx, opts.Run.Store)
	for i, f := range footers {
		sizes[i] = tablefile.SizeOf(f.File, store.Opener(f.File))
		all += sizes[i]
	}
	if report != nil {
		opts.Run.Progress = func(phase Phase, done, _ int64) { report(phase, before+done, all) }
	}
	for i, f := range footers {
		if f.Violation, err = checkDeclaredOrder(ctx, f.File, opts); err != nil {
			return err
		}
		f.Holds = new(f.Violation == nil)
		before += sizes[i]
	}
	return nil
}

func startsWith(keys, prefix []arrowsort.Key) bool {
	return len(prefix) <= len(keys) && slices.Equal(prefix, keys[:len(prefix)])
}

// checkDeclaredOrder finds the first row of a file that is not in the order of its row group; nil when there is none.
func checkDeclaredOrder(ctx context.Context, file string, options FooterOptions) (*Violation, error) {
	opts, read, err := options.options().resolveAll(ctx)
	if err != nil {
		return nil, err
	}
	d, err := dataset.Open(ctx, []string{file}, read, false)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return roworder.CheckDeclared(ctx, d, opts.sorting(), opts.progress(PhaseFooters))
}
