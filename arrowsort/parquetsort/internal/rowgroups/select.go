// Package rowgroups finds the row groups of Parquet files that can hold the first rows of the sorted order, by what
// their footers have on the leading key, and makes sure that rows that are read are as their footer has it.
package rowgroups

import (
	"bytes"
	"cmp"
	"slices"
)

// A Group is a row group of a file, by what its footer has on the leading key.
type Group struct {
	Number  int   // in its file
	Start   int64 // row of the file with which it begins
	Rows    int64
	Classes []Class // of all its rows
}

// A Class is a number of rows of a row group: those that are null, NaN or neither, or of several of these where a
// footer does not count them. No row sorts before First, none after Last, by the leading key alone. Both are in the
// form of package rows; they need not be keys of rows.
type Class struct {
	Name        string // in errors
	Rows        int64
	First, Last []byte
}

// A Selection is what is read of some inputs: the row groups that can hold one of the first rows of the sorted order.
type Selection struct {
	Key       Key
	Files     map[string][]*Group // by path
	All, Read int                 // row groups
	LeftOut   int64               // rows of the row groups that are not read
}

// Select selects the row groups of inputs, files with rows in the order in which they are read, that can hold one of
// the first n rows of the sorted order. One cannot if n rows sort before all its rows: by the leading key, and by the
// order of the row groups where that is the only key, as rows that tie keep their order. The others keep their order,
// so the first n rows stay the same.
func Select(key Key, inputs []string, groups map[string][]*Group, n int64) *Selection {
	s := &Selection{Key: key, Files: make(map[string][]*Group)}
	var last []limit              // of all classes
	for _, path := range inputs { // a file that is named twice is read twice
		for _, g := range groups[path] {
			for _, c := range g.Classes {
				last = append(last, limit{c.Last, key.tie(s.All), c.Rows})
			}
			s.All++
			s.LeftOut += g.Rows
		}
	}
	slices.SortFunc(last, limit.compare)
	end := slices.IndexFunc(last, func(l limit) bool {
		n -= l.rows
		return n <= 0
	})
	selected, number := make(map[*Group]bool), 0
	for _, path := range inputs {
		for _, g := range groups[path] {
			selected[g] = selected[g] || end < 0 || g.begins(key.tie(number), last[end])
			number++
		}
	}
	for path, all := range groups {
		s.Files[path] = slices.DeleteFunc(slices.Clone(all), func(g *Group) bool { return !selected[g] })
	}
	for _, path := range inputs {
		for _, g := range s.Files[path] {
			s.LeftOut -= g.Rows
		}
		s.Read += len(s.Files[path])
	}
	return s
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

// Numbers returns the numbers of the row groups that are read of a file.
func (s *Selection) Numbers(path string) []int {
	numbers := []int{} // nil would be all
	for _, g := range s.Files[path] {
		numbers = append(numbers, g.Number)
	}
	return numbers
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
