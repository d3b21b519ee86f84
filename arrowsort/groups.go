package arrowsort

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/internal/workers"
)

// Groups returns the borders of the groups of rows that tie in the keys, of data that is in the order of the keys: the
// first row of each group, rising, and the number of rows after the last. Group i is rows borders[i] to borders[i+1]-1.
// There is one border more than groups; data without rows has the border 0. Rows tie as they do in Sort: null with
// null, NaN with NaN, -0.0 with +0.0. Take of all borders but the last returns the first row of each group.
//
// Row numbers run over all chunks. Temporary memory is 1/8 byte per row; the result, which the caller releases, has 8
// bytes per border.
//
// It fails with ErrUnsorted when a row sorts before its predecessor; otherwise keys, cancellation and errors are those
// of Sort. partition of arrow-rs returns the same borders.
func Groups(ctx context.Context, data Data, keys []Key, opts Options) (_ *array.Uint64, err error) {
	defer translated(&err)
	if err := withoutRandom("Groups", keys); err != nil {
		return nil, err
	}
	c, err := newCall(ctx, operation{name: "Groups"}, data, keys, opts)
	if err != nil {
		return nil, err
	}
	defer c.work.Release()
	starts, err := newBitmap(c.data.Rows, c.opts.Allocator)
	if err != nil {
		return nil, err
	}
	defer starts.release()
	unsorted, err := cpu.MarkGroups(ctx, &c.work.Job, nil, starts.words, c.opts.Allocator)
	if err != nil {
		return nil, err
	}
	if unsorted >= 0 {
		return nil, fmt.Errorf("%w: row %d sorts before row %d; sort by the keys first",
			ErrUnsorted, unsorted, unsorted-1)
	}
	count, err := starts.index(ctx, c.opts.Threads)
	if err != nil {
		return nil, err
	}
	return newUint64(ctx, count+1, c.opts.Allocator, func(borders []uint64) error {
		borders[count] = uint64(starts.rows)
		return starts.list(ctx, c.opts.Threads, borders, nil)
	})
}

// newUint64 makes an array of n numbers that fill writes.
func newUint64(
	ctx context.Context, n int, mem memory.Allocator, fill func(values []uint64) error,
) (*array.Uint64, error) {
	data, err := newNumbers(ctx, n, arrow.PrimitiveTypes.Uint64, mem, fill)
	if err != nil {
		return nil, err
	}
	defer data.Release()
	return array.NewUint64Data(data), nil
}

// newNumbers makes array data of n numbers of 8 bytes whose bits fill writes.
func newNumbers(
	ctx context.Context, n int, typ arrow.DataType, mem memory.Allocator, fill func(values []uint64) error,
) (*array.Data, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	buf, err := engine.Allocate(mem, n*arrow.Uint64SizeBytes)
	if err != nil {
		return nil, err
	}
	if err := fill(arrow.Uint64Traits.CastFromBytes(buf)); err != nil {
		if buf != nil {
			mem.Free(buf)
		}
		return nil, err
	}
	return adapter.RowNumbers(&engine.Result{Rows: n, RowNumbers: buf}, typ, mem), nil
}

// bitmapTileRows is the number of rows of one unit of work.
const bitmapTileRows = 1 << 16

// A bitmap has a bit for each row: 1/8 byte per row. A row is marked if its bit is set.
type bitmap struct {
	rows  int
	words []uint64
	tiles []bitmapTile // after index
	mem   memory.Allocator
	buf   []byte
}

// A bitmapTile is the bitmapTileRows rows from a multiple of bitmapTileRows on.
type bitmapTile struct {
	before   int // marked rows before the tile
	previous int // the last of them, -1 for none
	next     int // the first marked row after the tile; the number of rows for none
}

// newBitmap allocates a bitmap of undefined content.
func newBitmap(rows int, mem memory.Allocator) (*bitmap, error) {
	buf, err := engine.Allocate(mem, (rows+63)/64*8)
	if err != nil {
		return nil, err
	}
	return &bitmap{rows: rows, words: arrow.Uint64Traits.CastFromBytes(buf), mem: mem, buf: buf}, nil
}

