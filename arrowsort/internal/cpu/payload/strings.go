package payload

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// Strings moves a Binary or LargeBinary column as one word per row. Strings of at most 7 bytes travel whole: their
// bytes from the low end, the length in the top byte. Longer ones stay where they are: a word holds the place of the
// first byte, counted over all chunks, above the length. Their bytes are copied once, in sorted order, unless they
// move.
type Strings struct {
	chunked
	Mover   *Mover
	short   bool
	lenBits uint
	equal   int   // the length of all rows, none of them null, if there is one
	bases   []int // the bytes of all chunks' rows in one numbering: that of each chunk's first byte
	firsts  []int // where it is in the chunk's Data

	table   []uint64 // the words of indices that move in their place; nil: words move
	Moved   []byte   // bytes that have moved to the result: from place movedAt on, below those of the chunks
	movedAt int
	inCache bool // moved is a copy of a bin in the cache
}

const (
	shortBytes = 7
	nullShort  = 1 << 63 // a length of 0 below it
	nullLong   = math.MaxUint64
)

func newStrings(pool *workers.Pool, c chunked, nullable bool) (*Strings, error) {
	t := &Strings{
		chunked: c, Mover: &Mover{Width: 8}, bases: make([]int, len(c.Chunks)+1), firsts: make([]int, len(c.Chunks)),
	}
	for i := range c.Chunks {
		t.bases[i+1] = t.bases[i]
		if k := &c.Chunks[i]; k.Rows > 0 {
			t.firsts[i] = t.offset(k, k.Offset)
			t.bases[i+1] += t.offset(k, k.Offset+k.Rows) - t.firsts[i]
		}
	}
	shortest, longest, err := t.lengths(pool)
	if err != nil {
		return nil, err
	}
	t.short = longest <= shortBytes
	if shortest == longest && !nullable {
		t.equal = longest
	}
	t.lenBits = uint(bits.Len(uint(longest)))
	if uint(bits.Len(uint(t.bases[len(c.Chunks)])))+t.lenBits > 63 {
		return nil, fmt.Errorf(
			"%w: %d bytes of strings, the longest of %d bytes", engine.ErrOffsets, t.bases[len(c.Chunks)], longest,
		)
	}
	t.Mover.Fill = func(dst []byte, lo int) {
		words := buffers.View[uint64](dst)
		c.eachChunk(lo, lo+len(words), func(k, at, n int) {
			t.words(words[:n], k, at)
			words = words[n:]
		})
	}
	t.Mover.Take = func(dst []byte, rows []uint32) {
		words := buffers.View[uint64](dst)
		for i, r := range rows {
			k := c.at(int(r))
			t.words(words[i:i+1], k, c.Chunks[k].Offset+int(r)-c.starts[k])
		}
	}
	return t, nil
}

// offset is where the string at a position of a chunk begins.
func (t *Strings) offset(k *keyencode.Chunk, at int) int {
	if t.Kind == keyencode.Binary {
		return int(buffers.View[int32](k.Values)[at])
	}
	return int(buffers.View[int64](k.Values)[at])
}

// lengths returns those of the shortest and the longest string, null or not.
func (t *Strings) lengths(pool *workers.Pool) (shortest, longest int, err error) {
	type lengthRange struct{ lo, hi int }
	tiles := make([]lengthRange, (t.starts[len(t.Chunks)]+keys.TileRows-1)/keys.TileRows)
	err = pool.Tiles(t.starts[len(t.Chunks)], keys.TileRows, func(_, lo, hi int) {
		e := lengthRange{lo: math.MaxInt}
		t.eachChunk(lo, hi, func(k, at, n int) {
			var lo, hi int
			if values := t.Chunks[k].Values; t.Kind == keyencode.Binary {
				lo, hi = lengthsOf(buffers.View[int32](values)[at : at+n+1])
			} else {
				lo, hi = lengthsOf(buffers.View[int64](values)[at : at+n+1])
			}
			e = lengthRange{min(e.lo, lo), max(e.hi, hi)}
		})
		tiles[lo/keys.TileRows] = e
	})
	shortest = math.MaxInt
	for _, e := range tiles {
		shortest, longest = min(shortest, e.lo), max(longest, e.hi)
	}
	return shortest, longest, err
}

