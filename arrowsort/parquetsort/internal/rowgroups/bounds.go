package rowgroups

import (
	"bytes"
	"context"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keypath"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/rows"
)

// A Key is the leading key of a sort.
type Key struct {
	arrowsort.Key
	typ  arrow.DataType // of its values
	ties int            // what a row group adds to the place of the next among rows that tie
}

// LeadingKey returns the first of the keys of files with a schema; in the reverse order the last rows come first.
func LeadingKey(schema *arrow.Schema, keys []arrowsort.Key, reverse bool) (Key, error) {
	columns, key, ties := adapter.OfSchema(schema), keys[0], 0
	found, err := keypath.Find(&columns, 0, keypath.Of(key.Path, key.At, key.Order, key.Nulls, "", ""))
	if err != nil {
		return Key{}, err
	}
	if len(keys) == 1 {
		ties = 1
	}
	if reverse {
		key.Order, key.Nulls = arrowsort.Descending-key.Order, arrowsort.NullsAtStart-key.Nulls
		ties = -ties
	}
	typ := arraydata.Storage(found.Type)
	if d, ok := typ.(*arrow.DictionaryType); ok {
		typ = d.ValueType
	}
	return Key{key, typ, ties}, nil
}

// tie returns the place of a row group among rows that tie.
func (k Key) tie(number int) int { return number * k.ties }

// leaf returns the number of the leaf column of the key in a file; -1: it has none.
func (k Key) leaf(file *tablefile.Template) int {
	column, _ := k.At.Index() // counts without a path only
	return file.Leaf(tablefile.SortingColumn{Path: k.Path, Column: column})
}

// Groups returns the row groups of a Parquet file that have rows; nil where its footer cannot tell where rows are.
func (k Key) Groups(ctx context.Context, file *tablefile.Template, mem memory.Allocator) ([]*Group, error) {
	leaf := k.leaf(file)
	if leaf < 0 {
		return nil, nil
	}
	bounds, ok := file.LeafBounds(leaf, k.typ, mem)
	if !ok {
		return nil, nil
	}
	defer bounds.Limits.Release()
	classes, err := k.classes(ctx, &bounds, mem)
	if err != nil {
		return nil, err
	}
	groups, start := []*Group(nil), int64(0)
	for i, counts := range bounds.Groups {
		if counts.Rows > 0 {
			groups = append(groups, &Group{Number: i, Start: start, Rows: counts.Rows, Classes: classes[i]})
		}
		start += counts.Rows
	}
	return groups, nil
}

// Pages returns the pages of the key in row groups of a file that is open with these alone, in place of those of which
// it has a page index with bounds. A page index that contradicts itself is ErrCorrupt.
func (k Key) Pages(ctx context.Context, file *tablefile.Scanner, groups []*Group, mem memory.Allocator) ([]*Group,
	error) {
	z, err := file.Zones(k.leaf(file.Template), mem)
	defer z.Release()
	if err != nil || z.Pages.Limits == nil {
		return groups, err
	}
	classes, err := k.classes(ctx, &z.Pages, mem)
	if err != nil {
		return nil, err
	}
	var all []*Group
	first := 0
	for i, g := range groups {
		pages, end := z.Chunks[i].Pages, first+len(z.Chunks[i].Pages)
		if len(pages) < 2 || !hasBounds(&z.Pages, first, end) {
			all = append(all, g)
		} else {
			all = append(all, g.divide(pages, classes[first:end], file.Template.HasPageIndex(i))...)
		}
		first = end
	}
	return all, nil
}

// hasBounds reports whether a page of a row group has bounds, or none as all of its rows are null.
func hasBounds(pages *tablefile.ColumnBounds, first, end int) bool {
	for i := first; i < end; i++ {
		if !pages.Limits.IsNull(2*i) || !pages.Limits.IsNull(2*i+1) || pages.Groups[i].Nulls == pages.Groups[i].Rows {
			return true
		}
	}
	return false
}

