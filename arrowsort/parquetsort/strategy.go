package parquetsort

import (
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/roworder"
)

// A Strategy is how inputs are sorted within a budget, estimated from the metadata of the files.
type Strategy struct {
	Memory int64 `json:"memory_bytes"` // the budget
	Table  int64 `json:"table_bytes"`  // that all rows take in memory, about
	// InMemory is set when the input is one file whose rows fit in the budget as a table.
	InMemory bool `json:"in_memory"`
	// InOrder is set when each input is sorted already: they are merged, or copied where they follow one another. Runs
	// is 0 then, unless more of them overlap than can be read side by side.
	InOrder bool `json:"in_order"`
	// Runs is the number of sorted runs that are spilled, Passes how often spilled rows are written and read again, and
	// BytesSpilled what is written in all passes without compression, all about; 0 when nothing is spilled.
	Runs         int   `json:"runs"`
	Passes       int   `json:"passes"`
	BytesSpilled int64 `json:"bytes_spilled"`
	// RowGroups is the number of row groups of the inputs, of which RowGroupsRead are read, where rows are left out for
	// a limit or tail, as they cannot be wanted; Pages is that of the pages of the first key in these, where they have
	// a page index. Else they are 0.
	RowGroups     int `json:"row_groups,omitempty"`
	RowGroupsRead int `json:"row_groups_read,omitempty"`
	Pages         int `json:"pages,omitempty"`
	PagesRead     int `json:"pages_read,omitempty"`
	// Curve is the curve that the rows follow; empty where they are in the order of the keys.
	Curve string `json:"curve,omitempty"`

	fanIn int // files that are merged at once
}

// chooseStrategy decides for Sort and Explain how rows of files are sorted to an output of a format: one file as a
// table where that fits, else files in order are merged, all others are sorted run by run. order is what was measured
// of the files; nil: it was not. Whether rows are copied is decided beside it: sortOrMerge (sort.go) tries copyDeclared
// before, and mergeFiles (merge.go) copies files that follow one another.
func chooseStrategy(d *dataset.Dataset, rows dataset.Projection, opts *Options, format tablefile.Format,
	order *roworder.Sortedness) Strategy {
	b, memory, columns := d.Budget, rows.Memory(d), rows.Schema.NumFields()
	table := d.Table
	if format == tablefile.Parquet { // text stays in dictionaries
		table = d.Compact
	}
	if opts.Curve != 0 {
		places := 8 * max(d.Rows, 0)
		memory, table = memory+places, table+places
	}
	s := Strategy{Memory: b.All, Table: memory, Curve: opts.Curve.String(),
		InMemory: len(d.Files) == 1 && !opts.Output.Splits() && b.Holds(table),
		InOrder:  order != nil && order.Unsorted == nil,
		fanIn:    min(b.FanIn(columns), b.Files(columns, memory/int64(len(d.Files)), b.All-b.Total))}
	if s.InMemory {
		s.Table = table
	}
	switch {
	case s.InOrder:
		if order.Overlap() > s.fanIn {
			s.spill((order.Files()+s.fanIn-1)/s.fanIn, b.FanIn(columns))
		}
	case !s.InMemory && !b.Holds(memory) && !keepsFew(d, memory, opts.Rows):
		s.spill(int((memory+b.Run()-1)/b.Run()), b.FanIn(columns))
	}
	return s
}

// keepsFew reports whether a limit leaves few enough rows to keep them in memory, by the row counts of the files.
func keepsFew(d *dataset.Dataset, memory int64, rows Rows) bool {
	if rows.Limit == 0 || rows.Unique || d.Rows <= 0 {
		return false
	}
	return min(rows.Limit, d.Rows)*(memory/d.Rows+extsort.RowOverhead) <= d.Budget.Run()/2
}

// spill describes how runs are merged. One that is alone stays in memory.
func (s *Strategy) spill(runs, fanIn int) {
	if runs < 2 {
		return
	}
	s.Runs = runs
	for ; runs > 1; runs = (runs + fanIn - 1) / fanIn {
		s.Passes++
	}
	s.BytesSpilled = int64(s.Passes) * s.Table
}
