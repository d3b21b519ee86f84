package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// declaredKeys takes the order that the footers of all files name for the keys.
func (f *jobFlags) declaredKeys(ctx context.Context) error {
	without := func(format string, args ...any) error {
		return usagef("give at least one key: -k COLUMN; "+format, args...)
	}
	if f.piped {
		return without("the order that a footer names is found for Parquet files with a name only")
	}
	orders, err := parquetsort.DeclaredOrders(ctx, f.files, f.options)
	if err != nil {
		return err
	}
	first := orders[max(slices.IndexFunc(orders, func(o parquetsort.DeclaredOrder) bool { return !o.Empty }), 0)]
	for _, o := range orders {
		switch {
		case o.Empty && !first.Empty:
		case o.Empty:
			return without("%s has no rows, and names no order", o.File)
		case o.Mixed:
			return without("row groups of %s name different orders", o.File)
		case len(o.Keys) == 0:
			return without("%s names no order", o.File)
		case !slices.Equal(o.Keys, first.Keys):
			return without("%s names the order %s, %s names %s", first.File, keyList(first.Keys), o.File,
				keyList(o.Keys))
		}
	}
	f.declared = true
	for _, k := range first.Keys {
		f.keys = append(f.keys, keyFlag{keyText(k), k})
	}
	return nil
}

// A footerReport is the order that the footer of a Parquet file names, and whether the rows are in it.
type footerReport struct {
	File string   `json:"file"`
	Keys []string `json:"keys"`           // as they are typed; empty: the file, or its first row group, names none
	True *bool    `json:"true,omitempty"` // absent where that was not checked
}

// A footerCheck compares the orders that footers name with the rows, after these were checked by the keys.
type footerCheck struct {
	options *parquetsort.Options
	reports []footerReport
	remarks []remark
	wrong   *parquetsort.Violation // of an order that a footer names
}

// A remark is true of a file and of the next files.
type remark struct {
	file, text string
	more       int64 // next files
}

// add adds a remark, or extends the last one if its text is the same.
func (c *footerCheck) add(file, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if last := len(c.remarks) - 1; last >= 0 && c.remarks[last].text == text {
		c.remarks[last].more++
		return
	}
	c.remarks = append(c.remarks, remark{file: file, text: text})
}

// lines are the remarks as they are printed.
func (c *footerCheck) lines() (lines []string) {
	for _, r := range c.remarks {
		if r.more > 0 {
			r.file += " and " + counted(r.more, "more file")
		}
		lines = append(lines, r.file+": "+r.text)
	}
	return lines
}

// run compares the footers of the files that were checked: of all, or of the one with the violation.
func (c *footerCheck) run(ctx context.Context, files []string, checked *parquetsort.Checked) error {
	orders, err := parquetsort.DeclaredOrders(ctx, files, *c.options)
	if err != nil {
		return err
	}
	for _, o := range orders {
		footer := footerReport{File: o.File, Keys: keyTexts(o.Keys)}
		unsorted := checked.Violation != nil
		if (len(o.Keys) > 0 || o.Mixed) && (!unsorted || checked.Violation.File == o.File) {
			if footer.True, err = c.compare(ctx, o, checked.Keys, unsorted); err != nil {
				return err
			}
		}
		c.reports = append(c.reports, footer)
	}
	return nil
}

// compare returns whether the rows of a file are in the order that its footer names. They are checked again, unless
// they are sorted by keys that begin with that order.
func (c *footerCheck) compare(ctx context.Context, o parquetsort.DeclaredOrder, keys []arrowsort.Key,
	unsorted bool) (*bool,
	error) {
	holds := !unsorted && !o.Mixed && startsWith(keys, o.Keys)
	if holds {
		return &holds, nil
	}
	wrong, err := parquetsort.CheckDeclaredOrders(ctx, []string{o.File}, *c.options)
	if err != nil {
		return nil, err
	}
	holds = wrong == nil
	order := keyList(o.Keys)
	if o.Mixed {
		order = "of each row group"
	}
	switch {
	case !holds:
		c.add(o.File, "the footer names the order %s, but row %d sorts before the row above it", order, wrong.Row)
		if c.wrong == nil {
			c.wrong = wrong
		}
	case unsorted && !o.Mixed && startsWith(o.Keys, keys):
		c.add(o.File, "the footer names the order %s, which is true of each row group alone", order)
	default:
		c.add(o.File, "the footer names another order, which is true: %s", order)
	}
	return &holds, nil
}

func startsWith(keys, prefix []arrowsort.Key) bool {
	return len(prefix) <= len(keys) && slices.Equal(prefix, keys[:len(prefix)])
}
