package page

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// DELTA_BINARY_PACKED of parquet-format's Encodings.md stores integers as differences from the one before:
//
//	header: block size | miniblocks of a block | number of values | first value, zigzag
//	block:  least difference, zigzag | a byte for the width of each miniblock | miniblocks
//
// The numbers are varints. A miniblock holds its differences, less the least one of the block, bit-packed with its
// width; the last one is padded with zeros, and those after it are left out. Differences wrap around in the width of
// the values.
const (
	deltaBlock     = 128 // values of a block that is written
	deltaMiniblock = 32  // values of one of its miniblocks; of one that is read a multiple
	mostDeltaBlock = 1 << 20
)

// appendDeltas encodes integers.
func appendDeltas[T int32 | int64](out []byte, values []T) []byte {
	out = binary.AppendUvarint(out, deltaBlock)
	out = binary.AppendUvarint(out, deltaBlock/deltaMiniblock)
	out = binary.AppendUvarint(out, uint64(len(values)))
	if len(values) == 0 {
		return append(out, 0)
	}
	last, mask := values[0], ^uint64(0)>>(64-8*len(arrow.GetBytes(values[:1])))
	out = binary.AppendVarint(out, int64(last))
	var deltas [deltaBlock]T
	for values = values[1:]; len(values) > 0; {
		n := min(len(values), deltaBlock)
		least := values[0] - last
		for i, v := range values[:n] {
			deltas[i] = v - last
			least = min(least, deltas[i])
			last = v
		}
		out = appendDeltaBlock(out, deltas[:n], least, mask)
		values = values[n:]
	}
	return out
}

// appendDeltaBlock appends a block of differences, whose bits mask has.
func appendDeltaBlock[T int32 | int64](out []byte, deltas []T, least T, mask uint64) []byte {
	out = binary.AppendVarint(out, int64(least))
	at := len(out) // of the next width
	out = append(out, make([]byte, deltaBlock/deltaMiniblock)...)
	for len(deltas) > 0 {
		n := min(len(deltas), deltaMiniblock)
		var packed [deltaMiniblock]uint64
		all := uint64(0)
		for i, d := range deltas[:n] {
			packed[i] = uint64(d-least) & mask
			all |= packed[i]
		}
		width := bits.Len64(all)
		out[at] = byte(width)
		out = appendMiniblock(out, &packed, width)
		deltas, at = deltas[n:], at+1
	}
	return out
}

// appendMiniblock packs values of width bits.
func appendMiniblock(out []byte, values *[deltaMiniblock]uint64, width int) []byte {
	start, size := len(out), deltaMiniblock*width/8
	out = slices.Grow(out, size+8)[:start+size+8] // whole words are stored
	b, word, used := out[start:], uint64(0), 0
	for _, v := range values {
		word |= v << used
		if used += width; used >= 64 {
			binary.LittleEndian.PutUint64(b, word)
			b, used = b[8:], used-64
			word = v >> (width - used)
		}
	}
	binary.LittleEndian.PutUint64(b, word)
	return out[:start+size]
}

// readDeltas decodes as many integers as dst has, which have to be all, and returns the bytes after them. The capacity
// of b must reach RLESpare bytes beyond its length.
func readDeltas[T int32 | int64](dst []T, b []byte) (rest []byte, err error) {
	r := deltaReader{b: b}
	block, miniblocks, count, last := r.uvarint(), r.uvarint(), r.uvarint(), T(r.varint())
	switch {
	case r.cut:
		return nil, errDeltasCut
	case block == 0 || block > mostDeltaBlock || miniblocks == 0 || block%miniblocks != 0 ||
		block/miniblocks%deltaMiniblock != 0:
		return nil, errkind.Corrupt("deltas in blocks of %d values and %d miniblocks", block, miniblocks)
	case count != uint64(len(dst)):
		return nil, errkind.Corrupt("%d deltas where %d values belong", count, len(dst))
	case count == 0:
		return r.b, nil
	}
	dst[0] = last
	for dst = dst[1:]; len(dst) > 0; {
		least, widths := T(r.varint()), r.take(int(miniblocks))
		for _, width := range widths {
			if len(dst) == 0 {
				break
			}
			packed := r.take(int(block/miniblocks) / 8 * int(width))
			if r.cut || width > 64 {
				return nil, errDeltasCut
			}
			n := min(len(dst), int(block/miniblocks))
			last = addDeltas(dst[:n], packed[:cap(packed)], int(width), least, last)
			dst = dst[n:]
		}
		if r.cut {
			return nil, errDeltasCut
		}
	}
	return r.b, nil
}

var errDeltasCut = errkind.Corrupt("deltas are cut off, or no numbers")

// addDeltas adds up packed differences of width bits, less the least one, from the value before the first on. It
// returns the last value.
func addDeltas[T int32 | int64](dst []T, packed []byte, width int, least, last T) T {
	if width == 0 {
		for i := range dst {
			last += least
			dst[i] = last
		}
		return last
	}
	mask := ^uint64(0) >> (64 - width)
	if width <= 57 { // a load of eight bytes has all bits, wherever in its first byte they begin
		for i, at := 0, 0; i < len(dst); i, at = i+1, at+width {
			v := binary.LittleEndian.Uint64(packed[at>>3:]) >> (at & 7) & mask
			last += least + T(v)
			dst[i] = last
		}
		return last
	}
	for i, at := 0, 0; i < len(dst); i, at = i+1, at+width {
		v := binary.LittleEndian.Uint64(packed[at>>3:])>>(at&7) | uint64(packed[at>>3+8])<<(64-at&7)
		last += least + T(v&mask)
		dst[i] = last
	}
	return last
}

// A deltaReader reads the parts of a block. After the end of the bytes, cut is set.
type deltaReader struct {
	b   []byte
	cut bool
}

func (r *deltaReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	r.take(max(n, 0))
	r.cut = r.cut || n <= 0
	return v
}

func (r *deltaReader) varint() int64 {
	v := r.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// take returns the next n bytes; none if there are fewer.
func (r *deltaReader) take(n int) []byte {
	if n > len(r.b) {
		r.cut, n = true, 0
	}
	taken := r.b[:n]
	r.b = r.b[n:]
	return taken
}
