// Package rowgroups finds the row groups of Parquet files, and the pages in them, that can hold the first rows of the
// sorted order, by what footers and page indexes have on the leading key, and makes sure that rows that are read are as
// these have it.
package rowgroups

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// A Group is a row group of a file, or a page of the leading key in it, by what the footer or the page index has on
// this key.
type Group struct {
	Number  int   // of the row group, in its file
	Start   int64 // row of the file with which it begins
	Rows    int64
	Classes []Class // of all its rows
	Page    *Page   // nil: it is a row group
}

// A Page is where a Group that is a page lies.
type Page struct {
	First int64  // row of the row group with which it begins
	Of    *Group // the row group
	Apart bool   // all columns of the row group have a page index
}

// A Class is a number of rows of a row group: those that are null, NaN or neither, or of several of these where a
// footer does not count them. No row sorts before First, none after Last, by the leading key alone. Both are in the
// form of package rows; they need not be keys of rows.
type Class struct {
	Name        string // in errors
	Rows        int64
	First, Last []byte
}

// A Selection is what is read of some inputs: the row groups and pages that can hold one of the first rows of the
// sorted order.
type Selection struct {
	Key       Key
	Files     map[string][]*Group // by path
	All, Read int                 // row groups
	LeftOut   int64               // rows that are not read
	// Pages are those of the leading key in the row groups that are read, of which PagesRead are read; 0 where no row
	// group has a page index. One without counts as a page.
	Pages, PagesRead int
}

// Select selects the row groups, or pages, of inputs, files with rows in the order in which they are read, that can
// hold one of the first n rows of the sorted order. One cannot if n rows sort before all its rows: by the leading key,
// and by the order of the row groups where that is the only key, as rows that tie keep their order. The others keep
// their order, so the first n rows stay the same.
func Select(key Key, inputs []string, groups map[string][]*Group, n int64) *Selection {
	s := newSelection(key, inputs, groups, key.choose(inputs, groups, n))
	for _, path := range inputs {
		s.All, s.Read = s.All+len(groups[path]), s.Read+len(s.Files[path])
	}
	return s
}

// newSelection returns the groups of inputs that were selected, without their numbers.
func newSelection(key Key, inputs []string, groups map[string][]*Group, selected map[*Group]bool) *Selection {
	s := &Selection{Key: key, Files: make(map[string][]*Group)}
	for path, all := range groups {
		s.Files[path] = slices.DeleteFunc(slices.Clone(all), func(g *Group) bool { return !selected[g] })
	}
	for _, path := range inputs {
		s.LeftOut += rowsOf(groups[path]) - rowsOf(s.Files[path])
	}
	return s
}

func rowsOf(groups []*Group) (rows int64) {
	for _, g := range groups {
		rows += g.Rows
	}
	return rows
}

// choose returns the groups that can hold one of the first n rows.
func (k Key) choose(inputs []string, groups map[string][]*Group, n int64) map[*Group]bool {
	var last []limit // of all classes
	number := 0
	for _, path := range inputs { // a file that is named twice is read twice
		for _, g := range groups[path] {
			for _, c := range g.Classes {
				last = append(last, limit{c.Last, k.tie(number), c.Rows})
			}
			number++
		}
	}
	slices.SortFunc(last, limit.compare)
	end := slices.IndexFunc(last, func(l limit) bool {
		n -= l.rows
		return n <= 0
	})
	selected := make(map[*Group]bool)
	number = 0
	for _, path := range inputs {
		for _, g := range groups[path] {
			selected[g] = selected[g] || end < 0 || g.begins(k.tie(number), last[end])
			number++
		}
	}
	return selected
}

// Refine selects pages among the row groups that were selected for the first n rows. groups are these row groups, or
// the pages in place of those that have a page index.
func (s *Selection) Refine(inputs []string, groups map[string][]*Group, n int64) *Selection {
	selected := s.Key.choose(inputs, groups, n)
	for _, all := range groups {
		joinRanges(all, selected)
	}
	r := newSelection(s.Key, inputs, groups, selected)
	r.All, r.LeftOut = s.All, s.LeftOut+r.LeftOut
	paged := false
	for _, path := range inputs {
		pages := make(map[int]int) // of the row groups
		for _, g := range groups[path] {
			pages[g.Number]++
			paged = paged || g.Page != nil
		}
		last := -1
		for _, g := range r.Files[path] {
			r.PagesRead++
			if g.Number != last {
				last, r.Read, r.Pages = g.Number, r.Read+1, r.Pages+pages[g.Number]
			}
		}
	}
	if !paged {
		r.Pages, r.PagesRead = 0, 0
	}
	return r
}

