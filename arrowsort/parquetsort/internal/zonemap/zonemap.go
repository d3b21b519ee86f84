// Package zonemap has what Parquet files say of the values in their row groups and pages, in footers and page indexes:
// bounds, nulls, rows and bytes, from any number of files. It reads no rows.
package zonemap

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/valuetext"
	"github.com/arrowsort/arrowsort/arrowsort/rows"
)

// A Map is the zone map of some files with the same columns.
type Map struct {
	Groups  []Group // the row groups of all files, in the order of the files
	Columns []*Column

	byPlace map[place]*Column
}

// A place is what leaf columns of several files are paired by, as these may have their columns in another order, and
// other names of what is inside lists: the column of the table, and the number of the leaf among those of such columns.
type place struct {
	column string
	number int
}

// A Group is a row group.
type Group struct {
	File        int // its number, from 0
	Rows, Bytes int64
}

// A Column is a leaf column of all files.
type Column struct {
	Path              string         // in the first file
	Type              arrow.DataType // of its values, without dictionaries and extensions
	Repeated          bool           // the values lie in lists
	Codecs, Encodings []string       // without repetition
	Bytes, Raw        int64          // of the pages, as they are in the files and without compression
	BloomFilters      int64          // row groups that have one
	Dictionaries      int64          // likewise
	Groups            []Zone         // of all files
	Pages             [][]Zone       // of each of these row groups; none where there is no page index
}

// A Zone is a row group, or a page, of a column.
type Zone struct {
	Row   int64 // its first, in the row group
	Rows  int64 // a column in lists may have any number of values in a row
	Bytes int64 // in the file, of a row group with its dictionary

	Counts tablefile.GroupCounts

	// Low and High are bounds of the values in the form of package rows, so that bytes.Compare is their order. They
	// need not be values, and bound no NaN. nil: there is none.
	Low, High []byte
	// HighCut reports that the upper bound of a row group is known to lie above all values.
	HighCut bool
	// Least and Greatest are the bounds as text; empty for pages without Options.PageTexts.
	Least, Greatest string
}

// Empty reports whether the zone has no value but null: no filter on values reads it.
func (z *Zone) Empty() bool {
	return z.Rows == 0 || z.Counts.Nulls >= 0 && z.Counts.Nulls == z.Counts.Rows
}

// Options say what is read.
type Options struct {
	PageTexts bool             // bounds of pages are wanted as text
	Allocator memory.Allocator // of temporary memory
}

// Add adds the file with a number, whose columns are those of the files before, in any order. The errors of a page
// index that contradicts itself, and of the file, are those of tablefile.
func (m *Map) Add(ctx context.Context, file int, s *tablefile.Scanner, opts Options) error {
	for _, group := range s.Template.RowGroups() {
		m.Groups = append(m.Groups, Group{File: file, Rows: group.Rows, Bytes: group.Bytes})
	}
	leaves, seen := s.Template.LeafColumns(), map[string]int{}
	first := m.byPlace == nil
	if first {
		m.byPlace = map[place]*Column{}
	}
	for leaf, column := range leaves {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		at := place{column.Column, seen[column.Column]}
		seen[column.Column]++
		if first {
			c := &Column{Path: column.Path}
			m.Columns, m.byPlace[at] = append(m.Columns, c), c
		}
		c := m.byPlace[at]
		if c == nil {
			return fmt.Errorf("file %d, column %s: the file is another one now", file, column.Path)
		}
		if err := c.add(ctx, leaf, s, opts); err != nil {
			return err
		}
	}
	if len(leaves) != len(m.Columns) {
		return fmt.Errorf("file %d has %d columns of values, not %d: it is another one now", file, len(leaves),
			len(m.Columns))
	}
	return nil
}

// GroupsOf returns the row groups of the column with a path and a type; none where there is no such column.
func (m *Map) GroupsOf(path string, typ arrow.DataType) []Zone {
	for _, c := range m.Columns {
		if c.Path == path && arrow.TypeEqual(c.Type, typ) {
			return slices.Clip(c.Groups)
		}
	}
	return nil
}

// add adds a leaf column of a file.
func (c *Column) add(ctx context.Context, leaf int, s *tablefile.Scanner, opts Options) error {
	z, err := s.Zones(leaf, opts.Allocator)
	defer z.Release()
	if err != nil {
		return err
	}
	c.Type, c.Repeated = z.Type, z.Repeated
	c.Codecs, c.Encodings = withNames(c.Codecs, z.Codecs), withNames(c.Encodings, z.Encodings)
	c.Bytes, c.Raw = c.Bytes+z.Bytes, c.Raw+z.Raw
	c.BloomFilters, c.Dictionaries = c.BloomFilters+z.BloomFilters, c.Dictionaries+z.Dictionaries
	groups, err := zonesOf(ctx, &z.Groups, z.Type, true, opts.Allocator)
	if err != nil {
		return err
	}
	pages, err := zonesOf(ctx, &z.Pages, z.Type, opts.PageTexts, opts.Allocator)
	if err != nil {
		return err
	}
	for i, group := range s.Template.RowGroups() {
		chunk := z.Chunks[i]
		groups[i].Rows, groups[i].Bytes, groups[i].HighCut = group.Rows, chunk.Bytes, chunk.MaxCut
		of := pages[:len(chunk.Pages)]
		pages = pages[len(chunk.Pages):]
		for number, p := range chunk.Pages {
			of[number].Row, of[number].Bytes, of[number].Rows = p.Row, p.Bytes, of[number].Counts.Rows
		}
		c.Pages = append(c.Pages, of)
	}
	c.Groups = append(c.Groups, groups...)
	return nil
}

// withNames appends the names that are not in a list yet.
func withNames(list, names []string) []string {
	for _, name := range names {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// zonesOf returns zones with counts and bounds, and the bounds as text if texts is set.
func zonesOf(ctx context.Context, b *tablefile.ColumnBounds, typ arrow.DataType, texts bool, mem memory.Allocator) (
	[]Zone, error) {
	zones := make([]Zone, len(b.Groups))
	for i, counts := range b.Groups {
		zones[i].Counts = counts
	}
	if b.Limits == nil {
		return zones, nil
	}
	keys, err := encode(ctx, b.Limits, mem)
	if err != nil {
		return nil, err
	}
	defer keys.Release()
	text := textOf(b.Limits, typ)
	for i := range zones {
		if low := 2 * i; !b.Limits.IsNull(low) {
			zones[i].Low = bytes.Clone(keys.Row(low))
			if texts {
				zones[i].Least = text(low)
			}
		}
		if high := 2*i + 1; !b.Limits.IsNull(high) {
			zones[i].High = bytes.Clone(keys.Row(high))
			if texts {
				zones[i].Greatest = text(high)
			}
		}
	}
	return zones, nil
}

// textOf returns the function that prints bounds of a type: text as text, bytes as base64, see valuetext.
func textOf(limits arrow.Array, typ arrow.DataType) func(i int) string {
	if b, ok := limits.(*array.Binary); ok && (typ.ID() == arrow.STRING || typ.ID() == arrow.LARGE_STRING) {
		return func(i int) string { return strings.ToValidUTF8(b.ValueString(i), "\uFFFD") }
	}
	return valuetext.Formatter(limits)
}

// encode returns values in the form of package rows.
func encode(ctx context.Context, values arrow.Array, mem memory.Allocator) (*rows.Rows, error) {
	c, err := rows.NewConverter(rows.Field{Type: values.DataType()})
	if err != nil {
		return nil, err
	}
	return c.Encode(ctx, values, rows.Options{Allocator: mem})
}
