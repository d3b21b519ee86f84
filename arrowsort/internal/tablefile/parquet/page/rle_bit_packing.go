package page

import (
	"encoding/binary"
	"slices"

	"github.com/apache/arrow/go/v15/arrow/bitutil"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// Parquet's hybrid of run lengths and bit packing stores indices and levels of a fixed number of bits. Each run starts
// with a varint: length<<1, which the value of a run of equal values follows, or groups<<1 | 1, which the packed bits
// of groups of eight values follow.

const (
	groupValues = 8  // values of a bit-packed group; its bytes are the width of a value in bits
	RLESpare    = 64 // readable bytes after the bytes of a hybrid: values are read by loads of eight bytes
	// MaxRLEWidth is the greatest width of a value in bits.
	MaxRLEWidth = 32
)

// An RLEReader reads values in the RLE / bit-packing hybrid encoding. The capacity of its bytes must
// reach RLESpare bytes beyond their length.
type RLEReader struct {
	Bytes    []byte
	Width    int
	Repeated int    // values left of a run of equal values
	Value    uint32 // of that run
	bits     int    // values left of a bit-packed run
	at       int    // the next bit of that run
}

// Next starts the next run when the last one is used up, and returns how many values it has left.
func (r *RLEReader) Next() (int, error) {
	if left := max(r.Repeated, r.bits); left > 0 {
		return left, nil
	}
	head, n := binary.Uvarint(r.Bytes)
	if n <= 0 || head < 2 || head>>1 > 1<<31 {
		return 0, errkind.Corrupt("a run of indices or levels has no length")
	}
	r.Bytes = r.Bytes[n:]
	if head&1 == 0 {
		size := (r.Width + 7) / 8
		if len(r.Bytes) < size {
			return 0, errkind.Corrupt("a run of indices or levels is cut off")
		}
		r.Value = uint32(binary.LittleEndian.Uint64(r.Bytes[:8]) & (1<<(8*size) - 1))
		r.Repeated, r.Bytes = int(head>>1), r.Bytes[size:]
		return r.Repeated, nil
	}
	packed := int(head>>1) * r.Width
	if len(r.Bytes) < packed {
		return 0, errkind.Corrupt("packed indices or levels are cut off")
	}
	r.bits, r.at = int(head>>1)*groupValues, 0
	return r.bits, nil
}

// leave consumes count values of a bit-packed run, and ends the run after its last value.
func (r *RLEReader) leave(count int) {
	r.bits -= count
	r.at += count * r.Width
	if r.bits == 0 {
		r.Bytes = r.Bytes[r.at/8:]
	}
}

// Read fills dst and returns the greatest of its values.
func (r *RLEReader) Read(dst []uint32) (greatest uint32, err error) {
	for len(dst) > 0 {
		n, err := r.Next()
		if err != nil {
			return 0, err
		}
		n = min(n, len(dst))
		if r.Repeated > 0 {
			for i := range dst[:n] {
				dst[i] = r.Value
			}
			greatest = max(greatest, r.Value)
			r.Repeated -= n
		} else {
			greatest = max(greatest, unpack(dst[:n], r.Bytes[:cap(r.Bytes)], r.at, r.Width))
			r.leave(n)
		}
		dst = dst[n:]
	}
	return greatest, nil
}

// unpack decodes bit-packed values of width bits that start at a bit of b. It returns the greatest.
func unpack(dst []uint32, b []byte, at, width int) (greatest uint32) {
	mask := uint64(1)<<width - 1
	for i := range dst {
		v := uint32(binary.LittleEndian.Uint64(b[at>>3:]) >> (at & 7) & mask)
		dst[i] = v
		greatest = max(greatest, v)
		at += width
	}
	return greatest
}

// ReadBits sets count bits of a bitmap, which was zero, from row on and returns how many of them are 1. The hybrid is
// one of single bits.
func (r *RLEReader) ReadBits(bitmap []byte, row, count int) (ones int, err error) {
	for count > 0 {
		n, err := r.Next()
		if err != nil {
			return 0, err
		}
		n = min(n, count)
		if r.Repeated > 0 {
			if r.Value > 1 {
				return 0, errkind.Corrupt("a definition level is %d", r.Value)
			}
			bitutil.SetBitsTo(bitmap, int64(row), int64(n), r.Value == 1)
			ones += n * int(r.Value)
			r.Repeated -= n
		} else {
			bitutil.CopyBitmap(r.Bytes, r.at, n, bitmap, row)
			ones += bitutil.CountSetBits(r.Bytes, r.at, n)
			r.leave(n)
		}
		row, count = row+n, count-n
	}
	return ones, nil
}

// Histogram counts each of the next n values, all of which are less than a number.
func (r *RLEReader) Histogram(n, values int) (counts []int64, err error) {
	counts = make([]int64, values)
	var block [256]uint32
	for n > 0 {
		left, err := r.Next()
		if err != nil {
			return counts, err
		}
		greatest := r.Value
		switch left = min(left, n); {
		case r.Repeated > 0:
			if int64(greatest) < int64(values) {
				counts[greatest] += int64(left)
			}
			r.Repeated -= left
		case r.Width == 1:
			ones := int64(bitutil.CountSetBits(r.Bytes, r.at, left))
			counts[0], counts[1] = counts[0]+int64(left)-ones, counts[1]+ones
			greatest = 1
			r.leave(left)
		default:
			left = min(left, len(block))
			greatest = unpack(block[:left], r.Bytes[:cap(r.Bytes)], r.at, r.Width)
			for _, v := range block[:left] {
				if int64(v) < int64(values) {
					counts[v]++
				}
			}
			r.leave(left)
		}
		if int64(greatest) >= int64(values) {
			return counts, errkind.Corrupt("a level is %d, its column has levels up to %d", greatest, values-1)
		}
		n -= left
	}
	return counts, nil
}

// CheckIndex makes sure that the greatest of some indices lies in a dictionary.
func CheckIndex(greatest uint32, entries int, err error) error {
	if err == nil && int64(greatest) >= int64(entries) {
		return errkind.Corrupt("index %d into a dictionary of %d entries", greatest, max(entries, 0))
	}
	return err
}

// AppendRLE encodes values of at most width bits, 1 to 31: eight or more equal values as an RLE run, all others
// bit-packed.
func AppendRLE(out []byte, values []int32, width int) []byte {
	packed := 0 // first value that is not yet written
	for i := 0; i < len(values); {
		run := runLength(values[i:])
		if run < groupValues {
			i += groupValues
			continue
		}
		out = appendPacked(out, values[packed:i], width)
		out = binary.AppendUvarint(out, uint64(run)<<1)
		for shift := 0; shift < width; shift += 8 {
			out = append(out, byte(values[i]>>shift))
		}
		i += run
		packed = i
	}
	return appendPacked(out, values[packed:], width)
}

// runLength returns the number of values that equal the first.
func runLength(values []int32) int {
	n := 1
	for n < len(values) && values[n] == values[0] {
		n++
	}
	return n
}

// appendPacked appends one bit-packed run. Zeros pad the last group.
func appendPacked(out []byte, values []int32, width int) []byte {
	if len(values) == 0 {
		return out
	}
	groups := (len(values) + groupValues - 1) / groupValues
	out = binary.AppendUvarint(out, uint64(groups)<<1|1)
	start, size := len(out), groups*width
	out = slices.Grow(out, size+8)[:start+size+8] // whole words are stored
	b := out[start:]
	word, bits := uint64(0), 0
	for _, v := range values {
		word |= uint64(v) << bits
		if bits += width; bits >= 32 {
			binary.LittleEndian.PutUint32(b, uint32(word))
			b, word, bits = b[4:], word>>32, bits-32
		}
	}
	binary.LittleEndian.PutUint64(b, word)
	written := start + size + 8 - len(b) + 8
	clear(out[min(written, start+size):])
	return out[:start+size]
}