//go:noinline
func lengthsOf[T int32 | int64](offsets []T) (shortest, longest int) {
	lo, hi, last := offsets[1]-offsets[0], T(0), offsets[0]
	for _, o := range offsets[1:] {
		lo, hi, last = min(lo, o-last), max(hi, o-last), o
	}
	return int(lo), int(hi)
}

// words makes the words of the rows from position at of a chunk on.
func (t *Strings) words(dst []uint64, chunk, at int) {
	k := &t.Chunks[chunk]
	var data []byte
	if len(k.Data) > 0 {
		data = k.Data[0]
	}
	switch {
	case t.Kind == keyencode.Binary && t.short:
		shortWords(dst, buffers.View[int32](k.Values)[at:], data)
	case t.short:
		shortWords(dst, buffers.View[int64](k.Values)[at:], data)
	case t.Kind == keyencode.Binary:
		longWords(dst, buffers.View[int32](k.Values)[at:], uint64(t.bases[chunk]-t.firsts[chunk]), t.lenBits)
	default:
		longWords(dst, buffers.View[int64](k.Values)[at:], uint64(t.bases[chunk]-t.firsts[chunk]), t.lenBits)
	}
	if k.Validity == nil {
		return
	}
	null := t.null()
	for i := range dst {
		if k.Validity[(at+i)>>3]>>((at+i)&7)&1 == 0 {
			dst[i] = null
		}
	}
}

func (t *Strings) null() uint64 {
	if t.short {
		return nullShort
	}
	return nullLong
}

//go:noinline
func shortWords[T int32 | int64](dst []uint64, offsets []T, data []byte) {
	offsets = offsets[:len(dst)+1]
	for i := range dst {
		lo, n := offsets[i], uint(offsets[i+1]-offsets[i])
		if int(lo)+8 <= len(data) {
			w := binary.LittleEndian.Uint64(data[lo:])
			dst[i] = w&(1<<(8*n)-1) | uint64(n)<<56
			continue
		}
		w := uint64(n) << 56
		for j := range n {
			w |= uint64(data[uint(lo)+j]) << (8 * j)
		}
		dst[i] = w
	}
}

//go:noinline
func longWords[T int32 | int64](dst []uint64, offsets []T, base uint64, lenBits uint) {
	offsets = offsets[:len(dst)+1]
	for i := range dst {
		dst[i] = (base+uint64(offsets[i]))<<(lenBits&63) | uint64(offsets[i+1]-offsets[i])
	}
}

// Long reports whether words hold places of bytes.
func (t *Strings) Long() bool { return !t.short && t.table == nil }

// InputBytes returns the number of bytes of the rows in the input.
func (t *Strings) InputBytes() int { return t.bases[len(t.Chunks)] - t.bases[0] }

// MoveTo numbers the bytes of the input after a number of bytes of the result, so that words refer to either. It
// reports false where these are too many for a word.
func (t *Strings) MoveTo(data int) bool {
	if uint(bits.Len(uint(data+t.InputBytes())))+t.lenBits > 63 {
		return false
	}
	for i := range t.bases {
		t.bases[i] += data
	}
	return true
}

// Word returns that of a long string at a place.
func (t *Strings) Word(place uint64, length int) uint64 {
	return place<<(t.lenBits&63) | uint64(length)
}

// CopyOf is t where the moved bytes from place start on are a copy in the cache.
func (t *Strings) CopyOf(cached []byte, start int) *Strings {
	c := *t
	c.Moved, c.movedAt, c.inCache = cached, start, true
	return &c
}
