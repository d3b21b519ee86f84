package cpu

import (
	"fmt"
	"math/bits"
	"sync/atomic"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A column is a gathered column: the lanes that move it and how they become its buffers.
type column struct {
	chunked
	values *lane    // values of fixed width, in the result's buffer
	bits   *lane    // validity and Bool values as bytes; nil when no row is null
	text   *strings // values of variable width as words
}

func (s *sorter) newColumn(src *keyencode.Column) (*column, error) {
	c := &column{chunked: newChunked(src)}
	nullable, err := c.nullable(s)
	if err != nil {
		return nil, err
	}
	switch {
	case src.Kind == keyencode.Binary || src.Kind == keyencode.LargeBinary:
		if c.text, err = newStrings(c.chunked, s, nullable); err != nil {
			return nil, err
		}
		return c, s.provide(c.text.lane, s.out)
	case src.ValueBytes() > 0:
		c.values = fixedLane(c.chunked)
		if err := s.provide(c.values, s.out); err != nil {
			return nil, err
		}
	case src.Kind != keyencode.Bool && src.Kind != keyencode.Null && src.Kind != keyencode.FixedSizeBinary:
		return nil, fmt.Errorf("%w: kind %d", engine.ErrKind, src.Kind)
	}
	if nullable || src.Kind == keyencode.Bool {
		c.bits = bitLane(c.chunked)
		return c, s.provide(c.bits, s.out)
	}
	return c, nil
}

func (c *column) lanes() (ls []*lane) {
	if c.values != nil {
		ls = append(ls, c.values)
	}
	if c.bits != nil {
		ls = append(ls, c.bits)
	}
	if c.text != nil {
		ls = append(ls, c.text.lane)
	}
	return ls
}

// nullable tells whether any row is null: a bitmap alone does not.
func (c *column) nullable(s *sorter) (bool, error) {
	for i := range c.Chunks {
		k := &c.Chunks[i]
		if k.Validity == nil {
			continue
		}
		for lo := 0; lo < k.Rows; lo += placeRows {
			if s.stopped() {
				return false, s.ctx.Err()
			}
			if n := min(placeRows, k.Rows-lo); setBits(k.Validity, k.Offset+lo, n) < n {
				return true, nil
			}
		}
	}
	return false, nil
}

// setBits counts the ones among n bits of a bitmap.
func setBits(bitmap []byte, at, n int) (ones int) {
	for ; n > 0 && at&7 != 0; at, n = at+1, n-1 {
		ones += int(bitmap[at>>3] >> (at & 7) & 1)
	}
	b := bitmap[at>>3:]
	words := view[uint64](b[:n>>6<<3])
	for _, w := range words {
		ones += bits.OnesCount64(w)
	}
	for i := len(words) << 6; i < n; i++ {
		ones += int(b[i>>3] >> (i & 7) & 1)
	}
	return ones
}

// unpack turns the sorted lanes into the buffers of the result.
func (c *column) unpack(s *sorter) (engine.Column, error) {
	if c.text != nil {
		return c.text.unpack(s)
	}
	var col engine.Column
	if c.values != nil {
		col.Values = c.values.out
	}
	if c.bits == nil || s.out == 0 {
		return col, nil
	}
	var err error
	if col.Validity, err = s.bytes((s.out + 7) / 8); err != nil {
		return col, err
	}
	if c.Kind == keyencode.Bool {
		if col.Values, err = s.bytes((s.out + 7) / 8); err != nil {
			return col, err
		}
	}
	var valid atomic.Int64
	err = s.tiles(s.out, placeRows, func(_, lo, hi int) {
		packBits(col.Validity[lo/8:(hi+7)/8], c.bits.out[lo:hi], 1)
		valid.Add(int64(setBits(col.Validity, lo, hi-lo)))
		if c.Kind == keyencode.Bool {
			packBits(col.Values[lo/8:(hi+7)/8], c.bits.out[lo:hi], 0)
		}
	})
	s.free(c.bits.out)
	if col.Nulls = s.out - int(valid.Load()); col.Nulls == 0 {
		s.free(col.Validity)
		col.Validity = nil
	}
	return col, err
}

// packBits packs bit number bit of each byte, eight to a byte, the padding zero.
func packBits(dst, src []byte, bit uint) {
	words := view[uint64](src[:len(src)&^7])
	for i, w := range words {
		// The multiplication moves the lowest bit of byte k to bit 56+k.
		dst[i] = byte(w >> bit & 0x0101010101010101 * 0x0102040810204080 >> 56)
	}
	if rest := src[len(src)&^7:]; len(rest) > 0 {
		b := byte(0)
		for k, x := range rest {
			b |= x >> bit & 1 << k
		}
		dst[len(words)] = b
	}
}
