package parquet

import (
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// LeafZones are what a file has on a leaf column: in its footer on the row groups, in its page index on the pages.
type LeafZones struct {
	LeafColumn
	Type     arrow.DataType // of the values in memory, without dictionaries and extensions
	Repeated bool           // the values lie in lists: there may be any number of them in a row
	Chunks   []LeafChunk    // one for each row group
	Groups   ColumnBounds   // of the row groups
	Pages    ColumnBounds   // of all pages, one row group after the other
}

// Release releases the limits of the bounds.
func (z *LeafZones) Release() {
	for _, b := range []*ColumnBounds{&z.Groups, &z.Pages} {
		if b.Limits != nil {
			b.Limits.Release()
			b.Limits = nil
		}
	}
}

// A LeafChunk is a leaf column of a row group.
type LeafChunk struct {
	Bytes  int64        // of its pages in the file, with its dictionary
	MaxCut bool         // the upper bound is known to be cut: it lies above all values
	Pages  []PageExtent // by the page index; none: it has none, or no rows
}

// A PageExtent is where a page lies.
type PageExtent struct {
	Row    int64 // the first one, in the row group
	Offset int64 // in the file
	Bytes  int64
}

// Zones reads what the file has on a leaf column. A page index that contradicts itself is ErrCorrupt. The caller
// releases the zones. The limits of Groups and Pages are nil where no bounds can be compared.
func (f *File) Zones(leaf int, mem memory.Allocator) (z LeafZones, err error) {
	t := f.Template
	z.LeafColumn = t.leafColumn(leaf)
	z.Type, z.Repeated = f.LeafType(leaf)
	z.Groups, _ = t.LeafBounds(leaf, z.Type, mem)
	pages := t.newBounds(leaf, z.Type)
	for number, group := range t.meta.RowGroups {
		c := group.Columns[leaf]
		chunk := LeafChunk{Bytes: c.MetaData.TotalCompressedSize}
		if s := c.MetaData.Statistics; s != nil && s.IsMaxValueExact != nil {
			chunk.MaxCut = !*s.IsMaxValueExact
		}
		index, err := f.pageIndexAt(c.ColumnIndexOffset, c.ColumnIndexLength, c.OffsetIndexOffset, c.OffsetIndexLength)
		if err != nil {
			return z, err
		}
		err = errkind.Contain(func() error {
			chunk.Pages = pageExtents(index.offsets, group.NumRows)
			pages.addPages(chunk.Pages, group.NumRows, index.columns, z.Repeated)
			return nil
		})
		if err != nil {
			return z, f.wrongIndex(leaf, f.Number(number), err)
		}
		z.Chunks = append(z.Chunks, chunk)
	}
	z.Pages = pages.build(mem)
	return z, nil
}

// HasPageIndex reports whether the places of the pages of a row group are known for all of its columns.
func (t *Template) HasPageIndex(group int) bool {
	for _, c := range t.meta.RowGroups[group].Columns {
		if c.OffsetIndexOffset == nil || c.OffsetIndexLength == nil {
			return false
		}
	}
	return true
}

// pageExtents decodes an OffsetIndex, none for no bytes. It panics for invalid ones.
func pageExtents(offsets []byte, rows int64) (extents []PageExtent) {
	if len(offsets) == 0 || rows == 0 {
		return nil
	}
	next := int64(0)
	for i, at := range metadata.NewOffsetIndex(offsets, nil, nil).GetPageLocations() {
		if at == nil || at.CompressedPageSize < 0 || at.FirstRowIndex >= rows || i == 0 && at.FirstRowIndex != 0 ||
			at.FirstRowIndex < next {
			panic(errkind.Corrupt("page %d begins where there is no row for it", i))
		}
		next = at.FirstRowIndex
		extents = append(extents, PageExtent{Row: at.FirstRowIndex, Offset: at.Offset,
			Bytes: int64(at.CompressedPageSize)})
	}
	return extents
}

// endOf returns the row after the last one of a page, in a row group of some rows.
func endOf(pages []PageExtent, number int, rows int64) int64 {
	if number+1 < len(pages) {
		return pages[number+1].Row
	}
	return rows
}

// addPages adds the pages of a row group, whose ColumnIndex has no bytes where it has none. It panics for an invalid
// one.
func (b *boundsBuilder) addPages(pages []PageExtent, rows int64, columns []byte, repeated bool) {
	var index metadata.ColumnIndex
	if len(columns) > 0 && len(pages) > 0 {
		index = metadata.NewColumnIndex(b.column, columns, nil, nil)
		if len(index.GetNullPages()) != len(pages) {
			panic(errkind.Corrupt("it has %d pages, and places of %d", len(index.GetNullPages()), len(pages)))
		}
	}
	for i, p := range pages {
		counts, low, high := b.unknown(endOf(pages, i, rows)-p.Row), []byte(nil), []byte(nil)
		if index != nil && index.GetNullPages()[i] {
			counts.Nulls, counts.NaNs = counts.Rows, 0
		} else if index != nil {
			nulls := (*int64)(nil)
			if index.IsSetNullCounts() && !repeated {
				nulls = &index.GetNullCounts()[i]
			}
			counts.set(nulls, nanCount(index, i))
			low, high = index.GetMinValues()[i], index.GetMaxValues()[i]
		}
		b.add(counts, low, high)
	}
}

// nanCount returns the number of NaNs of a page; nil where the index does not have it.
func nanCount(index metadata.ColumnIndex, number int) *int64 {
	switch typed := index.(type) { // the counts are in the index that these embed
	case *metadata.TypedColumnIndex[float64]:
		index = typed.ColumnIndex
	case *metadata.TypedColumnIndex[float32]:
		index = typed.ColumnIndex
	case *metadata.TypedColumnIndex[parquet.FixedLenByteArray]:
		index = typed.ColumnIndex
	}
	if counted, ok := index.(interface{ GetNanCounts() []int64 }); ok && number < len(counted.GetNanCounts()) {
		return &counted.GetNanCounts()[number]
	}
	return nil
}

// pageIndexAt reads the encoded page index of a column chunk; nothing where a place is missing or outside of the file.
func (f *File) pageIndexAt(columnsAt *int64, columns *int32, offsetsAt *int64, offsets *int32) (
	index encodedPageIndex, err error) {
	read := func(at *int64, n *int32) (b []byte, err error) {
		if at != nil && n != nil && *at > 0 && *n > 0 && *at <= f.size-int64(*n) {
			b = make([]byte, *n)
			_, err = f.src.ReadAt(b, *at)
		}
		return b, err
	}
	if index.columns, err = read(columnsAt, columns); err == nil {
		index.offsets, err = read(offsetsAt, offsets)
	}
	return index, err
}
