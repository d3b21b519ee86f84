package adapter

import (
	"encoding/binary"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keyfunction"
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
		return write(&c.Chunks[i], of.Chunks[i].Values, lo, hi)
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

// listLengths returns the numbers of elements of slices of lists or maps.
func (r *RawColumns) listLengths(parts []arraySlice) (c keyencode.Column, err error) {
	rows, err := r.nestedValues(parts)
	if err != nil {
		return c, err
	}
	c = keyencode.Column{Kind: keyencode.Int64, Width: arrow.Int64SizeBytes, Chunks: rows.Chunks}
	return c, r.eachChunk(&c, func(i, lo, hi int) (err error) {
		defer arraydata.Guard(&err) // offsets that the array lacks
		chunk := &c.Chunks[i]
		lengths := arrow.Int64Traits.CastFromBytes(chunk.Values)[chunk.Offset:]
		of := listLength(parts[i].data)
		for row := lo; row < hi; row++ {
			lengths[row] = of(parts[i].first + row)
		}
		return nil
	})
}

// listLength returns the length of each list of an array, by its position in the buffers.
func listLength(lists arrow.ArrayData) func(at int) int64 {
	offsets, sizes := arraydata.Bytes(lists, 1), arraydata.Bytes(lists, 2)
	switch t := arraydata.Storage(lists.DataType()).(type) {
	case *arrow.FixedSizeListType:
		return func(int) int64 { return int64(t.Len()) }
	case *arrow.ListViewType:
		return func(at int) int64 { return int64(int32(binary.LittleEndian.Uint32(sizes[4*at:]))) }
	case *arrow.LargeListViewType:
		return func(at int) int64 { return int64(binary.LittleEndian.Uint64(sizes[8*at:])) }
	case *arrow.LargeListType:
		return func(at int) int64 {
			return int64(binary.LittleEndian.Uint64(offsets[8*at+8:]) - binary.LittleEndian.Uint64(offsets[8*at:]))
		}
	}
	return func(at int) int64 {
		return int64(int32(binary.LittleEndian.Uint32(offsets[4*at+4:]) - binary.LittleEndian.Uint32(offsets[4*at:])))
	}
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
