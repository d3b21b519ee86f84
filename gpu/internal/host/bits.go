package host

import (
	"encoding/binary"

	"github.com/arrowsort/arrowsort/internal/buffers"
)

// Bits are the first Rows bits of a bitmap.
type Bits struct {
	Bitmap []byte
	Rows   int
}

// JoinBits writes bitmaps one after the other to dst, and zeros after the last bit.
func (w *Workers) JoinBits(dst []byte, parts []Bits) error {
	const tile = 64 * 1024 // bits; whole words, so that no two threads write to the same one
	return w.Tiles(8*len(dst), tile, func(lo, hi int) {
		var bytes [8]byte
		at, first := 0, 0 // the part, and the place of its first bit
		for lo < hi {
			var word uint64
			for have := 0; have < 64 && at < len(parts); {
				from := lo + have - first
				n := min(64-have, parts[at].Rows-from)
				if n <= 0 {
					first += parts[at].Rows
					at++
					continue
				}
				word |= buffers.Bits(parts[at].Bitmap, from) & buffers.LowBits(n) << have
				have += n
			}
			binary.LittleEndian.PutUint64(bytes[:], word)
			copy(dst[lo/8:], bytes[:]) // the last bytes of dst may be fewer
			lo += 64
		}
	})
}

// SetRun writes ones to bits first..end-1 of a bitmap, and zeros to all others.
func (w *Workers) SetRun(dst []byte, first, end int) error {
	const tile = 64 * 1024
	return w.Tiles(8*len(dst), tile, func(lo, hi int) {
		clear(dst[lo/8 : hi/8])
		buffers.SetRange(dst, max(lo, first), min(hi, end))
	})
}
