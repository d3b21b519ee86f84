package rowgroups

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/rows"
)

// A Checker compares the rows of a file with what its footer and its page index have on them. What is left out is not
// read, so it is not checked.
type Checker struct {
	key    arrowsort.Key
	groups []*Group // row groups or pages; the first is the one that is read
	rows   int64    // of it so far
	counts []int64  // of them, by class
}

// Checker returns a checker of a file, which is read from its first row group on, with columns in which the leading key
// is the first of some keys. It is nil for nil and where the columns do not have the key.
func (s *Selection) Checker(path string, columns *arrow.Schema, keys []arrowsort.Key) *Checker {
	if s == nil || len(keys) == 0 {
		return nil
	}
	key := keys[0]
	key.Order, key.Nulls = s.Key.Order, s.Key.Nulls
	if _, err := rows.ForKeys(columns, []arrowsort.Key{key}); err != nil {
		return nil
	}
	return &Checker{key: key, groups: s.Files[path]}
}

// checkedRows are compared at a time: their keys fit in the caches.
const checkedRows = 1 << 14

// Add compares the next rows of the file, with the columns of the keys and any others. A row outside of the bounds of
// its row group, and another number of nulls or NaNs, is ErrCorrupt. That of nil does nothing.
func (c *Checker) Add(ctx context.Context, batch arrow.Table, opts rows.Options) error {
	if c == nil {
		return nil
	}
	converter, err := rows.ForKeys(batch.Schema(), []arrowsort.Key{c.key})
	if err != nil {
		return err
	}
	for at := int64(0); at < batch.NumRows(); {
		n := min(checkedRows, c.groups[0].Rows-c.rows, batch.NumRows()-at)
		part := arraydata.SliceTable(batch, at, at+n)
		keys, err := converter.Encode(ctx, part, opts)
		part.Release()
		if err != nil {
			return err
		}
		err = c.add(keys)
		keys.Release()
		if err != nil {
			return err
		}
		at += n
	}
	return nil
}

// add compares the next rows of the row group.
func (c *Checker) add(keys *rows.Rows) error {
	g := c.groups[0]
	if c.rows == 0 {
		c.counts = make([]int64, len(g.Classes))
	}
	for i := range keys.Len() {
		key := keys.Row(i)
		class := g.class(key)
		if class < 0 || g.Page != nil && g.Page.Of.class(key) < 0 {
			return c.wrong("row %d of it is outside of the bounds", c.rows+int64(i))
		}
		c.counts[class]++
	}
	if c.rows += int64(keys.Len()); c.rows < g.Rows {
		return nil
	}
	for i, class := range g.Classes {
		if c.counts[i] != class.Rows {
			return c.wrong("it has %d %s, not the number", c.counts[i], class.Name)
		}
	}
	c.groups, c.rows = c.groups[1:], 0
	return nil
}

// class returns the class that a key is in; -1: none.
func (g *Group) class(key []byte) int {
	return slices.IndexFunc(g.Classes, func(class Class) bool {
		return bytes.Compare(class.First, key) <= 0 && bytes.Compare(key, class.Last) <= 0
	})
}

// wrong returns the error for a footer or page index that disagrees with the rows.
func (c *Checker) wrong(what string, args ...any) error {
	column, _ := c.key.At.Index()
	g, place, of := c.groups[0], "", "footer"
	if g.Page != nil {
		place = fmt.Sprintf(", page of rows %d to %d", g.Page.First, g.Page.First+g.Rows-1)
		of = "page index or footer"
	}
	return errkind.Corrupt("column %q of row group %d%s: %s in the %s; sort it without a limit or tail, which does "+
		"not use bounds", cmp.Or(c.key.Path, arraydata.Label(column)), g.Number, place, fmt.Sprintf(what, args...), of)
}
