package take

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

func (g *gatherer) fixedWidth(col column, width int) (*array.Data, error) {
	values, err := g.values(col.chunks, width, col.sel)
	if err != nil {
		return nil, err
	}
	return g.finish(col, nil, values), nil
}

// fixed gathers values of width bytes. src holds the values of each chunk, from its first row on.
func (g *gatherer) fixed(src [][]byte, width int, sel selection) (*memory.Buffer, error) {
	if s, ok := sel.(groups); ok {
		return g.fixed(src, width*s.size, s.parents)
	}
	out, err := g.buffer(sel.len() * width)
	if err != nil || sel.len()*width == 0 {
		return out, err
	}
	dst := out.Bytes()
	if s, ok := sel.(spanned); ok {
		return out, g.tilesOf(max(1, tileBytes/width), sel.len(), func(lo, hi int, _ []uint64) error {
			s.copy(dst, src, width, lo, hi)
			return nil
		})
	}
	switch width {
	case 1:
		err = gatherFixed[uint8](g, dst, src, sel)
	case 2:
		err = gatherFixed[uint16](g, dst, src, sel)
	case 4:
		err = gatherFixed[uint32](g, dst, src, sel)
	case 8:
		err = gatherFixed[uint64](g, dst, src, sel)
	case 16:
		err = gatherFixed[[2]uint64](g, dst, src, sel)
	case 32:
		err = gatherFixed[[4]uint64](g, dst, src, sel)
	default:
		err = g.gatherWide(dst, src, width, sel)
	}
	return out, err
}

// tileSize returns the rows of a tile of values of width bytes, a multiple of 64.
func tileSize(width int) int {
	return max(64, min(tileRows, tileBytes/width&^63))
}

func gatherFixed[T any](g *gatherer, dst []byte, src [][]byte, sel selection) error {
	out := buffers.View[T](dst)
	if len(src) == 1 {
		base := unsafe.Pointer(unsafe.SliceData(src[0]))
		switch s := sel.(type) {
		case rows32:
			return g.tiles(len(s), func(lo, hi int, _ []uint64) error {
				pick(out[lo:hi], base, s[lo:hi])
				return nil
			})
		case positionList:
			return g.tiles(len(s), func(lo, hi int, _ []uint64) error {
				pick(out[lo:hi], base, s[lo:hi])
				return nil
			})
		}
	}
	bases := make([]unsafe.Pointer, len(src))
	for i, s := range src {
		bases[i] = unsafe.Pointer(unsafe.SliceData(s))
	}
	return g.tiles(sel.len(), func(lo, hi int, block []uint64) error {
		return eachBlock(sel, lo, hi, block, func(lo int, at []uint64) error {
			pickChunked(out[lo:lo+len(at)], bases, at)
			return nil
		})
	})
}

// pick copies dst[i] from row rows[i] of the values at base. Unsafe because a check for each row costs a good part of
// the loop; a selection yields only positions in its chunk, and chunk.values has checked that the chunk's buffer holds
// all its rows.
func pick[T any, U rowNumber](dst []T, base unsafe.Pointer, rows []U) {
	dst = dst[:len(rows)]
	for i, r := range rows {
		dst[i] = *(*T)(unsafe.Add(base, uintptr(r)*unsafe.Sizeof(dst[0])))
	}
}

// pickChunked is pick for positions in several chunks.
func pickChunked[T any](dst []T, bases []unsafe.Pointer, at []uint64) {
	dst = dst[:len(at)]
	for i, p := range at {
		dst[i] = *(*T)(unsafe.Add(bases[p>>rowBits], uintptr(p&rowMask)*unsafe.Sizeof(dst[0])))
	}
}

// gatherWide gathers values of any width.
func (g *gatherer) gatherWide(dst []byte, src [][]byte, width int, sel selection) error {
	return g.tilesOf(tileSize(width), sel.len(), func(lo, hi int, block []uint64) error {
		return eachBlock(sel, lo, hi, block, func(lo int, at []uint64) error {
			for i, p := range at {
				from := int(p&rowMask) * width
				copyValue(dst[(lo+i)*width:][:width], src[p>>rowBits][from:from+width])
			}
			return nil
		})
	})
}

// copyValue copies the bytes that both have. 8 to 32 bytes are copied as two halves that overlap, which spares a call.
func copyValue(dst, src []byte) {
	n := len(src)
	switch {
	case n < 8 || n > 32 || len(dst) != n:
		copy(dst, src)
	case n < 16:
		*(*[8]byte)(dst) = *(*[8]byte)(src)
		*(*[8]byte)(dst[n-8:]) = *(*[8]byte)(src[n-8:])
	default:
		*(*[16]byte)(dst) = *(*[16]byte)(src)
		*(*[16]byte)(dst[n-16:]) = *(*[16]byte)(src[n-16:])
	}
}

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

const viewBytes = 16

// views gathers string or binary views. The bytes stay where they are: the result refers to the buffers of all chunks,
// each of them once.
func (g *gatherer) views(col column) (*array.Data, error) {
	views, err := g.values(col.chunks, viewBytes, col.sel)
	if err != nil {
		return nil, err
	}
	data, numbers, same := shareBuffers(col.chunks)
	if len(data) > math.MaxInt32 {
		return nil, fmt.Errorf("%w: take: %s refers to %d buffers", arrow.ErrInvalid, col.typ, len(data))
	}
	if !same {
		if err := g.renumber(buffers.View[[4]uint32](views.Bytes()), col, numbers); err != nil {
			return nil, err
		}
	}
	return g.finish(col, nil, append([]*memory.Buffer{views}, data...)...), nil
}

// shareBuffers lists the data buffers of all chunks and returns the new numbers of those of each chunk. same says that
// they are the old ones.
func shareBuffers(chunks []chunk) (buffers []*memory.Buffer, numbers [][]uint32, same bool) {
	same = true
	known := map[*memory.Buffer]uint32{}
	for _, c := range chunks {
		var of []uint32
		for i, b := range c.data.Buffers()[2:] {
			number, ok := known[b]
			if !ok {
				number = uint32(len(buffers))
				known[b] = number
				buffers = append(buffers, b)
			}
			of = append(of, number)
			same = same && number == uint32(i)
		}
		numbers = append(numbers, of)
	}
	return buffers, numbers, same
}

// renumber writes the new numbers of buffers into the gathered views. What lies under a null refers to nothing and
// becomes zero.
func (g *gatherer) renumber(views [][4]uint32, col column, numbers [][]uint32) error {
	return g.tiles(len(views), func(lo, hi int, block []uint64) error {
		return eachBlock(col.sel, lo, hi, block, func(lo int, at []uint64) error {
			for i, p := range at {
				v := &views[lo+i]
				c := p >> rowBits
				switch {
				case !col.valid[c].bit(p & rowMask):
					*v = [4]uint32{}
				case v[0] <= buffers.InlineView:
				case v[2] < uint32(len(numbers[c])):
					v[2] = numbers[c][v[2]]
				default:
					return fmt.Errorf(
						"%w: a view of chunk %d refers to buffer %d of %d", arraydata.ErrMalformed, c, v[2],
						len(numbers[c]),
					)
				}
			}
			return nil
		})
	})
}
