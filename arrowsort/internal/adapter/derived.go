package adapter

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keyfunction"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// derived returns the raw column of slices of a plain type, or of what a derivation makes of their values. Temporary
// memory is that of the result: 8 bytes per row of most functions, 32 for decimals.
func (r *RawColumns) derived(typ arrow.DataType, parts []arraySlice, by derivation) (keyencode.Column, error) {
	if _, nested := NestedFields(typ); nested {
		return r.listLengths(parts)
	}
	l, _ := layoutOf(typ)
	c, err := r.column(l, parts)
	if err != nil || by == (derivation{}) || c.Kind == keyencode.Null {
		return c, err
	}
	if by.Function == keyfunction.None || by.Function == keyfunction.Lower {
		return r.collated(&c, by)
	}
	result, err := keyfunction.Result(by.Function, typ)
	if err != nil {
		return c, err
	}
	l, _ = layoutOf(result)
	of := keyencode.Column{Kind: l.kind, Width: l.width, Chunks: slices.Clone(c.Chunks)}
	write := keyfunction.NewWriter(by.Function, typ, &c)
	return of, r.eachChunk(&of, func(i, lo, hi int) error {
		if err := write(&c.Chunks[i], of.Chunks[i].Values, lo, hi); err != nil {
			return fmt.Errorf("chunk %d: %w", i, err)
		}
		return nil
	})
}

// eachChunk gives the chunks of a column memory for their values, and runs f for rows lo..hi-1 of chunk i, for all
// rows.
func (r *RawColumns) eachChunk(c *keyencode.Column, f func(i, lo, hi int) error) error {
	tiles, err := r.tiles(c, tileRows)
	if err != nil {
		return err
	}
	return workers.Each(r.ctx, len(tiles), r.threads, func(i int) error {
		return f(tiles[i].chunk, tiles[i].lo, tiles[i].hi)
	})
}

// A chunkTile is rows lo..hi-1 of a chunk.
type chunkTile struct{ chunk, lo, hi int }

// tiles gives the chunks of a column memory for their values, and returns their rows in tiles of at most some rows.
func (r *RawColumns) tiles(c *keyencode.Column, rows int) (tiles []chunkTile, err error) {
	for i := range c.Chunks {
		chunk := &c.Chunks[i]
		chunk.Data = nil
		if chunk.Values, err = r.temporary(c.Width * (chunk.Offset + chunk.Rows)); err != nil {
			return nil, err
		}
		clear(chunk.Values[:c.Width*chunk.Offset])
		for lo := 0; lo < chunk.Rows; lo += rows {
			tiles = append(tiles, chunkTile{i, lo, min(lo+rows, chunk.Rows)})
		}
	}
	return tiles, nil
}

// listLengths returns the numbers of elements of slices of lists or maps. A list that is not within the elements of its
// array is an error, but not under a null.
func (r *RawColumns) listLengths(parts []arraySlice) (c keyencode.Column, err error) {
	rows, err := r.nestedValues(parts)
	if err != nil {
		return c, err
	}
	c = keyencode.Column{Kind: keyencode.Int64, Width: arrow.Int64SizeBytes, Chunks: rows.Chunks}
	lists, first, before := make([]listRange, len(parts)), make([]int, len(parts)), 0
	for i, v := range parts {
		if lists[i], err = listRanges(v); err != nil {
			return c, err
		}
		first[i], before = before, before+v.rows
	}
	return c, r.eachChunk(&c, func(i, lo, hi int) error {
		chunk, all := &c.Chunks[i], int64(parts[i].data.Children()[0].Len())
		lengths := arrow.Int64Traits.CastFromBytes(chunk.Values)[chunk.Offset:]
		for row := lo; row < hi; row++ {
			if chunk.Validity != nil && !buffers.Bit(chunk.Validity, chunk.Offset+row) {
				continue
			}
			start, n := lists[i](parts[i].first + row)
			if start < 0 || n < 0 || start > all || n > all-start {
				return fmt.Errorf("%w: row %d has %d elements from element %d of %d on", arraydata.ErrMalformed,
					first[i]+row, n, start, all)
			}
			lengths[row] = n
		}
		return nil
	})
}

// A listRange returns the elements of the list at a position in the buffers of an array: n of them from element start
// on, which the array need not have.
type listRange func(at int) (start, n int64)

// listRanges returns the elements of the lists of a slice.
func listRanges(v arraySlice) (listRange, error) {
	typ := arraydata.Storage(v.data.DataType())
	if n := len(v.data.Children()); n != 1 {
		return nil, fmt.Errorf("%w: an array of type %s has %d children in place of 1", arraydata.ErrMalformed, typ, n)
	}
	switch t := typ.(type) {
	case *arrow.FixedSizeListType:
		n := int64(t.Len())
		return func(at int) (int64, int64) { return n * int64(at), n }, nil
	case *arrow.LargeListType, *arrow.LargeListViewType:
		return offsetRanges[int64](v, typ)
	}
	return offsetRanges[int32](v, typ)
}

// offsetRanges is listRanges for lists with offsets, and sizes if they are views.
func offsetRanges[O int32 | int64](v arraySlice, typ arrow.DataType) (listRange, error) {
	offsets, sizes := buffers.View[O](v.buffer(1)), buffers.View[O](v.buffer(2))
	rows, views := v.first+v.rows, typ.ID() == arrow.LIST_VIEW || typ.ID() == arrow.LARGE_LIST_VIEW
	switch {
	case views && len(offsets) >= rows && len(sizes) >= rows:
		return func(at int) (int64, int64) { return int64(offsets[at]), int64(sizes[at]) }, nil
	case !views && len(offsets) > rows:
		return func(at int) (int64, int64) {
			start := int64(offsets[at])
			return start, int64(offsets[at+1]) - start
		}, nil
	}
	return nil, fmt.Errorf("%w: an array of type %s has %d offsets and %d sizes for %d rows", arraydata.ErrMalformed,
		typ, len(offsets), len(sizes), rows)
}

// random returns the column of random values of all rows, by their numbers.
func (r *RawColumns) random(f keyfunction.Function, rows int) (keyencode.Column, error) {
	c := keyencode.Column{Kind: keyencode.Uint64, Width: arrow.Uint64SizeBytes}
	if rows > 0 {
		c.Chunks = []keyencode.Chunk{{Rows: rows}}
	}
	return c, r.eachChunk(&c, func(_, lo, hi int) error {
		keyfunction.RandomWords(f, arrow.Uint64Traits.CastFromBytes(c.Chunks[0].Values)[lo:hi], uint64(lo))
		return nil
	})
}
