package zonemap

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// Groups are the row groups of files by the bounds of one leaf column, which footers have. Page indexes are not read.
// The zero value has none.
type Groups struct {
	typ     arrow.DataType
	zones   []Zone
	missing bool // a row group has no bounds
}

// Add adds the row groups of a Parquet file with a leaf column, which all files have.
func (g *Groups) Add(ctx context.Context, s *tablefile.Scanner, path string, mem memory.Allocator) error {
	leaf := -1
	for i, column := range s.Template.LeafColumns() {
		if column.Path == path {
			leaf = i
		}
	}
	if leaf < 0 {
		g.missing = true
		return nil
	}
	typ, repeated := s.LeafType(leaf)
	bounds, ok := s.Template.LeafBounds(leaf, typ, mem)
	if !ok {
		g.missing = g.missing || s.Rows > 0
		return nil
	}
	defer bounds.Limits.Release()
	zones, err := zonesOf(ctx, &bounds, typ, false, mem)
	if err != nil {
		return err
	}
	for i, group := range s.Template.RowGroups() {
		zones[i].Rows = group.Rows
		g.missing = g.missing || !zones[i].Empty() && (zones[i].Low == nil || zones[i].High == nil)
	}
	g.typ, g.zones, g.missing = typ, append(g.zones, zones...), g.missing || repeated
	return nil
}

// Missing adds row groups without bounds.
func (g *Groups) Missing() { g.missing = true }

// Depth returns how many row groups hold one value; false where a row group with values lacks a bound, or there is none
// with values.
func (g *Groups) Depth() (d Depth, ok bool) {
	if g.missing || len(g.zones) == 0 {
		return d, false
	}
	d = DepthOf(g.typ, g.zones)
	return d, d.Zones > 0
}
