package parquetsort

import (
	"bytes"
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/flagtext"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/roworder"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/zonemap"
)

// A LayoutReport is how files are laid out. As JSON it is what arrowsort layout --json prints.
type LayoutReport struct {
	FilesLayout
	Against *FilesLayout `json:"against,omitempty"` // of LayoutOptions.Against
	// Advice is that of LayoutOptions.Advise: the order of which filters read least comes first.
	Advice          []LayoutAdvice `json:"advice,omitempty"`
	AdviceGroupRows int            `json:"advice_row_group_rows,omitempty"` // rows of the row groups of these orders
}

// A FilesLayout is how Parquet files with the same columns are laid out.
type FilesLayout struct {
	Files []string `json:"files"`
	Bytes int64    `json:"bytes"`
	Rows  int64    `json:"rows"`
	// Keys is the order that the first row group of the first file declares, as keys are typed. Varies is set where
	// another row group of any file declares another one.
	Keys   []string `json:"keys"`
	Varies bool     `json:"varies,omitempty"`
	// Curve is the space-filling curve that the metadata of all files name; nil for none.
	Curve *LayoutCurve `json:"curve,omitempty"`
	// Agrees is whether the bounds of each row group follow those of the one before it in its file, by the first of the
	// keys; nil where there are no keys or not all bounds. FirstBad is the first row group that does not, by its number
	// among all.
	Agrees    *bool          `json:"agrees,omitempty"`
	FirstBad  *int           `json:"first_bad_row_group,omitempty"`
	RowGroups []LayoutGroup  `json:"row_groups"`
	Columns   []LayoutColumn `json:"columns"`
	Filter    *FilterCost    `json:"filter,omitempty"` // of LayoutOptions.Filters

	declared []arrowsort.Key
}

// A LayoutCurve is a space-filling curve along which files are sorted.
type LayoutCurve struct {
	Curve string   `json:"curve"` // hilbert or zorder
	Keys  []string `json:"keys"`  // as they are typed
}

// A LayoutGroup is a row group.
type LayoutGroup struct {
	File  int   `json:"file"` // the number of its file, from 0
	Rows  int64 `json:"rows"`
	Bytes int64 `json:"bytes"` // in the file
}

// A LayoutColumn is a column of values: a column of the table, or a field of a nested one, by its path.
type LayoutColumn struct {
	Name         string       `json:"name"`
	Type         string       `json:"type"`
	Bytes        int64        `json:"bytes"`     // in the files
	Raw          int64        `json:"raw_bytes"` // the same without compression
	Codecs       []string     `json:"codecs"`
	Encodings    []string     `json:"encodings"`
	Dictionaries int64        `json:"dictionaries"`         // row groups that have one
	BloomFilters int64        `json:"bloom_filters"`        // likewise
	Nulls        *int64       `json:"nulls,omitempty"`      // absent where a footer does not have the number
	Least        *string      `json:"least,omitempty"`      // of the lower bounds of row groups
	Greatest     *string      `json:"greatest,omitempty"`   // of the upper ones
	Depth        *LayoutDepth `json:"depth,omitempty"`      // of row groups; absent where none has bounds
	PageDepth    *LayoutDepth `json:"page_depth,omitempty"` // of pages, by the page index
	Ranked       bool         `json:"ranked,omitempty"`     // places of bounds are by their number, not by their value
	Zones        []LayoutZone `json:"zones"`                // one for each row group
}

// A LayoutDepth is how many row groups, or pages, a reader reads for one value.
type LayoutDepth struct {
	Mean      float64 `json:"mean"`                // on average over the rows
	Worst     int     `json:"worst"`               // for the value that most of them can hold
	Of        int     `json:"of"`                  // those with values
	Unbounded int     `json:"unbounded,omitempty"` // of them, without one of the bounds
}

// A LayoutZone is a column of a row group, or a page of it.
type LayoutZone struct {
	Row      int64        `json:"row"` // of the row group, with which a page begins
	Rows     int64        `json:"rows"`
	Bytes    int64        `json:"bytes"`              // in the file
	Nulls    *int64       `json:"nulls,omitempty"`    // where the number is known
	Least    *string      `json:"least,omitempty"`    // the lower bound
	Greatest *string      `json:"greatest,omitempty"` // the upper bound
	From     *float64     `json:"from,omitempty"`     // its place between the bounds of the column, from 0 to 1
	To       *float64     `json:"to,omitempty"`       // that of the upper bound
	Pages    []LayoutZone `json:"pages,omitempty"`    // with LayoutOptions.Pages
}

// A FilterCost is what readers have to read, of all columns, for the rows that pass some filters.
type FilterCost struct {
	Filters  []string   `json:"filters"`
	All      FilterRead `json:"all"`           // without a filter
	ByGroups FilterRead `json:"by_row_groups"` // by the bounds of row groups alone
	ByPages  FilterRead `json:"by_pages"`      // by those of the page index as well
}

// A FilterRead is what is read.
type FilterRead struct {
	RowGroups int   `json:"row_groups"`
	Pages     int   `json:"pages"` // of all columns, where they have a page index
	Rows      int64 `json:"rows"`
	Bytes     int64 `json:"bytes"`
}

