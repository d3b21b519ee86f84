package take

import (
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow/memory"
)

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

// tileSize is the rows of a tile of values of width bytes, a multiple of 64.
func tileSize(width int) int {
	return max(64, min(tileRows, tileBytes/width&^63))
}

func gatherFixed[T any](g *gatherer, dst []byte, src [][]byte, sel selection) error {
	out := as[T](dst)
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