func (m *bitmap) release() {
	if m.buf != nil {
		m.mem.Free(m.buf)
		m.buf = nil
	}
}

// each runs f for every tile, whose rows are lo..hi-1.
func (m *bitmap) each(ctx context.Context, threads int, f func(tile, lo, hi int)) error {
	return eachTile(ctx, m.rows, threads, f)
}

// eachTile runs f for every tile of some rows, whose rows are lo..hi-1.
func eachTile(ctx context.Context, rows, threads int, f func(tile, lo, hi int)) error {
	return workers.Each(ctx, (rows+bitmapTileRows-1)/bitmapTileRows, threads, func(tile int) error {
		f(tile, tile*bitmapTileRows, min(rows, (tile+1)*bitmapTileRows))
		return nil
	})
}

// index counts the marked rows of each tile, for list and eachGroup, and returns their number.
func (m *bitmap) index(ctx context.Context, threads int) (int, error) {
	type ends struct{ count, first, last int }
	found := make([]ends, (m.rows+bitmapTileRows-1)/bitmapTileRows)
	err := m.each(ctx, threads, func(tile, lo, hi int) {
		e := ends{first: -1, last: -1}
		for i := lo / 64; i < (hi+63)/64; i++ {
			w := m.word(i)
			if w == 0 {
				continue
			}
			if e.first < 0 {
				e.first = i*64 + bits.TrailingZeros64(w)
			}
			e.count, e.last = e.count+bits.OnesCount64(w), i*64+63-bits.LeadingZeros64(w)
		}
		found[tile] = e
	})
	m.tiles = make([]bitmapTile, len(found))
	count, last, first := 0, -1, m.rows
	for t, e := range found {
		m.tiles[t].before, m.tiles[t].previous = count, last
		count, last = count+e.count, max(last, e.last)
	}
	for t := len(found) - 1; t >= 0; t-- {
		m.tiles[t].next = first
		if found[t].count > 0 {
			first = found[t].first
		}
	}
	return count, err
}

// word returns the bits of rows 64i to 64i+63; those past the last row are 0.
func (m *bitmap) word(i int) uint64 {
	if left := m.rows - i*64; left < 64 {
		return m.words[i] & (1<<left - 1)
	}
	return m.words[i]
}

// list writes the numbers of the marked rows or, when rows are given, the rows at the marked places.
func (m *bitmap) list(ctx context.Context, threads int, dst []uint64, rows []uint32) error {
	return m.each(ctx, threads, func(tile, lo, hi int) {
		at := m.tiles[tile].before
		for i := lo / 64; i < (hi+63)/64; i++ {
			for w := m.word(i); w != 0; w &= w - 1 {
				row := uint64(i*64 + bits.TrailingZeros64(w))
				if rows != nil {
					row = uint64(rows[row])
				}
				dst[at] = row
				at++
			}
		}
	})
}

// eachGroup calls group for the rows lo..hi-1 that each group has in a tile, where a group is a marked row and the rows
// up to the next one. The whole group is rows first..end-1; groups are numbered from 1. Neighbors that are a group each
// are passed to singles together, with the number of the first.
func (m *bitmap) eachGroup(lo, hi int, singles func(lo, hi, number int), group func(lo, hi, first, end, number int)) {
	tile := &m.tiles[lo/bitmapTileRows]
	first, number := tile.previous, tile.before
	for lo < hi {
		if m.words[lo/64]>>(lo%64)&1 != 0 {
			last := cpu.NextUnmarked(m.words, lo+1, hi) - 1 // marked, as are all from lo on
			if last > lo {
				singles(lo, last, number+1)
			}
			number += last - lo + 1
			first, lo = last, last
		}
		next := cpu.NextMark(m.words, lo+1, hi)
		end := next
		if next == hi {
			end = tile.next
		}
		group(lo, next, first, end, number)
		lo = next
	}
}
