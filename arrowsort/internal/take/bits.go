package take

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// validity gathers the validity of rows; the buffer is nil when none of them is null.
func (g *gatherer) validity(
	chunks []chunk, sel selection,
) (valid []bitmap, nulls int, buffer *memory.Buffer, err error) {
	valid, any, err := validities(chunks, sel.len())
	if err != nil || !any {
		return valid, 0, nil, err
	}
	buffer, ones, err := g.bits(valid, sel)
	if err != nil {
		return nil, 0, nil, err
	}
	if ones == sel.len() {
		return valid, 0, nil, nil
	}
	return valid, sel.len() - ones, buffer, nil
}

func (g *gatherer) booleans(col column) (*array.Data, error) {
	src := make([]bitmap, len(col.chunks))
	for i, c := range col.chunks {
		var err error
		if src[i], err = c.bits(1); err != nil {
			return nil, err
		}
	}
	values, _, err := g.bits(src, col.sel)
	if err != nil {
		return nil, err
	}
	return g.finish(col, nil, values), nil
}

// bits gathers one bit for each row, 64 rows to a word, and counts the ones. Bits after the last row are zero.
func (g *gatherer) bits(src []bitmap, sel selection) (*memory.Buffer, int, error) {
	out, err := g.buffer(int(bitutil.BytesForBits(int64(sel.len()))))
	if err != nil {
		return nil, 0, err
	}
	dst := out.Buf() // to its capacity, a multiple of 8 bytes: the last word may pass the length
	var ones atomic.Int64
	err = g.tiles(sel.len(), func(lo, hi int, block []uint64) error {
		sum := 0
		defer func() { ones.Add(int64(sum)) }()
		return eachBlock(sel, lo, hi, block, func(lo int, at []uint64) error {
			for i := 0; i < len(at); i += 64 {
				word := gatherWord(src, at[i:min(i+64, len(at))])
				sum += bits.OnesCount64(word)
				binary.LittleEndian.PutUint64(dst[(lo+i)/8:], word)
			}
			return nil
		})
	})
	return out, int(ones.Load()), err
}

// gatherWord packs the bits at up to 64 positions, the first one lowest.
func gatherWord(src []bitmap, at []uint64) (word uint64) {
	if len(src) == 1 && src[0].bytes != nil {
		bytes, offset := src[0].bytes, uint64(src[0].offset)
		for k, p := range at {
			p += offset
			word |= uint64(bytes[p>>3]>>(p&7)&1) << k
		}
		return word
	}
	for k, p := range at {
		if src[p>>rowBits].bit(p & rowMask) {
			word |= 1 << k
		}
	}
	return word
}
