package parquetsort

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// A DeclaredOrder is the order that a Parquet file names in its footer, where readers look for it.
type DeclaredOrder struct {
	File string
	Keys []arrowsort.Key // none: it names none, unless Mixed, or is no Parquet file
	// Mixed is set when row groups name different orders, or some an order and others none; Keys are those of the
	// first.
	Mixed bool
	// Empty tells that there are no rows, which are in any order.
	Empty bool
}

// DeclaredOrders reads the orders that files name, which may be as in Sort. Of the options it uses InputFormat and
// Allocator.
func DeclaredOrders(ctx context.Context, paths []string, opts Options) ([]DeclaredOrder, error) {
	opts.Keys = []arrowsort.Key{{}} // none are used
	in, err := newInputs(paths, opts)
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
			c.Keys = keysOf(g.Sorting)
		}
		c.Mixed = c.Mixed || !slices.Equal(g.Sorting, groups[0].Sorting)
	}
	return c
}

func keysOf(sorting []tablefile.SortingColumn) (keys []arrowsort.Key) {
	for _, s := range sorting {
		key := arrowsort.Key{Path: s.Path}
		if s.Descending {
			key.Order = arrowsort.Descending
		}
		if s.NullsFirst {
			key.Nulls = arrowsort.NullsAtStart
		}
		keys = append(keys, key)
	}
	return keys
}

// CheckDeclaredOrders finds the first row of some files that sorts before the one above it by the order that its row
// group names; nil when there is none. It streams: of the options it uses what Check uses but for the keys.
func CheckDeclaredOrders(ctx context.Context, paths []string, opts Options) (*Violation, error) {
	files, err := Expand(paths)
	if err != nil {
		return nil, err
	}
	opts.Keys, opts.KeysFor = []arrowsort.Key{{}}, nil // are those of each row group
	for _, file := range files {
		v, err := checkDeclaredOrder(ctx, file, opts)
		if v != nil || err != nil {
			return v, err
		}
	}
	return nil, nil
}

func checkDeclaredOrder(ctx context.Context, file string, opts Options) (*Violation, error) {
	in, err := begin(ctx, []string{file}, opts, false)
	if err != nil {
		return nil, err
	}
	defer in.close()
	if in.layout == nil {
		return nil, nil
	}
	c := declaredOrderChecker{file: file, groups: in.layout.RowGroups(), order: ordered{opts: in.opts}}
	defer c.order.forget()
	err = in.each(ctx, PhaseCheck, func(_ int, piece arrow.Table) error { return c.add(ctx, piece) })
	return c.violation, err
}

// A declaredOrderChecker checks row groups, each by its own order. Pieces of a Parquet file lie in one row group each.
type declaredOrderChecker struct {
	file      string
	groups    []tablefile.RowGroup // the first is the one that is checked
	inside    int64                // rows of it so far
	row       int64                // in the file
	order     ordered
	violation *Violation
}

func (c *declaredOrderChecker) add(ctx context.Context, piece arrow.Table) error {
	for c.inside == c.groups[0].Rows {
		c.groups, c.inside = c.groups[1:], 0
		c.order.forget()
	}
	if c.order.opts.Keys = keysOf(c.groups[0].Sorting); len(c.order.opts.Keys) > 0 {
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
