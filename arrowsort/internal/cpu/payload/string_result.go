package payload

import (
	"encoding/binary"
	"fmt"
	"math"
	"sort"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

func (t *Strings) isNull(w uint64) bool {
	return w == t.null()
}

// Length returns the number of bytes of a row; nulls have none.
func (t *Strings) Length(w uint64) int {
	if t.short {
		return int(w >> 56 & shortBytes)
	}
	if w == nullLong {
		return 0
	}
	return int(w & (1<<t.lenBits - 1))
}

// Source returns the bytes from a row's first one on.
func (t *Strings) Source(w uint64) []byte {
	place := int(w >> (t.lenBits & 63))
	if place < t.bases[0] {
		return t.Moved[place-t.movedAt:]
	}
	return t.inputFrom(place)
}

// inputFrom returns the bytes from a place in the input on.
func (t *Strings) inputFrom(place int) []byte {
	i := 0
	if len(t.Chunks) > 1 {
		i = sort.SearchInts(t.bases, place+1) - 1
	}
	return t.Chunks[i].Data[0][place-t.bases[i]+t.firsts[i]:]
}

// Text returns the string of a word of a long string, nil for null.
func (t *Strings) Text(w uint64) []byte {
	if w == nullLong {
		return nil
	}
	n := w & (1<<(t.lenBits&63) - 1)
	if place := int(w >> (t.lenBits & 63)); place < t.bases[0] {
		return t.Moved[place-t.movedAt:][:n]
	}
	if n == 0 {
		return []byte{}
	}
	return t.Source(w)[:n]
}

// Unpack makes offsets, bytes and validity of the sorted words. Where bytes have moved to data, which is the result's,
// write puts them in order.
func (t *Strings) Unpack(
	pool *workers.Pool, mem *arena.Arena, data []byte, write func(col *engine.Column) error,
) (col engine.Column, err error) {
	rows := len(t.Mover.Out) / t.Mover.Width
	if rows == 0 {
		return col, nil
	}
	tiles, err := t.measureTiles(pool, 0, rows)
	if err != nil {
		return col, err
	}
	total := tiles[len(tiles)-1].end
	for _, k := range tiles {
		col.Nulls += k.nulls
	}
	col.Data = data
	if err := t.allocate(mem, &col, rows, total); err != nil {
		return col, err
	}
	if col.Validity != nil {
		err = pool.Tiles(rows, keys.TileRows, func(_, lo, hi int) {
			t.blocks(lo, hi, func(words []uint64, row int) { t.validity(col.Validity[row/8:], words) })
		})
	}
	switch {
	case err != nil:
	case write != nil:
		err = write(&col)
	default:
		err = t.writeTiles(pool, &col, 0, rows, 0, tiles)
	}
	mem.Free(t.Mover.Out)
	return col, err
}

// allocate provides the buffers of a column, and writes the last offset.
func (t *Strings) allocate(mem *arena.Arena, col *engine.Column, rows, total int) (err error) {
	size := 8
	if t.Kind == keyencode.Binary {
		size = 4
		if total > math.MaxInt32 {
			return fmt.Errorf("%w: %d bytes", engine.ErrOffsets, total)
		}
	}
	if col.Values, err = mem.Bytes((rows + 1) * size); err != nil {
		return err
	}
	if size == 4 {
		buffers.View[int32](col.Values)[rows] = int32(total)
	} else {
		buffers.View[int64](col.Values)[rows] = int64(total)
	}
	if col.Data == nil {
		if col.Data, err = mem.Bytes(total); err != nil {
			return err
		}
	}
	if col.Nulls > 0 {
		col.Validity, err = mem.Bytes((rows + 7) / 8)
	}
	return err
}

// A tile is a run of up to keys.TileRows sorted rows that one worker unpacks: its bytes in the result, and its nulls.
type tile struct{ start, end, nulls int }

// measureTiles returns the tiles of rows lo..hi-1; the bytes of the first one begin at 0.
func (t *Strings) measureTiles(pool *workers.Pool, lo, hi int) ([]tile, error) {
	tiles := make([]tile, (hi-lo+keys.TileRows-1)/keys.TileRows)
	err := pool.Tiles(hi-lo, keys.TileRows, func(_, from, to int) {
		k := &tiles[from/keys.TileRows]
		t.blocks(lo+from, lo+to, func(words []uint64, _ int) { t.measure(k, words) })
	})
	total := 0
	for i := range tiles {
		k := &tiles[i]
		k.start, k.end = total, total+k.end
		total = k.end
	}
	return tiles, err
}

// WriteRange writes the strings of rows lo..hi-1, and their offsets; their bytes begin at byte start.
func (t *Strings) WriteRange(pool *workers.Pool, col *engine.Column, lo, hi, start int) error {
	tiles, err := t.measureTiles(pool, lo, hi)
	if err != nil {
		return err
	}
	return t.writeTiles(pool, col, lo, hi, start, tiles)
}

// writeTiles writes the strings of the rows from lo on, and their offsets; the bytes of the tiles begin at byte start.
func (t *Strings) writeTiles(pool *workers.Pool, col *engine.Column, lo, hi, start int, tiles []tile) error {
	return pool.Tiles(hi-lo, keys.TileRows, func(_, from, to int) {
		k := tiles[from/keys.TileRows]
		t.WriteRows(pool, col, lo+from, lo+to, start+k.start, start+k.end)
	})
}

// WriteRows writes the strings of rows lo..hi-1 to bytes start..end-1 of the result.
func (t *Strings) WriteRows(ws *workers.Pool, col *engine.Column, lo, hi, start, end int) {
	t.blocks(lo, hi, func(words []uint64, row int) {
		data, n := col.Data[start:end], 0
		if t.Kind == keyencode.Binary {
			n = write(t, ws, buffers.View[int32](col.Values)[row:], data, int32(start), words)
		} else {
			n = write(t, ws, buffers.View[int64](col.Values)[row:], data, int64(start), words)
		}
		start += n
	})
}

// blocks calls f with the sorted words of rows lo..hi-1, block by block.
func (t *Strings) blocks(lo, hi int, f func(words []uint64, row int)) {
	if t.table != nil {
		t.tableBlocks(lo, hi, f)
		return
	}
	words := buffers.View[uint64](t.Mover.Out)
	for ; lo < hi; lo += keys.BlockRows {
		f(words[lo:min(lo+keys.BlockRows, hi)], lo)
	}
}

// tableBlocks is blocks for indices of a dictionary.
func (t *Strings) tableBlocks(lo, hi int, f func(words []uint64, row int)) {
	var words [keys.BlockRows]uint64
	indices := buffers.View[uint16](t.Mover.Out)
	for ; lo < hi; lo += keys.BlockRows {
		block := words[:min(keys.BlockRows, hi-lo)]
		for i, index := range indices[lo : lo+len(block)] {
			block[i] = t.table[index]
		}
		f(block, lo)
	}
}

func (t *Strings) measure(k *tile, words []uint64) {
	if t.equal > 0 {
		k.end += t.equal * len(words)
		return
	}
	for _, w := range words {
		k.end += t.Length(w)
		if t.isNull(w) {
			k.nulls++
		}
	}
}

// write writes the offset of each row and the bytes, and returns how many these are. It may write past the end
// of a string; the next string overwrites those bytes.
func write[T int32 | int64](t *Strings, ws *workers.Pool, offsets []T, data []byte, start T, words []uint64) int {
	if t.short && t.equal > 0 {
		return writeEqual(offsets, data, start, words, t.equal)
	}
	at := 0
	for i, w := range words {
		if !t.short && i%PrefetchRows == 0 {
			if ws.Stopped() {
				return at
			}
			if !t.inCache {
				t.prefetch(words[i:min(i+PrefetchRows, len(words))])
			}
		}
		n := t.Length(w)
		offsets[i] = start + T(at)
		if !t.short {
			if n > 0 {
				copy(data[at:at+n], t.Source(w))
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

// PrefetchRows is the number of rows whose bytes are read before they are copied.
const PrefetchRows = 64

// prefetch reads the first and the last byte of each row: the cache misses of independent loads overlap, those of the
// copies that follow hardly would.
//
//go:noinline
func (t *Strings) prefetch(words []uint64) (sum byte) {
	for _, w := range words {
		if n := t.Length(w); n > 0 {
			b := t.Source(w)
			sum += b[0] + b[n-1]
		}
	}
	return sum
}

// validity writes the validity of a block, whose first row is at a multiple of 8.
func (t *Strings) validity(dst []byte, words []uint64) {
	clear(dst[:(len(words)+7)/8])
	for i, w := range words {
		if !t.isNull(w) {
			dst[i>>3] |= 1 << (i & 7)
		}
	}
}
