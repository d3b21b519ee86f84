package roworder

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/flagtext"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
	"github.com/arrowsort/arrowsort/keyencode"
)

// SortingOf returns the order of keys for the metadata of a file: up to the first key with a function or a collation,
// as readers take the values of columns to be in order, and text in that of bytes.
func SortingOf(keys []arrowsort.Key) (order []tablefile.SortingColumn) {
	for _, k := range keys {
		if extsort.Derived(k) {
			break
		}
		by := tablefile.SortingColumn{Path: k.Path, Descending: k.Order == arrowsort.Descending,
			NullsFirst: k.Nulls == arrowsort.NullsAtStart}
		if k.Path == "" {
			by.Column, _ = k.At.Index()
		}
		order = append(order, by)
	}
	return order
}

// Written returns the order of a plan of the keys for the metadata of an output: up to the first key whose column is
// not written, as another column may have its name. The keys of partitions are left out, as all rows of a file have
// the same.
func Written(plan *keyencode.Plan, rows dataset.Projection) tablefile.RowOrder {
	return tablefile.RowOrder{Sorting: writtenSorting(plan, rows), Keys: writtenKeys(rows)}
}

func writtenSorting(plan *keyencode.Plan, rows dataset.Projection) []tablefile.SortingColumn {
	sorting := tablefile.SortingOf(plan, SortingOf(rows.Keys))
	first := min(rows.Partitions, len(sorting))
	for i := first; i < len(sorting); i++ {
		if rows.Written == nil {
			break
		}
		at := slices.Index(rows.Written, dataset.ColumnOf(rows.Schema, rows.Keys[i]))
		if at < 0 {
			return sorting[first:i]
		}
		if sorting[i].Path == "" {
			sorting[i].Column = at
		}
	}
	return sorting[first:]
}

// writtenKeys returns the keys as they are typed, up to the first that goes by row numbers.
func writtenKeys(rows dataset.Projection) *tablefile.KeyOrder {
	order := &tablefile.KeyOrder{}
	schema := arraydata.Pick(rows.Schema, rows.Written)
	for _, key := range rows.Keys[rows.Partitions:] {
		written, ok := rows.WrittenKey(key)
		if !ok {
			break
		}
		_, text, ok := dataset.Canonical(schema, written) // fewer columns may free a name
		if !ok {
			break
		}
		order.Keys = append(order.Keys, text)
		if extsort.Derived(key) {
			order.CLDR = arrowsort.CLDRVersion
		}
	}
	return order
}

// A DeclaredOrder is the order that a Parquet file names in its footer, where readers look for it.
type DeclaredOrder struct {
	File string
	Keys []arrowsort.Key // none: it names none, unless Mixed, or is no Parquet file
	// Mixed is set when row groups name different orders, or some an order and others none; Keys are those of the
	// first.
	Mixed bool
	// Curve is the space-filling curve that the metadata name, which is no order of keys; empty: none. Damaged metadata
	// are an error of Check along the curve.
	Curve string
	// Empty reports that there are no rows, which are in any order.
	Empty bool
}

// Declared returns the order that a file names.
func Declared(file string, s *tablefile.Scanner) DeclaredOrder {
	o := DeclaredOrder{File: file, Empty: s.Rows == 0}
	if s.Template == nil {
		return o
	}
	groups := declaredGroups(s)
	for i, g := range groups {
		if i == 0 {
			o.Keys = g.keys
		}
		o.Mixed = o.Mixed || !slices.Equal(g.keys, groups[0].keys)
	}
	if c, err := s.Template.Curve(); err == nil && c != nil {
		o.Curve = c.Curve
	}
	return o
}

// A declaredGroup is rows of a Parquet file, and the order that it names for them.
type declaredGroup struct {
	rows int64
	keys []arrowsort.Key
}

// declaredGroups returns the row groups of a file, or all rows as one where the metadata name an order.
func declaredGroups(s *tablefile.Scanner) (groups []declaredGroup) {
	if order, err := s.Template.KeyOrder(); err == nil && order != nil { // damaged metadata name none
		all := declaredGroup{rows: s.Rows}
		for _, text := range order.Keys {
			key, err := flagtext.KeyIn(text, s.Schema)
			if err != nil {
				break
			}
			all.keys = append(all.keys, key)
		}
		return []declaredGroup{all}
	}
	for _, g := range s.Template.RowGroups() {
		groups = append(groups, declaredGroup{g.Rows, flagtext.KeysOf(g.SortingColumns)})
	}
	return groups
}

// CheckDeclared finds the first row of the one file of a dataset that sorts before the one above it by the order that
// its row group names; nil when there is none.
func CheckDeclared(ctx context.Context, d *dataset.Dataset, opts arrowsort.Options,
	progress func(done, total int64)) (*Violation, error) {
	s, err := d.OpenFile(d.Files[0], dataset.ScanOptions{})
	if err != nil {
		return nil, err
	}
	c := declaredChecker{file: d.Files[0], groups: declaredGroups(s), order: Checker{Options: opts}}
	s.Close()
	for _, group := range c.groups {
		for _, key := range group.keys {
			c.columns = append(c.columns, dataset.ColumnOf(d.Schema, key))
		}
	}
	slices.Sort(c.columns)
	c.columns = slices.Compact(c.columns)
	defer c.order.Forget()
	scan := dataset.ScanOptions{Columns: d.All().Pick(c.columns), Progress: progress}
	_, err = d.Scan(ctx, scan, func(_ int, batch arrow.Table) error { return c.add(ctx, batch) })
	return c.violation, err
}

// A declaredChecker checks row groups, each by its own order. Batches of a Parquet file lie in one row group each.
type declaredChecker struct {
	file      string
	columns   []int           // of the file that are read: those of the orders of all row groups
	groups    []declaredGroup // the first is the one that is checked
	inside    int64           // rows of it so far
	row       int64           // in the file
	order     Checker
	violation *Violation
}

func (c *declaredChecker) add(ctx context.Context, batch arrow.Table) error {
	for c.inside == c.groups[0].rows {
		c.groups, c.inside = c.groups[1:], 0
		c.order.Forget()
	}
	if keys := flagtext.Among(c.columns, c.groups[0].keys); len(keys) > 0 {
		at, err := c.order.Add(ctx, keys, batch)
		if err != nil {
			return fmt.Errorf("%s: by the order that its footer names: %w", c.file, err)
		}
		if at >= 0 {
			c.violation = &Violation{File: c.file, Row: c.row + at}
			return io.EOF
		}
	}
	c.inside += batch.NumRows()
	c.row += batch.NumRows()
	return nil
}
