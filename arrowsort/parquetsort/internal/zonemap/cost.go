package zonemap

// A Cost is what readers have to read of the files for the rows that pass some filters, with all columns.
type Cost struct {
	ByGroups, ByPages Read // without and with the page index
}

// A Read is what is read.
type Read struct {
	RowGroups int
	Pages     int   // of all columns, of those that have a page index
	Rows      int64 // of the row groups, or of the pages of the columns that are filtered
	Bytes     int64
}

// CostOf returns what is read of a map for the rows that pass all of some filters.
func (m *Map) CostOf(filters []Filter) (c Cost) {
	for group := range m.Groups {
		matches := true
		for i := range filters {
			matches = matches && filters[i].may(&m.Columns[filters[i].Leaf].Groups[group])
		}
		if !matches {
			continue
		}
		whole := []span{{0, m.Groups[group].Rows}}
		c.ByGroups.add(m, group, whole)
		wanted := whole
		for i := range filters {
			wanted = intersect(wanted, filters[i].spans(m.Columns[filters[i].Leaf].Pages[group], whole))
		}
		if len(wanted) > 0 {
			c.ByPages.add(m, group, wanted)
		}
	}
	return c
}

// All returns what is read without a filter.
func (m *Map) All() Read { return m.CostOf(nil).ByGroups }

// A span is rows of a row group from a first one up to an end.
type span struct{ start, end int64 }

// spans returns the rows of the pages that can hold rows that pass the filter; all where there is no page index.
func (f *Filter) spans(pages []Zone, all []span) (wanted []span) {
	if len(pages) == 0 {
		return all
	}
	for i := range pages {
		p := &pages[i]
		switch last := len(wanted) - 1; {
		case !f.may(p):
		case last >= 0 && wanted[last].end == p.Row:
			wanted[last].end += p.Rows
		default:
			wanted = append(wanted, span{p.Row, p.Row + p.Rows})
		}
	}
	return wanted
}

// intersect returns the rows that are in two lists of spans in ascending order.
func intersect(a, b []span) (both []span) {
	for len(a) > 0 && len(b) > 0 {
		if s := (span{max(a[0].start, b[0].start), min(a[0].end, b[0].end)}); s.start < s.end {
			both = append(both, s)
		}
		if a[0].end < b[0].end {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return both
}

// add adds what is read of a row group for some rows: of each column its dictionary and the pages with such rows, or
// all bytes where it has no page index.
func (r *Read) add(m *Map, group int, rows []span) {
	r.RowGroups++
	for _, s := range rows {
		r.Rows += s.end - s.start
	}
	for _, c := range m.Columns {
		pages, all := c.Pages[group], c.Groups[group].Bytes
		r.Bytes += all
		rest := rows
		for i := range pages {
			for len(rest) > 0 && rest[0].end <= pages[i].Row {
				rest = rest[1:]
			}
			if len(rest) > 0 && rest[0].start < pages[i].Row+pages[i].Rows {
				r.Pages++
			} else {
				r.Bytes -= pages[i].Bytes
			}
		}
	}
}
