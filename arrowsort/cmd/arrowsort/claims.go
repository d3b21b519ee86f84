package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// A footerReport is what a Parquet file says of its order, and whether it is so.
type footerReport struct {
	File string   `json:"file"`
	Keys []string `json:"keys"`           // as they are typed; empty: the file, or its first row group, names none
	True *bool    `json:"true,omitempty"` // absent where that was not found out
}

// claimedKeys takes the order that all files name for the keys, where none are given.
func (f *inputFlags) claimedKeys(ctx context.Context) error {
	if len(f.keys) > 0 {
		return nil
	}
	if f.piped {
		return usagef("give at least one key: -k COLUMN; the order that a footer names is found for Parquet files " +
			"with a name only")
	}
	claims, err := parquetsort.DeclaredOrders(ctx, f.files, f.options)
	if err != nil {
		return err
	}
	if full := slices.DeleteFunc(slices.Clone(claims),
		func(c parquetsort.DeclaredOrder) bool { return c.Empty }); len(full) > 0 {
		claims = full
	}
	first := claims[0]
	for _, c := range claims {
		switch {
		case c.Empty:
			return usagef("give at least one key: -k COLUMN; %s has no rows, and names no order", c.File)
		case c.Mixed:
			return usagef("give at least one key: -k COLUMN; row groups of %s name different orders", c.File)
		case len(c.Keys) == 0:
			return usagef("give at least one key: -k COLUMN; %s names no order", c.File)
		case !slices.Equal(c.Keys, first.Keys):
			return usagef("give at least one key: -k COLUMN; %s names the order %s, %s names %s", first.File,
				keyList(first.Keys), c.File, keyList(c.Keys))
		}
	}
	f.claimed = true
	f.keys = nil
	for _, k := range first.Keys {
		f.keys = append(f.keys, keyFlag{keyText(k), k})
	}
	return nil
}

// A claimCheck compares the orders that files name with the one that was checked, and with their rows.
type claimCheck struct {
	keys    []arrowsort.Key
	options parquetsort.Options
	footers []footerReport
	remarks []remark // what there is to say
	wrong   *parquetsort.Violation
}

// A remark is about a file, and about so many more behind it that it is true of.
type remark struct {
	file, text string
	more       int64
}

// say adds a remark, to the one before if that says the same.
func (c *claimCheck) say(file, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if last := len(c.remarks) - 1; last >= 0 && c.remarks[last].text == text {
		c.remarks[last].more++
		return
	}
	c.remarks = append(c.remarks, remark{file: file, text: text})
}

// lines are the remarks as they are printed.
func (c *claimCheck) lines() (lines []string) {
	for _, r := range c.remarks {
		if r.more > 0 {
			r.file += " and " + counted(r.more, "more file")
		}
		lines = append(lines, r.file+": "+r.text)
	}
	return lines
}

// run looks at files whose rows are in the order of the keys, or which are not, from the file on that has the
// violation.
func (c *claimCheck) run(ctx context.Context, files []string, violation *parquetsort.Violation) error {
	claims, err := parquetsort.DeclaredOrders(ctx, files, c.options)
	if err != nil {
		return err
	}
	for _, claim := range claims {
		footer := footerReport{File: claim.File, Keys: keyTexts(claim.Keys)}
		if violation == nil || violation.File == claim.File {
			if err := c.compare(ctx, claim, &footer, violation); err != nil {
				return err
			}
		}
		c.footers = append(c.footers, footer)
	}
	return nil
}

func (c *claimCheck) compare(ctx context.Context, claim parquetsort.DeclaredOrder, footer *footerReport,
	violation *parquetsort.Violation) error {
	if len(claim.Keys) == 0 && !claim.Mixed {
		return nil
	}
	holds := violation == nil && !claim.Mixed && len(claim.Keys) <= len(c.keys) &&
		slices.Equal(claim.Keys, c.keys[:len(claim.Keys)])
	if holds {
		footer.True = &holds
		return nil
	}
	wrong, err := parquetsort.CheckDeclaredOrders(ctx, []string{claim.File}, c.options)
	if err != nil {
		return err
	}
	holds = wrong == nil
	footer.True = &holds
	order := keyList(claim.Keys)
	if claim.Mixed {
		order = "of each row group"
	}
	switch {
	case !holds:
		c.say(claim.File, "the footer names the order %s, but row %d sorts before the row above it", order, wrong.Row)
		if c.wrong == nil {
			c.wrong = wrong
		}
	case violation != nil && !claim.Mixed && len(claim.Keys) >= len(c.keys) &&
		slices.Equal(c.keys, claim.Keys[:len(c.keys)]):
		c.say(claim.File, "the footer names the order %s, which is true of each row group alone", order)
	default:
		c.say(claim.File, "the footer names another order, which is true: %s", order)
	}
	return nil
}
