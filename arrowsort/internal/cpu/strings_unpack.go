package cpu

import (
	"encoding/binary"
	"fmt"
	"math"
	"sort"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

func (t *strings) isNull(w uint64) bool {
	return w == t.null()
}

// length is the number of bytes of a row; nulls have none.
func (t *strings) length(w uint64) int {
	if t.short {
		return int(w >> 56 & shortBytes)
	}
	if w == nullLong {
		return 0
	}
	return int(w & (1<<t.lenBits - 1))
}

// source is the input from a row's first byte on.
func (t *strings) source(w uint64) []byte {
	place := int(w >> (t.lenBits & 63))
	i := 0
	if len(t.Chunks) > 1 {
		i = sort.SearchInts(t.bases, place+1) - 1
	}
	return t.Chunks[i].Data[0][place-t.bases[i]+t.firsts[i]:]
}

// unpack makes offsets, bytes and validity of the sorted words.
func (t *strings) unpack(s *sorter) (col engine.Column, err error) {
	rows := len(t.mover.out) / 8
	if rows == 0 {
		return col, nil
	}
	tiles := make([]tile, (rows+placeRows-1)/placeRows)
	err = s.tiles(rows, placeRows, func(_, lo, hi int) {
		k := &tiles[lo/placeRows]
		t.blocks(lo, hi, func(words []uint64, _ int) { t.measure(k, words) })
	})
	if err != nil {
		return col, err
	}
	total := 0
	for i := range tiles {
		tiles[i].start, total = total, total+tiles[i].bytes
		col.Nulls += tiles[i].nulls
	}
	size := 8
	if t.Kind == keyencode.Binary {
		size = 4
		if total > math.MaxInt32 {
			return col, fmt.Errorf("%w: %d bytes", engine.ErrOffsets, total)
		}
	}
	if col.Values, err = s.bytes((rows + 1) * size); err != nil {
		return col, err
	}
	if size == 4 {
		view[int32](col.Values)[rows] = int32(total)
	} else {
		view[int64](col.Values)[rows] = int64(total)
	}
	if col.Data, err = s.bytes(total); err != nil {
		return col, err
	}
	if col.Nulls > 0 {
		if col.Validity, err = s.bytes((rows + 7) / 8); err != nil {
			return col, err
		}
	}
	err = s.tiles(rows, placeRows, func(_, lo, hi int) {
		k := tiles[lo/placeRows]
		data := col.Data[k.start : k.start+k.bytes]
		t.blocks(lo, hi, func(words []uint64, row int) {
			n := 0
			if size == 4 {
				n = write(t, &s.pool, view[int32](col.Values)[row:], data, int32(k.start), words)
			} else {
				n = write(t, &s.pool, view[int64](col.Values)[row:], data, int64(k.start), words)
			}
			data, k.start = data[n:], k.start+n
			if col.Validity != nil {
				t.validity(col.Validity[row/8:], words)
			}
		})
	})
	s.free(t.mover.out)
	return col, err
}

// blocks calls f with the sorted words of rows lo..hi-1, block by block.
func (t *strings) blocks(lo, hi int, f func(words []uint64, row int)) {
	words := view[uint64](t.mover.out)
	for ; lo < hi; lo += blockRows {
		f(words[lo:min(lo+blockRows, hi)], lo)
	}
}

// A tile is a run of sorted rows that one worker unpacks.
type tile struct{ start, bytes, nulls int }

func (t *strings) measure(k *tile, words []uint64) {
	if t.equal > 0 {
		k.bytes += t.equal * len(words)
		return
	}
	for _, w := range words {
		k.bytes += t.length(w)
		if t.isNull(w) {
			k.nulls++
		}
	}
}

// write writes the offset of each row and the bytes, and returns how many these are. Rows that follow in data are
// written later: they overwrite bytes written too far.
func write[T int32 | int64](t *strings, ws *pool, offsets []T, data []byte, start T, words []uint64) int {
	if t.short && t.equal > 0 {
		return writeEqual(offsets, data, start, words, t.equal)
	}
	at := 0
	for i, w := range words {
		if !t.short && i%prefetchRows == 0 {
			if ws.stopped() {
				return at
			}
			t.prefetch(words[i:min(i+prefetchRows, len(words))])
		}
		n := t.length(w)
		offsets[i] = start + T(at)
		if !t.short {
			if n > 0 {
				copy(data[at:at+n], t.source(w))
			}
		} else {
			writeShort(data[at:], w, n)
		}
		at += n
	}
	return at
}

// writeEqual is write for short strings of one length: no row waits for the one before it.
//
//go:noinline
func writeEqual[T int32 | int64](offsets []T, data []byte, start T, words []uint64, n int) int {
	offsets = offsets[:len(words)]
	for i, w := range words {
		writeShort(data[i*n:], w, n)
		offsets[i] = start + T(i*n)
	}
	return len(words) * n
}

// writeShort writes the n bytes of a short string, and undefined bytes after them where data is longer.
func writeShort(data []byte, w uint64, n int) {
	if len(data) >= 8 {
		binary.LittleEndian.PutUint64(data, w)
		return
	}
	for j := range n {
		data[j] = byte(w >> (8 * j))
	}
}

// prefetchRows is the number of rows whose bytes are read before they are copied.
const prefetchRows = 64

// prefetch reads the first and the last byte of each row: the cache misses of independent loads overlap, those of the
// copies that follow would hardly.
//
//go:noinline
func (t *strings) prefetch(words []uint64) (sum byte) {
	for _, w := range words {
		if n := t.length(w); n > 0 {
			b := t.source(w)
			sum += b[0] + b[n-1]
		}
	}
	return sum
}

// validity writes the validity of a block, whose first row is at a multiple of 8.
func (t *strings) validity(dst []byte, words []uint64) {
	clear(dst[:(len(words)+7)/8])
	for i, w := range words {
		if !t.isNull(w) {
			dst[i>>3] |= 1 << (i & 7)
		}
	}
}
