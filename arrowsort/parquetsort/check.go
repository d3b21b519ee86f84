package parquetsort

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/allocators"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/flagtext"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
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
// Of the options it uses Keys, KeysFor, Input without Columns, Rows.Limit (the first rows of the files), Memory.Budget
// and Run.
func Check(ctx context.Context, paths []string, opts Options) (*CheckResult, error) {
	in, err := begin(ctx, paths, opts, true)
	if err != nil {
		return nil, err
	}
	defer in.close()
	c := checker{limit: in.opts.Rows.Limit, order: orderChecker{opts: in.opts},
		result: &CheckResult{Files: in.paths, Keys: in.opts.Keys, Columns: in.columns}}
	defer c.order.forget()
	in.readKeysOnly()
	in.flat = allocators.NewRecycler(in.opts.Run.Allocator, 0)
	defer in.flat.Release()
	err = in.each(ctx, PhaseCheck, func(file int, piece arrow.Table) error { return c.add(ctx, file, piece) })
	c.result.Bytes = in.bytes
	if v := c.result.Violation; err == nil && v != nil {
		v.Reason, err = in.csvTypeConflict(ctx, v.File)
	}
	return c.result, err
}

// A checker looks at one file after the other.
type checker struct {
	limit  int64
	order  orderChecker
	result *CheckResult
	file   int
	first  int64 // row of the piece in its file
}

func (c *checker) add(ctx context.Context, file int, piece arrow.Table) error {
	if file != c.file {
		c.file, c.first = file, 0
	}
	rows := piece.NumRows()
	if c.limit > 0 {
		rows = min(rows, c.limit-c.result.Rows)
	}
	wanted := arraydata.SliceTable(piece, 0, rows)
	defer wanted.Release()
	at, err := c.order.add(ctx, wanted)
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
type DeclaredOrder struct {
	File string
	Keys []arrowsort.Key // none: it names none, unless Mixed, or is no Parquet file
	// Mixed is set when row groups name different orders, or some an order and others none; Keys are those of the
	// first.
	Mixed bool
	// Empty reports that there are no rows, which are in any order.
	Empty bool
}

// DeclaredOrders reads the orders that files name, which may be as in Sort. Of the options it uses Input.Format and
// Run.Allocator.
func DeclaredOrders(ctx context.Context, paths []string, opts Options) ([]DeclaredOrder, error) {
	opts.Keys = []arrowsort.Key{{}} // none are used
	in, err := newInputs(ctx, paths, opts)
	if err != nil {
		return nil, err
	}
	orders := make([]DeclaredOrder, len(in.paths))
	for i, file := range in.paths {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		orders[i].File = file
		if in.formatOf(file) == tablefile.CSV {
			continue
		}
		s, err := in.scan(file)
		if err != nil {
			return nil, err
		}
		orders[i] = declaredOrderOf(file, s.Layout)
		orders[i].Empty = s.Rows == 0
		s.Close()
	}
	return orders, nil
}

func declaredOrderOf(file string, layout *tablefile.Layout) DeclaredOrder {
	c := DeclaredOrder{File: file}
	if layout == nil {
		return c
	}
	groups := layout.RowGroups()
	for i, g := range groups {
		if i == 0 {
			c.Keys = flagtext.KeysOf(g.Sorting)
		}
		c.Mixed = c.Mixed || !slices.Equal(g.Sorting, groups[0].Sorting)
	}
	return c
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
func CheckFooters(ctx context.Context, checked *CheckResult, opts Options) ([]Footer, error) {
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
func checkAllDeclared(ctx context.Context, footers []*Footer, opts Options) (err error) {
	report, sizes, before, all := opts.Run.Progress, make([]int64, len(footers)), int64(0), int64(0)
	for i, f := range footers {
		if info, err := os.Stat(f.File); err == nil { // else opening it returns the error
			sizes[i] = info.Size()
			all += info.Size()
		}
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

// checkDeclaredOrder finds the first row of a file that sorts before the one above it by the order that its row group
// names; nil when there is none.
func checkDeclaredOrder(ctx context.Context, file string, opts Options) (*Violation, error) {
	opts.Keys, opts.KeysFor = []arrowsort.Key{{}}, nil // are those of each row group
	in, err := newInputs(ctx, []string{file}, opts)
	if err != nil {
		return nil, err
	}
	defer in.close()
	if err := in.openAll(ctx, false); err != nil {
		return nil, err
	}
	s, err := in.scan(file)
	if err != nil {
		return nil, err
	}
	c := declaredOrderChecker{file: file, groups: s.Layout.RowGroups(), order: orderChecker{opts: in.opts}}
	s.Close()
	for _, group := range c.groups {
		for _, key := range flagtext.KeysOf(group.Sorting) {
			c.columns = append(c.columns, in.columnOf(key))
		}
	}
	slices.Sort(c.columns)
	c.columns = slices.Compact(c.columns)
	in.project(c.columns)
	defer c.order.forget()
	err = in.each(ctx, PhaseFooters, func(_ int, piece arrow.Table) error { return c.add(ctx, piece) })
	return c.violation, err
}

// A declaredOrderChecker checks row groups, each by its own order. Pieces of a Parquet file lie in one row group each.
type declaredOrderChecker struct {
	file      string
	columns   []int                // of the file that are read: those of the orders of all row groups
	groups    []tablefile.RowGroup // the first is the one that is checked
	inside    int64                // rows of it so far
	row       int64                // in the file
	order     orderChecker
	violation *Violation
}

func (c *declaredOrderChecker) add(ctx context.Context, piece arrow.Table) error {
	for c.inside == c.groups[0].Rows {
		c.groups, c.inside = c.groups[1:], 0
		c.order.forget()
	}
	c.order.opts.Keys = flagtext.Among(c.columns, flagtext.KeysOf(c.groups[0].Sorting))
	if len(c.order.opts.Keys) > 0 {
		at, err := c.order.add(ctx, piece)
		if err != nil {
			return fmt.Errorf("%s: by the order that its footer names: %w", c.file, err)
		}
		if at >= 0 {
			c.violation = &Violation{File: c.file, Row: c.row + at}
			return io.EOF
		}
	}
	c.inside += piece.NumRows()
	c.row += piece.NumRows()
	return nil
}
