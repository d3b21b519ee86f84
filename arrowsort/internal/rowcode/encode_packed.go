package rowcode

import (
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/internal/workers"
)

// A key of lists of any kind but views is packed where its elements all have the same number of bytes, no markers
// between them, and lie in their array in the order of the rows, at least half of them in lists that are not null: then
// they are encoded all at once, those of lists under a null too. The offsets of rows follow from those of the lists:
//
//	list       [ a b ] [ ] [ c ]        offset of row i = bytes of an element × offset of list i
//	bytes      a  b  c

// packs reports whether the key is packed where the elements are in the order of the rows.
func (l *leaf) packs() bool {
	if !l.bare || l.marked || l.format == formatUnion {
		return false
	}
	_, varies := l.inner[0].bytes()
	return !varies
}

// packedRange returns the elements of the rows of a chunk if they are packed, else a range whose end is before its
// beginning.
func (e *encoder) packedRange(k *chunk, data arrow.ArrayData) (numberRange, error) {
	none := numberRange{0, -1}
	if !k.packs() || k.sizes != nil {
		return none, nil
	}
	var falls atomic.Bool // of all tiles
	var valid atomic.Int64
	scratch := make([]*tile, workers.Count(e.opts.Threads))
	err := e.tiles(scratch, k.Rows, func(_ *tile, lo, n int) {
		last, elements := k.end(lo-1), 0
		for i := range n {
			end := k.end(lo + i)
			if end < last {
				falls.Store(true)
			}
			if k.valid(lo + i) {
				elements += end - last
			}
			last = end
		}
		valid.Add(int64(elements))
	})
	all := numberRange{k.end(-1), k.end(k.Rows - 1)}
	if err != nil || falls.Load() || all.lo < 0 || all.hi > data.Children()[0].Len() ||
		2*int(valid.Load()) < all.hi-all.lo {
		return none, err
	}
	return all, nil
}

// packed reports whether the rows of all chunks are.
func (s *source) packed() bool {
	for i := range s.chunks {
		if !s.chunks[i].packed {
			return false
		}
	}
	return true
}

// encodePacked is encode for a source that is packed.
func (e *encoder) encodePacked(s *source) (*Rows, error) {
	b := allocations{mem: e.opts.Allocator}
	rows, err := b.newRows(e.ctx, e.rows)
	if err != nil {
		return nil, err
	}
	size := 0
	for i := range s.chunks {
		size += s.chunks[i].children[0].size()
	}
	data, err := b.allocate(e.ctx, size)
	scratch := make([]*tile, workers.Count(e.opts.Threads))
	ends, out := rows.Offsets[1:], 0
	for i := 0; i < len(s.chunks) && err == nil; i++ {
		k := &s.chunks[i]
		c := &k.children[0]
		err = e.tiles(scratch, k.Rows, func(_ *tile, lo, n int) {
			for i := lo; i < lo+n; i++ {
				ends[i] = int64(out + (k.end(i)-c.first)*c.bytes)
			}
		})
		if err == nil {
			err = e.tiles(scratch, c.rows, func(t *tile, lo, n int) {
				t.out = data.Bytes()
				for i := range n {
					t.pos[i] = out + (lo+i)*c.bytes
				}
				t.put(c.sources, lo, n)
			})
		}
		ends, out = ends[k.Rows:], out+c.size()
	}
	if err != nil {
		b.release()
		return nil, err
	}
	return b.finish(rows, data), nil
}

// size returns the bytes of all elements, of a fixed number of bytes each.
func (c *child) size() int { return c.rows * c.bytes }

// end returns the number of the element after those of row i, or after those of the rows before row 0 for -1, where the
// elements of the rows lie one after another.
func (k *chunk) end(i int) int { return k.reach(i + 1) }