func costOf(m *zonemap.Map, filters []zonemap.Filter) *FilterCost {
	out := &FilterCost{All: FilterRead(m.All())}
	for _, f := range filters {
		out.Filters = append(out.Filters, f.Text)
	}
	cost := m.CostOf(filters)
	out.ByGroups, out.ByPages = FilterRead(cost.ByGroups), FilterRead(cost.ByPages)
	return out
}

// addOrder adds the order that the file with a number declares.
func (l *FilesLayout) addOrder(file int, order roworder.DeclaredOrder) {
	if file == 0 {
		l.declared, l.Keys = order.Keys, flagtext.KeyTexts(order.Keys)
	}
	l.Varies = l.Varies || order.Mixed || !order.Empty && !slices.Equal(order.Keys, l.declared)
}

// addZones adds row groups and columns. The places of bounds are those among the bounds of a column in both maps.
func (l *FilesLayout) addZones(m, other *zonemap.Map, pages bool) {
	l.RowGroups, l.Columns = []LayoutGroup{}, []LayoutColumn{}
	for _, g := range m.Groups {
		l.RowGroups = append(l.RowGroups, LayoutGroup(g))
	}
	for _, c := range m.Columns {
		column := LayoutColumn{Name: c.Path, Type: c.Type.String(), Bytes: c.Bytes, Raw: c.Raw, Codecs: c.Codecs,
			Encodings: c.Encodings, Dictionaries: c.Dictionaries, BloomFilters: c.BloomFilters}
		place, ranked := zonemap.Places(c.Type, append(other.GroupsOf(c.Path, c.Type), c.Groups...))
		column.Ranked, column.Depth = ranked, depthOf(c, c.Groups)
		column.PageDepth = depthOf(c, slices.Concat(c.Pages...))
		least, greatest := zonemap.Ends(c.Groups)
		if least != nil {
			column.Least = &least.Least
		}
		if greatest != nil {
			column.Greatest = &greatest.Greatest
		}
		nulls := int64(0)
		for i := range c.Groups {
			zone := zoneOf(&c.Groups[i], place)
			if zone.Nulls == nil {
				nulls = -1
			} else if nulls >= 0 {
				nulls += *zone.Nulls
			}
			if pages {
				for p := range c.Pages[i] {
					zone.Pages = append(zone.Pages, zoneOf(&c.Pages[i][p], place))
				}
			}
			column.Zones = append(column.Zones, zone)
		}
		if nulls >= 0 {
			column.Nulls = &nulls
		}
		l.Columns = append(l.Columns, column)
	}
}

// depthOf returns the depth of zones of a column; nil where none has bounds.
func depthOf(c *zonemap.Column, zones []zonemap.Zone) *LayoutDepth {
	d := zonemap.DepthOf(c.Type, zones)
	if !slices.ContainsFunc(zones, func(z zonemap.Zone) bool { return z.Low != nil || z.High != nil }) {
		return nil
	}
	return new(LayoutDepth(d))
}

func zoneOf(z *zonemap.Zone, place func(key []byte) float64) LayoutZone {
	out := LayoutZone{Row: z.Row, Rows: z.Rows, Bytes: z.Bytes}
	if z.Counts.Nulls >= 0 {
		out.Nulls = &z.Counts.Nulls
	}
	if z.Low != nil {
		out.Least, out.From = &z.Least, new(place(z.Low))
	}
	if z.High != nil {
		out.Greatest, out.To = &z.Greatest, new(place(z.High))
	}
	return out
}

// checkOrder compares the bounds of row groups with the order that they declare.
func (l *FilesLayout) checkOrder(m *zonemap.Map) {
	if len(l.declared) == 0 || l.Varies {
		return
	}
	by := l.declared[0]
	if extsort.Derived(by) {
		return // the bounds are those of the column, not of what its rows are sorted by
	}
	named := func(c *zonemap.Column) bool { return by.Path != "" && c.Path == by.Path }
	at := slices.IndexFunc(m.Columns, named)
	if at < 0 || m.Columns[at].Repeated || slices.ContainsFunc(m.Columns[at+1:], named) {
		return // a column without a name, or with that of another one, or of lists
	}
	file, last := -1, []byte(nil) // the bound that the next row group may not be before
	for i := range m.Groups {
		z := &m.Columns[at].Groups[i]
		if m.Groups[i].File != file {
			file, last = m.Groups[i].File, nil
		}
		if z.Empty() {
			continue
		}
		if z.Low == nil || z.High == nil {
			return
		}
		first, next := z.Low, z.High
		if z.HighCut { // it may lie above other row groups
			next = z.Low
		}
		order := bytes.Compare(last, first)
		if by.Order == arrowsort.Descending {
			first, next = next, first
			order = bytes.Compare(first, last)
		}
		if last != nil && order > 0 {
			l.Agrees, l.FirstBad = new(false), &i
			return
		}
		last = next
	}
	l.Agrees = new(true)
}
