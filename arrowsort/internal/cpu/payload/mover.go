// Package payload moves columns with the rows of a sort: what moves for each column, and how it becomes the buffers of
// the result.
package payload

import (
	"fmt"
	"math"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/scatter"
	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A Mover moves one fixed-width value per row: a column's value, a row number or a code. Values of fixed width move as
// they are; bits as bytes and strings as words, which are unpacked in sorted order.
type Mover struct {
	Width int    // bytes of a row
	Out   []byte // sorted rows, in the result or in temp storage
	// Direct returns rows lo..lo+n-1 in the input's own memory, nil when they are not there in one piece.
	Direct func(lo, n int) []byte
	// Fill writes rows lo..lo+len(dst)/Width-1 to dst.
	Fill func(dst []byte, lo int)
	// Take writes the given rows to dst.
	Take func(dst []byte, rows []uint32)
}

// StepRows returns the number of rows that are moved between two checks of the context: fewer when they are wide.
func (m *Mover) StepRows() int { return max(1, min(keys.TileRows, 1<<22/m.Width)) }

// InPlace reports whether n rows are in the input's own memory in one piece.
func (m *Mover) InPlace(n int) bool { return m.Direct != nil && m.Direct(0, n) != nil }

// Block returns rows lo..lo+n-1, in place or written to scratch.
func (m *Mover) Block(lo, n int, scratch []byte) []byte {
	if m.Direct != nil {
		if b := m.Direct(lo, n); b != nil {
			return b
		}
	}
	b := scratch[:n*m.Width]
	m.Fill(b, lo)
	return b
}

// Widest returns the greatest width of some movers.
func Widest(movers []*Mover) int {
	width := 1
	for _, l := range movers {
		width = max(width, l.Width)
	}
	return width
}

// chunked is a column with the rows of its chunks.
type chunked struct {
	*keyencode.Column
	starts buffers.Chunks
}

func newChunked(c *keyencode.Column) chunked {
	return chunked{c, buffers.NewChunks(len(c.Chunks), func(i int) int { return c.Chunks[i].Rows })}
}

// at returns the chunk that holds a row.
func (c chunked) at(row int) int {
	if len(c.Chunks) == 1 {
		return 0
	}
	return c.starts.Find(row)
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

// newFixed moves values of a fixed width.
func newFixed(c chunked) *Mover {
	l := &Mover{Width: c.ValueBytes()}
	w := l.Width
	l.Direct = func(lo, n int) []byte {
		i := c.at(lo)
		if lo+n > c.starts[i+1] {
			return nil
		}
		k := &c.Chunks[i]
		at := k.Offset + lo - c.starts[i]
		return k.Values[at*w : (at+n)*w]
	}
	l.Fill = func(dst []byte, lo int) {
		c.eachChunk(lo, lo+len(dst)/w, func(k, at, n int) {
			copy(dst, c.Chunks[k].Values[at*w:(at+n)*w])
			dst = dst[n*w:]
		})
	}
	l.Take = func(dst []byte, rows []uint32) {
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

// newBits moves the validity of a column, and the values of a Bool, as a byte.
func newBits(c chunked) *Mover {
	l := &Mover{Width: 1}
	l.Fill = func(dst []byte, lo int) {
		c.eachChunk(lo, lo+len(dst), func(k, at, n int) {
			spreadBits(dst[:n], &c.Chunks[k], c.Kind == keyencode.Bool, at)
			dst = dst[n:]
		})
	}
	l.Take = func(dst []byte, rows []uint32) {
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

// NewRowNumbers moves the numbers of the rows, 4 or 8 bytes wide.
func NewRowNumbers(width int) (*Mover, error) {
	switch width {
	case 4:
		return &Mover{
			Width: 4, Fill: func(dst []byte, lo int) { buffers.Series(buffers.View[uint32](dst), uint32(lo)) },
			Take: func(dst []byte, rows []uint32) { copy(buffers.View[uint32](dst), rows) },
		}, nil
	case 8:
		return &Mover{
			Width: 8, Fill: func(dst []byte, lo int) { buffers.Series(buffers.View[uint64](dst), uint64(lo)) },
			Take: func(dst []byte, rows []uint32) { buffers.Widen(buffers.View[uint64](dst), rows) },
		}, nil
	}
	return nil, fmt.Errorf("%w: row numbers of %d bytes", engine.ErrKind, width)
}

// NewCodes moves the leading words of the codes of a source.
func NewCodes(src keys.Source) *Mover {
	l := &Mover{Width: 8}
	l.Fill = func(dst []byte, lo int) { keys.EncodeAll(src, buffers.View[uint64](dst), lo) }
	return l
}

// EachBlock calls f for the rows lo..hi-1, block by block, until the context has ended.
func (m *Mover) EachBlock(w *workers.Pool, lo, hi int, scratch []byte, f func(block []byte, at, n int)) {
	for lo < hi && !w.Stopped() {
		n := min(hi-lo, m.StepRows())
		b := []byte(nil)
		if m.Direct != nil {
			b = m.Direct(lo, n)
		}
		if b == nil {
			n = min(n, len(scratch)/m.Width)
			b = m.Block(lo, n, scratch)
		}
		f(b, lo, n)
		lo += n
	}
}

// Allocate provides memory for the sorted rows.
func (m *Mover) Allocate(mem *arena.Arena, rows int) (err error) {
	if rows > math.MaxInt/m.Width {
		return fmt.Errorf("%w: %d rows of %d bytes", engine.ErrMemory, rows, m.Width)
	}
	m.Out, err = mem.Bytes(rows * m.Width)
	return err
}

// ManyMovers is the number of movers from which on ways that treat each of them apart pay.
const ManyMovers = 8
