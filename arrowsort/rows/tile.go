package rows

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
)

// tileRows are the rows that are worked on at a time: their bytes and the scratch memory fit in the nearest caches. It
// is a multiple of 8, so that tiles do not share bytes of bitmaps.
const tileRows = 512

// A tile is the scratch memory of a worker: about 9 KiB.
type tile struct {
	out     []byte           // all rows
	pos     [tileRows]int    // where the next byte of each row goes, or comes from
	words   [tileRows]uint64 // ordered words
	classes [tileRows]byte   // class bytes
	texts   [][]byte         // strings of views
}

// measure writes where each row ends, from the start of the tile: of len(ends) rows from row lo on.
func (t *tile) measure(sources []source, ends []int64, lo int) {
	fixed, end := 0, int64(0)
	for i := range sources {
		fixed += sources[i].bytes
	}
	for i := range ends {
		end += int64(fixed)
		ends[i] = end
	}
	for i := range sources {
		if s := &sources[i]; s.format == formatText {
			before := int64(0)
			s.each(lo, len(ends), func(k *chunk, at, from, n int) {
				before = k.addTexts(t, at, ends[from:from+n], before)
			})
		}
	}
}

// place adds the start of the tile to the ends of its rows; the positions become the starts of the rows.
func (t *tile) place(ends []int64, start int64) {
	at := int(start)
	for i := range ends {
		t.pos[i] = at
		ends[i] += start
		at = int(ends[i])
	}
}

// put writes n rows from row lo on. Only text moves the positions of rows on; what is ahead of a leaf, apart from text,
// has the same size in all rows.
func (t *tile) put(sources []source, lo, n int) {
	ahead := 0
	for i := range sources {
		s, out := &sources[i], t.out[ahead:]
		s.each(lo, n, func(k *chunk, at, from, n int) { k.put(t, out, at, t.pos[from:from+n]) })
		ahead += s.bytes
	}
}

// allocations allocates the buffers of one call and holds a reference to each of them until release.
type allocations struct {
	mem   memory.Allocator
	owned []*memory.Buffer
}

// allocate returns a buffer of undefined bytes; those up to a multiple of 64 bytes are zero.
func (b *allocations) allocate(ctx context.Context, size int) (*memory.Buffer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if size == 0 {
		return memory.NewBufferBytes([]byte{}), nil
	}
	bytes, err := engine.Allocate(b.mem, (size+63)&^63)
	if err != nil {
		return nil, err
	}
	clear(bytes[size:])
	buffer := memory.NewBufferWithAllocator(bytes, b.mem)
	buffer.ResizeNoShrink(size)
	b.owned = append(b.owned, buffer)
	return buffer, nil
}

func (b *allocations) release() {
	for _, buffer := range b.owned {
		buffer.Release()
	}
	b.owned = nil
}