const (
	// maxRanges is the number of ranges of pages that are read of a row group at most. Each of them costs metadata,
	// opened columns and their dictionaries, and a column without a page index is read from its start for each.
	maxRanges = 4
	// leastLeftOut is the least share of the rows of a row group, one in leastLeftOut, for which the page index of all
	// columns is read.
	leastLeftOut = 8
)

// joinRanges selects more pages of a file: those between selected ones, in the gaps of fewest rows, so that a row group
// has maxRanges of them, or one where a column has no page index; and all of a row group if few rows are left out.
func joinRanges(all []*Group, selected map[*Group]bool) {
	for first, end := 0, 0; first < len(all); first = end {
		var gaps [][]*Group
		last := len(all)
		for end = first; end < len(all) && all[end].Number == all[first].Number; end++ {
			if selected[all[end]] {
				if last < end-1 {
					gaps = append(gaps, all[last+1:end])
				}
				last = end
			}
		}
		ranges := 1
		if page := all[first].Page; page != nil && page.Apart {
			ranges = maxRanges
		}
		slices.SortStableFunc(gaps, func(a, b []*Group) int { return cmp.Compare(rowsOf(b), rowsOf(a)) })
		for _, gap := range gaps[min(ranges-1, len(gaps)):] {
			selectAll(gap, selected)
		}
		unread := slices.DeleteFunc(slices.Clone(all[first:end]), func(g *Group) bool { return selected[g] })
		if len(unread) < end-first && rowsOf(unread) < rowsOf(all[first:end])/leastLeftOut {
			selectAll(unread, selected)
		}
	}
}

func selectAll(groups []*Group, selected map[*Group]bool) {
	for _, g := range groups {
		selected[g] = true
	}
}

// A limit is a key after which some rows of a row group do not sort, and the place of the row group among ties.
type limit struct {
	key  []byte
	tie  int
	rows int64
}

func (l limit) compare(other limit) int {
	return cmp.Or(bytes.Compare(l.key, other.key), cmp.Compare(l.tie, other.tie))
}

// begins reports whether a row of a row group may sort up to a limit.
func (g *Group) begins(tie int, last limit) bool {
	return slices.ContainsFunc(g.Classes, func(c Class) bool {
		return limit{key: c.First, tie: tie}.compare(last) <= 0
	})
}

// Reads reports whether rows of a file are read; nil is all files.
func (s *Selection) Reads(path string) bool { return s == nil || len(s.Files[path]) > 0 }

// Ranges returns the rows that are read of a file; nil is all.
func (s *Selection) Ranges(path string) []tablefile.RowRange {
	if s == nil {
		return nil
	}
	ranges := []tablefile.RowRange{} // nil would be all
	for _, g := range s.Files[path] {
		r, last := tablefile.RowRange{Group: g.Number, Rows: g.Rows}, len(ranges)-1
		if g.Page != nil {
			r.First = g.Page.First
		}
		if last >= 0 && ranges[last].Group == r.Group && ranges[last].First+ranges[last].Rows == r.First {
			ranges[last].Rows += r.Rows
		} else {
			ranges = append(ranges, r)
		}
	}
	return ranges
}

// CountInFile changes numbers of rows among those that are read of a file to numbers in the file. That of nil does
// nothing.
func (s *Selection) CountInFile(path string, rows []uint64) {
	if s == nil {
		return
	}
	groups, starts, read := s.Files[path], []uint64(nil), uint64(0) // starts are rows among those that are read
	for _, g := range groups {
		starts = append(starts, read)
		read += uint64(g.Rows)
	}
	for i, row := range rows {
		at, found := slices.BinarySearch(starts, row)
		if !found {
			at-- // the row group that begins before it
		}
		rows[i] = row - starts[at] + uint64(groups[at].Start)
	}
}