// divide returns the pages of a row group that have rows, of which some classes are. They can be read apart if all
// columns have a page index.
func (g *Group) divide(pages []tablefile.PageExtent, classes [][]Class, apart bool) (all []*Group) {
	for i, p := range pages {
		end := g.Rows
		if i+1 < len(pages) {
			end = pages[i+1].Row
		}
		if p.Row < end {
			all = append(all, &Group{Number: g.Number, Start: g.Start + p.Row, Rows: end - p.Row, Classes: classes[i],
				Page: &Page{First: p.Row, Of: g, Apart: apart}})
		}
	}
	return all
}

// classes returns the classes of the rows of row groups, or pages, with some bounds.
func (k Key) classes(ctx context.Context, bounds *tablefile.ColumnBounds, mem memory.Allocator) ([][]Class, error) {
	limits, err := k.encode(ctx, bounds.Limits, mem)
	if err != nil {
		return nil, err
	}
	defer limits.Release()
	places, err := k.places(ctx, mem)
	if err != nil {
		return nil, err
	}
	limit := func(at int) []byte {
		if bounds.Limits.IsNull(at) {
			return nil
		}
		return bytes.Clone(limits.Row(at))
	}
	all := make([][]Class, len(bounds.Groups))
	for i, counts := range bounds.Groups {
		first, last := 2*i, 2*i+1
		if k.Order == arrowsort.Descending {
			first, last = last, first
		}
		all[i] = places.classes(counts, limit(first), limit(last))
	}
	return all, nil
}

// encode returns values of the key in the form of package rows.
func (k Key) encode(ctx context.Context, values arrow.Array, mem memory.Allocator) (*rows.Rows, error) {
	c, err := rows.NewConverter(rows.Field{Type: values.DataType(), Order: k.Order, Nulls: k.Nulls})
	if err != nil {
		return nil, err
	}
	return c.Encode(ctx, values, rows.Options{Allocator: mem})
}

// places are where the rows of a key are that have no bounds.
type places struct {
	null, nan   []byte // keys; nan is nil for a type without NaN
	first, last []byte // no value sorts before first, none after last
}

// end sorts after all keys: only nulls and numbers begin with this byte, and these are shorter.
var end = bytes.Repeat([]byte{0xFF}, 40)

// places returns them for a key.
func (k Key) places(ctx context.Context, mem memory.Allocator) (p places, err error) {
	special := array.NewBuilder(mem, k.typ)
	defer special.Release()
	special.AppendNull()
	switch b := special.(type) {
	case *array.Float16Builder:
		b.Append(float16.FromBits(0x7E00)) // the quiet NaN
	case *array.Float32Builder:
		b.Append(float32(math.NaN()))
	case *array.Float64Builder:
		b.Append(math.NaN())
	}
	values := special.NewArray()
	defer values.Release()
	keys, err := k.encode(ctx, values, mem)
	if err != nil {
		return p, err
	}
	defer keys.Release()
	p.null = bytes.Clone(keys.Row(0))
	neighbor := p.null // of the values
	if keys.Len() > 1 {
		p.nan = bytes.Clone(keys.Row(1))
		neighbor = p.nan
	}
	if k.Nulls == arrowsort.NullsAtStart {
		p.first, p.last = neighbor, end
	} else {
		p.first, p.last = []byte{}, neighbor
	}
	return p, nil
}

// classes returns the classes of the rows of a row group, of whose values the first and the last in the order of the
// key are limits; nil: there is none. A class without a count is one with the values.
func (p *places) classes(counts tablefile.GroupCounts, first, last []byte) []Class {
	values := Class{"values", counts.Rows, first, last}
	if first == nil {
		values.First = p.first
	}
	if last == nil {
		values.Last = p.last
	}
	if p.nan != nil && counts.NaNs < 0 {
		values.widen(p.nan)
	}
	if counts.Nulls < 0 {
		values.widen(p.null)
		return []Class{values}
	}
	nans := max(counts.NaNs, 0)
	values.Rows -= counts.Nulls + nans
	all := []Class{{"nulls", counts.Nulls, p.null, p.null}, {"NaNs", nans, p.nan, p.nan}, values}
	return slices.DeleteFunc(all, func(c Class) bool { return c.Rows == 0 })
}

// widen extends a class to a key.
func (c *Class) widen(key []byte) {
	if bytes.Compare(key, c.First) < 0 {
		c.First = key
	}
	if bytes.Compare(key, c.Last) > 0 {
		c.Last = key
	}
}
