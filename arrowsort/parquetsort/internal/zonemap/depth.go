package zonemap

import (
	"bytes"
	"context"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// A Depth is how many zones a reader has to read for one value of a column.
type Depth struct {
	Mean      float64 // zones that can hold a value of a row, on average over the rows
	Worst     int     // zones that can hold the value that most can
	Of        int     // zones that have values
	Unbounded int     // of them, without a lower or an upper bound: they may hold any value on that side
}

// DepthOf returns the depth of some zones of a type. The values of a zone are taken to be spread evenly between its
// bounds. It sorts the bounds and sweeps over them.
func DepthOf(typ arrow.DataType, zones []Zone) (d Depth) {
	s := newSweep(typ, zones)
	d.Of, d.Unbounded = len(s.zones), s.unbounded
	rows, weighted := float64(0), float64(0)
	for _, z := range s.zones {
		n := float64(z.zone.Rows)
		rows, weighted = rows+n, weighted+n*s.mean(z)
	}
	if rows > 0 {
		d.Mean = weighted / rows
	}
	for _, n := range s.at {
		d.Worst = max(d.Worst, n)
	}
	return d
}

// A sweep is the bounds of zones in their order, and how many zones hold each of them and the values between two.
type sweep struct {
	scale     *Scale
	keys      [][]byte  // the bounds, each once
	at        []int     // zones that hold a bound
	before    []float64 // the zones of all values before a bound, by the length of the scale
	zones     []swept
	unbounded int
}

// A swept is a zone with values, whose bounds have numbers among all bounds.
type swept struct {
	zone      *Zone
	low, high int
}

func newSweep(typ arrow.DataType, zones []Zone) *sweep {
	all := boundsOf(zones)
	s := &sweep{scale: newScale(typ, all), keys: slices.CompactFunc(all, bytes.Equal)}
	for i := range zones {
		if z := &zones[i]; !z.Empty() {
			s.zones = append(s.zones, swept{zone: z})
			if z.Low == nil || z.High == nil {
				s.unbounded++
			}
		}
	}
	if len(s.keys) == 0 {
		s.keys = [][]byte{nil} // all values are one, which all zones may hold
	}
	s.count()
	return s
}

// count counts the zones at and between the bounds.
func (s *sweep) count() {
	begin, end := make([]int, len(s.keys)), make([]int, len(s.keys)) // zones
	for i := range s.zones {
		z := &s.zones[i]
		z.low, z.high = 0, len(s.keys)-1
		if z.zone.Low != nil {
			z.low, _ = slices.BinarySearchFunc(s.keys, z.zone.Low, bytes.Compare)
		}
		if z.zone.High != nil {
			z.high, _ = slices.BinarySearchFunc(s.keys, z.zone.High, bytes.Compare)
		}
		begin[z.low]++
		end[z.high]++
	}
	s.at, s.before = make([]int, len(s.keys)), make([]float64, len(s.keys))
	open := 0
	for i, key := range s.keys {
		open += begin[i]
		s.at[i] = open
		if open -= end[i]; i+1 < len(s.keys) {
			gap := max(s.scale.Offset(s.keys[i+1])-s.scale.Offset(key)-s.scale.Step, 0)
			s.before[i+1] = s.before[i] + float64(s.at[i])*s.scale.Step + float64(open)*gap
		}
	}
}

// mean returns the number of zones that hold a value of a zone.
func (s *sweep) mean(z swept) float64 {
	if width := s.scale.Offset(s.keys[z.high]) - s.scale.Offset(s.keys[z.low]) + s.scale.Step; width > 0 {
		return (s.before[z.high] + float64(s.at[z.high])*s.scale.Step - s.before[z.low]) / width
	}
	return float64(s.at[z.low])
}

// Ranks are the places of the values of a column among those of a sample of rows: for each row, how many values are
// less, and how many are not greater. A null has no place.
type Ranks struct {
	Less, UpTo []int // UpTo 0: the row is null
	Values     int   // that are not null
}

// A Zoning is how the rows of an order are divided into zones: Edges[i] to Edges[i+1] are the places of zone i in the
// order of the sample.
type Zoning struct{ Edges []int }

// NewZoning divides n rows of a sample, which stand for some rows of a file, into zones of the same number of rows.
func NewZoning(n int, rows, zoneRows int64) Zoning {
	z := Zoning{Edges: []int{0}}
	for end := zoneRows; end < rows; end += zoneRows {
		z.Edges = append(z.Edges, int(float64(n)*float64(end)/float64(rows)))
	}
	return Zoning{Edges: append(z.Edges, n)}
}

// ZoningOf divides n rows of a sample, which stand for some rows of files, into zones of some numbers of rows.
func ZoningOf(n int, rows int64, zones []int64) Zoning {
	z, end := Zoning{Edges: []int{0}}, int64(0)
	for _, zone := range zones {
		end += zone
		z.Edges = append(z.Edges, int(float64(n)*float64(end)/float64(max(rows, 1))))
	}
	return z
}

// Shares returns the shares of the rows that readers read on average, by the bounds of zones of rows in an order: for a
// filter that is equal to the value of one row, and for one that takes an interval with a share of all values. Each
// value, and each interval, is as likely as the other ones.
func (z Zoning) Shares(order []uint64, ranks *Ranks, interval float64) (equal, within float64) {
	n := float64(ranks.Values)
	for i := 1; i < len(z.Edges); i++ {
		low, high := len(order), 0 // values that are less than those of the zone, and up to them
		for _, row := range order[z.Edges[i-1]:z.Edges[i]] {
			if ranks.UpTo[row] > 0 {
				low, high = min(low, ranks.Less[row]), max(high, ranks.UpTo[row])
			}
		}
		if high == 0 { // nulls
			continue
		}
		rows := float64(z.Edges[i]-z.Edges[i-1]) / float64(len(order))
		from, to := float64(low)/n, float64(high)/n
		equal += rows * (to - from)
		within += rows * max(min(to, 1-interval)-max(from-interval, 0), 0) / (1 - interval)
	}
	return equal, within
}

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
	return d, d.Of > 0
}
