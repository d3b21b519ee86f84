package cpu

import (
	"fmt"
	"sort"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/scatter"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A mover is what the sort moves for a column, or for the row numbers or codes: a fixed number of bytes per row. Values
// of fixed width move as they are; bits as bytes and strings as words, which are unpacked in sorted order.
type mover struct {
	width int
	out   []byte // sorted rows, in the result or in temp storage
	// direct returns rows lo..lo+n-1 in the input's own memory, nil when they are not there in one piece.
	direct func(lo, n int) []byte
	// fill writes rows lo..lo+len(dst)/width-1 to dst.
	fill func(dst []byte, lo int)
	// take writes the given rows to dst.
	take func(dst []byte, rows []uint32)
}

// stepRows is the number of rows that are moved between two checks of the context: fewer when they are wide.
func (l *mover) stepRows() int { return max(1, min(keys.TileRows, 1<<22/l.width)) }

// inPlace reports whether n rows are in the input's own memory in one piece.
func (l *mover) inPlace(n int) bool { return l.direct != nil && l.direct(0, n) != nil }

// block returns rows lo..lo+n-1, in place or written to scratch.
func (l *mover) block(lo, n int, scratch []byte) []byte {
	if l.direct != nil {
		if b := l.direct(lo, n); b != nil {
			return b
		}
	}
	b := scratch[:n*l.width]
	l.fill(b, lo)
	return b
}

// widest is the greatest width of some movers.
func widest(movers []*mover) int {
	width := 1
	for _, l := range movers {
		width = max(width, l.width)
	}
	return width
}

// chunked is a column with the first row of each chunk, and the number of rows.
type chunked struct {
	*keyencode.Column
	starts []int
}

func newChunked(c *keyencode.Column) chunked {
	starts := make([]int, len(c.Chunks)+1)
	for i := range c.Chunks {
		starts[i+1] = starts[i] + c.Chunks[i].Rows
	}
	return chunked{c, starts}
}

// at returns the chunk that holds a row.
func (c chunked) at(row int) int {
	if len(c.Chunks) == 1 {
		return 0
	}
	return sort.SearchInts(c.starts, row+1) - 1
}

// eachChunk calls f for the runs of rows lo..hi-1 that share a chunk; at is the first row's position in the chunk's
// buffers.
func (c chunked) eachChunk(lo, hi int, f func(chunk, at, n int)) {
	for i := c.at(lo); lo < hi; i++ {
		n := min(hi, c.starts[i+1]) - lo
		if n > 0 {
			f(i, c.Chunks[i].Offset+lo-c.starts[i], n)
			lo += n
		}
	}
}

// fixedMover moves values of a fixed width.
func fixedMover(c chunked) *mover {
	l := &mover{width: c.ValueBytes()}
	w := l.width
	l.direct = func(lo, n int) []byte {
		i := c.at(lo)
		if lo+n > c.starts[i+1] {
			return nil
		}
		k := &c.Chunks[i]
		at := k.Offset + lo - c.starts[i]
		return k.Values[at*w : (at+n)*w]
	}
	l.fill = func(dst []byte, lo int) {
		c.eachChunk(lo, lo+len(dst)/w, func(k, at, n int) {
			copy(dst, c.Chunks[k].Values[at*w:(at+n)*w])
			dst = dst[n*w:]
		})
	}
	l.take = func(dst []byte, rows []uint32) {
		if len(c.Chunks) == 1 {
			k := &c.Chunks[0]
			scatter.Gather(dst, k.Values[k.Offset*w:], rows, w)
			return
		}
		for i, r := range rows {
			k := c.at(int(r))
			at := (c.Chunks[k].Offset + int(r) - c.starts[k]) * w
			copy(dst[i*w:(i+1)*w], c.Chunks[k].Values[at:])
		}
	}
	return l
}

// The bytes that bits move as.
const (
	valueBit = 1
	validBit = 2
)

// bitMover moves the validity of a column, and the values of a Bool, as a byte.
func bitMover(c chunked) *mover {
	l := &mover{width: 1}
	l.fill = func(dst []byte, lo int) {
		c.eachChunk(lo, lo+len(dst), func(k, at, n int) {
			spreadBits(dst[:n], &c.Chunks[k], c.Kind == keyencode.Bool, at)
			dst = dst[n:]
		})
	}
	l.take = func(dst []byte, rows []uint32) {
		for i, r := range rows {
			k := c.at(int(r))
			spreadBits(dst[i:i+1], &c.Chunks[k], c.Kind == keyencode.Bool, c.Chunks[k].Offset+int(r)-c.starts[k])
		}
	}
	return l
}

// spreadBits writes the bits of rows at.. of a chunk as bytes.
func spreadBits(dst []byte, k *keyencode.Chunk, values bool, at int) {
	for i := range dst {
		b := byte(validBit)
		if k.Validity != nil {
			b = k.Validity[(at+i)>>3] >> ((at + i) & 7) & 1 << 1
		}
		if values {
			b |= k.Values[(at+i)>>3] >> ((at + i) & 7) & 1
		}
		dst[i] = b
	}
}

// newRowMover makes row numbers up, 4 or 8 bytes wide.
func newRowMover(width int) (*mover, error) {
	switch width {
	case 4:
		return &mover{
			width: 4, fill: func(dst []byte, lo int) { buffers.Series(buffers.View[uint32](dst), uint32(lo)) },
			take: func(dst []byte, rows []uint32) { copy(buffers.View[uint32](dst), rows) },
		}, nil
	case 8:
		return &mover{
			width: 8, fill: func(dst []byte, lo int) { buffers.Series(buffers.View[uint64](dst), uint64(lo)) },
			take: func(dst []byte, rows []uint32) { buffers.Widen(buffers.View[uint64](dst), rows) },
		}, nil
	}
	return nil, fmt.Errorf("%w: row numbers of %d bytes", engine.ErrKind, width)
}

// codeMover moves the leading words of the codes.
func codeMover(src keys.Source) *mover {
	l := &mover{width: 8}
	l.fill = func(dst []byte, lo int) { keys.EncodeAll(src, buffers.View[uint64](dst), lo) }
	return l
}
