package cpu

import (
	"math/bits"
	"sync/atomic"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A column is a gathered column: the movers that move it and how they become its buffers.
type column struct {
	chunked
	values   *mover   // values of fixed width, in the result's buffer
	bits     *mover   // validity and Bool values as bytes; nil when no row is null, or when validity says which
	text     *strings // values of variable width as words
	validity []byte   // of the only key: its nulls are one run of the sorted rows
	nulls    int      // zeros of validity
}

// newColumn makes the column at position i of the job.
func (s *sorter) newColumn(i int) (*column, error) {
	src := &s.job.Columns[i]
	c := &column{chunked: newChunked(src)}
	if src.ValueBytes() > 0 {
		c.values = fixedMover(c.chunked)
		if err := s.provide(c.values, s.out); err != nil {
			return nil, err
		}
		// entries may be null, too
		if len(s.keys.Keys) == 1 && s.keys.Keys[0].Column == i && src.Kind < keyencode.Dictionary8 {
			return c, c.placeNulls(s)
		}
	}
	nullable, err := c.nullable(s)
	if err != nil {
		return nil, err
	}
	if src.Kind == keyencode.Binary || src.Kind == keyencode.LargeBinary {
		if c.text, err = newStrings(c.chunked, s, nullable); err != nil {
			return nil, err
		}
		if few := s.keys.Dictionaries[i]; few != nil {
			c.text.moveAsRanks(few)
		}
		return c, s.provide(c.text.mover, s.out)
	}
	if nullable || src.Kind == keyencode.Bool {
		c.bits = bitMover(c.chunked)
		return c, s.provide(c.bits, s.out)
	}
	return c, nil
}

// placeNulls writes the validity of the only key, whose nulls are the last or the first rows.
func (c *column) placeNulls(s *sorter) (err error) {
	nulls := s.keys.Plan.Statistics(0).Nulls
	if nulls == 0 {
		return nil
	}
	if c.validity, err = s.mem.Bytes((s.out + 7) / 8); err != nil {
		return err
	}
	clear(c.validity)
	if s.keys.Keys[0].Nulls == keyencode.NullsAtStart {
		c.nulls = min(nulls, s.out)
		setRange(c.validity, c.nulls, s.out)
		return nil
	}
	c.nulls = max(0, s.out-(s.rows-nulls))
	setRange(c.validity, 0, s.out-c.nulls)
	return nil
}

// cutNulls leaves the first rows of the validity of the only key.
func (c *column) cutNulls(s *sorter, rows int) (err error) {
	if c.validity == nil {
		return nil
	}
	if c.validity, err = s.mem.Shrink(c.validity, (rows+7)/8); err != nil {
		return err
	}
	if rows&7 != 0 {
		c.validity[rows>>3] &= 1<<(rows&7) - 1
	}
	if c.nulls = rows - setBits(c.validity, 0, rows); c.nulls == 0 {
		s.mem.Free(c.validity)
		c.validity = nil
	}
	return nil
}

// setRange sets bits lo..hi-1 of a bitmap.
func setRange(bitmap []byte, lo, hi int) {
	for ; lo < hi && lo&7 != 0; lo++ {
		bitmap[lo>>3] |= 1 << (lo & 7)
	}
	if lo < hi {
		whole := bitmap[lo>>3 : hi>>3]
		for i := range whole {
			whole[i] = 0xff
		}
		lo += len(whole) * 8
	}
	for ; lo < hi; lo++ {
		bitmap[lo>>3] |= 1 << (lo & 7)
	}
}

func (c *column) movers() (ls []*mover) {
	if c.values != nil {
		ls = append(ls, c.values)
	}
	if c.bits != nil {
		ls = append(ls, c.bits)
	}
	if c.text != nil {
		ls = append(ls, c.text.mover)
	}
	return ls
}

// nullable reports whether any row is null: a bitmap may have no zeros.
func (c *column) nullable(s *sorter) (bool, error) {
	for i := range c.Chunks {
		k := &c.Chunks[i]
		if k.Validity == nil {
			continue
		}
		for lo := 0; lo < k.Rows; lo += keys.TileRows {
			if s.pool.Stopped() {
				return false, s.pool.Ctx.Err()
			}
			if n := min(keys.TileRows, k.Rows-lo); setBits(k.Validity, k.Offset+lo, n) < n {
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
	words := buffers.View[uint64](b[:n>>6<<3])
	for _, w := range words {
		ones += bits.OnesCount64(w)
	}
	for i := len(words) << 6; i < n; i++ {
		ones += int(b[i>>3] >> (i & 7) & 1)
	}
	return ones
}

// unpack turns the sorted movers into the buffers of the result.
func (c *column) unpack(s *sorter) (engine.Column, error) {
	if c.text != nil {
		return c.text.unpack(s)
	}
	var col engine.Column
	if c.values != nil {
		col.Values = c.values.out
	}
	if col.Nulls = c.nulls; c.nulls > 0 {
		col.Validity = c.validity
	}
	if c.bits == nil || s.out == 0 {
		return col, nil
	}
	var err error
	if col.Validity, err = s.mem.Bytes((s.out + 7) / 8); err != nil {
		return col, err
	}
	if c.Kind == keyencode.Bool {
		if col.Values, err = s.mem.Bytes((s.out + 7) / 8); err != nil {
			return col, err
		}
	}
	var valid atomic.Int64
	err = s.pool.Tiles(s.out, keys.TileRows, func(_, lo, hi int) {
		packBits(col.Validity[lo/8:(hi+7)/8], c.bits.out[lo:hi], 1)
		valid.Add(int64(setBits(col.Validity, lo, hi-lo)))
		if c.Kind == keyencode.Bool {
			packBits(col.Values[lo/8:(hi+7)/8], c.bits.out[lo:hi], 0)
		}
	})
	s.mem.Free(c.bits.out)
	if col.Nulls = s.out - int(valid.Load()); col.Nulls == 0 {
		s.mem.Free(col.Validity)
		col.Validity = nil
	}
	return col, err
}

// packBits packs bit number bit of each byte, eight to a byte, the padding zero.
func packBits(dst, src []byte, bit uint) {
	words := buffers.View[uint64](src[:len(src)&^7])
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

// moveAsRanks lets a column move as the indices of a dictionary, whose words are in a table.
func (t *strings) moveAsRanks(f *keys.Dictionary) {
	t.table = make([]uint64, len(f.Rows))
	t.mover.take(buffers.Bytes(t.table), f.Rows)
	t.table[0] = t.null()
	t.mover = fixedMover(newChunked(&f.Indices))
}
