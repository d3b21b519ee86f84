package cpu

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// strings moves a Binary or LargeBinary column as one word per row. Strings of at most 7 bytes travel whole: their
// bytes from the low end, the length in the top byte. Longer ones stay where they are: a word holds the place of the first byte, counted
// over all chunks, above the length. Their bytes are copied once, in sorted order.
type strings struct {
	chunked
	lane    *lane
	short   bool
	lenBits uint
	bases   []int // the bytes of all chunks in one numbering: the first byte of each chunk's Data
}

const (
	shortBytes = 7
	nullShort  = 1 << 63 // a length of 0 below it
	nullLong   = math.MaxUint64
)

func newStrings(c chunked, s *sorter, nullable bool) (*strings, error) {
	t := &strings{chunked: c, lane: &lane{width: 8}, bases: make([]int, len(c.Chunks)+1)}
	for i := range c.Chunks {
		t.bases[i+1] = t.bases[i]
		if k := &c.Chunks[i]; k.Rows > 0 && len(k.Data) > 0 {
			t.bases[i+1] += len(k.Data[0])
		}
	}
	longest, err := t.longest(s)
	if err != nil {
		return nil, err
	}
	t.short = longest <= shortBytes
	t.lenBits = uint(bits.Len(uint(longest)))
	if uint(bits.Len(uint(t.bases[len(c.Chunks)])))+t.lenBits > 63 {
		return nil, fmt.Errorf("%w: %d bytes of strings, the longest of %d bytes", engine.ErrOffsets, t.bases[len(c.Chunks)], longest)
	}
	t.lane.fill = func(dst []byte, lo int) {
		words := view[uint64](dst)
		c.pieces(lo, lo+len(words), func(k *keyencode.Chunk, at, n int) {
			t.words(words[:n], t.chunk(k), at)
			words = words[n:]
		})
	}
	t.lane.take = func(dst []byte, rows []uint32) {
		words := view[uint64](dst)
		for i, r := range rows {
			k := c.at(int(r))
			t.words(words[i:i+1], k, c.Chunks[k].Offset+int(r)-c.starts[k])
		}
	}
	return t, nil
}

// chunk is the number of a chunk.
func (t *strings) chunk(k *keyencode.Chunk) int {
	for i := range t.Chunks {
		if k == &t.Chunks[i] {
			return i
		}
	}
	return -1
}

// longest is the length of the longest string, null or not.
func (t *strings) longest(s *sorter) (int, error) {
	tiles := make([]int, (s.rows+placeRows-1)/placeRows)
	err := s.tiles(s.rows, placeRows, func(_, lo, hi int) {
		t.pieces(lo, hi, func(k *keyencode.Chunk, at, n int) {
			if t.Kind == keyencode.Binary {
				n = longestOf(view[int32](k.Values)[at : at+n+1])
			} else {
				n = longestOf(view[int64](k.Values)[at : at+n+1])
			}
			tiles[lo/placeRows] = max(tiles[lo/placeRows], n)
		})
	})
	return slices.Max(append(tiles, 0)), err
}

//go:noinline
func longestOf[T int32 | int64](offsets []T) int {
	longest, last := T(0), offsets[0]
	for _, o := range offsets {
		longest, last = max(longest, o-last), o
	}
	return int(longest)
}

// words makes the words of the rows from position at of a chunk on.
func (t *strings) words(dst []uint64, chunk, at int) {
	k := &t.Chunks[chunk]
	var data []byte
	if len(k.Data) > 0 {
		data = k.Data[0]
	}
	switch {
	case t.Kind == keyencode.Binary && t.short:
		shortWords(dst, view[int32](k.Values)[at:], data)
	case t.short:
		shortWords(dst, view[int64](k.Values)[at:], data)
	case t.Kind == keyencode.Binary:
		longWords(dst, view[int32](k.Values)[at:], uint64(t.bases[chunk]), t.lenBits)
	default:
		longWords(dst, view[int64](k.Values)[at:], uint64(t.bases[chunk]), t.lenBits)
	}
	if k.Validity == nil {
		return
	}
	null := uint64(nullLong)
	if t.short {
		null = nullShort
	}
	for i := range dst {
		if k.Validity[(at+i)>>3]>>((at+i)&7)&1 == 0 {
			dst[i] = null
		}
	}
}

//go:noinline
func shortWords[T int32 | int64](dst []uint64, offsets []T, data []byte) {
	offsets = offsets[:len(dst)+1]
	for i := range dst {
		lo, n := offsets[i], uint(offsets[i+1]-offsets[i])
		if int(lo)+8 <= len(data) {
			w := binary.LittleEndian.Uint64(data[lo:])
			dst[i] = w&(1<<(8*n)-1) | uint64(n)<<56
			continue
		}
		w := uint64(n) << 56
		for j := range n {
			w |= uint64(data[uint(lo)+j]) << (8 * j)
		}
		dst[i] = w
	}
}

//go:noinline
func longWords[T int32 | int64](dst []uint64, offsets []T, base uint64, lenBits uint) {
	offsets = offsets[:len(dst)+1]
	for i := range dst {
		dst[i] = (base+uint64(offsets[i]))<<(lenBits&63) | uint64(offsets[i+1]-offsets[i])
	}
}

func (t *strings) isNull(w uint64) bool {
	if t.short {
		return w == nullShort
	}
	return w == nullLong
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
	return t.Chunks[i].Data[0][place-t.bases[i]:]
}

// unpack makes offsets, bytes and validity of the sorted words.
func (t *strings) unpack(s *sorter) (col engine.Column, err error) {
	sorted := view[uint64](t.lane.out)
	if len(sorted) == 0 {
		return col, nil
	}
	tiles := make([]tile, (len(sorted)+placeRows-1)/placeRows)
	err = s.tiles(len(sorted), placeRows, func(_, lo, hi int) { tiles[lo/placeRows] = t.measure(sorted[lo:hi]) })
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
	if col.Values, err = s.bytes((len(sorted) + 1) * size); err != nil {
		return col, err
	}
	if col.Data, err = s.bytes(total); err != nil {
		return col, err
	}
	if col.Nulls > 0 {
		if col.Validity, err = s.bytes((len(sorted) + 7) / 8); err != nil {
			return col, err
		}
	}
	err = s.tiles(len(sorted), placeRows, func(_, lo, hi int) {
		k := &tiles[lo/placeRows]
		data := col.Data[k.start : k.start+k.bytes]
		if size == 4 {
			write(t, view[int32](col.Values)[lo:hi+1], data, int32(k.start), sorted[lo:hi])
		} else {
			write(t, view[int64](col.Values)[lo:hi+1], data, int64(k.start), sorted[lo:hi])
		}
		if col.Validity != nil {
			t.validity(col.Validity[lo/8:(hi+7)/8], sorted[lo:hi])
		}
	})
	s.free(t.lane.out)
	return col, err
}

// A tile is a run of sorted rows that one worker unpacks.
type tile struct{ start, bytes, nulls int }

func (t *strings) measure(words []uint64) (k tile) {
	for _, w := range words {
		k.bytes += t.length(w)
		if t.isNull(w) {
			k.nulls++
		}
	}
	return k
}

// write writes the offsets behind each row, the first also before it, and the bytes.
func write[T int32 | int64](t *strings, offsets []T, data []byte, start T, words []uint64) {
	offsets[0] = start
	at := 0
	for i, w := range words {
		if !t.short && i%touchRows == 0 {
			t.touch(words[i:min(i+touchRows, len(words))])
		}
		n := t.length(w)
		switch {
		case !t.short:
			if n > 0 {
				copy(data[at:at+n], t.source(w))
			}
		case at+8 <= len(data):
			// Bytes behind the string are overwritten by the next rows of the same tile.
			binary.LittleEndian.PutUint64(data[at:], w)
		default:
			for j := range n {
				data[at+j] = byte(w >> (8 * j))
			}
		}
		at += n
		offsets[i+1] = start + T(at)
	}
}

// touchRows is the number of rows whose bytes are looked at before they are copied.
const touchRows = 64

// touch reads the first and the last byte of each row: the cache misses of independent loads overlap, those of the
// copies that follow would hardly.
//
//go:noinline
func (t *strings) touch(words []uint64) (sum byte) {
	for _, w := range words {
		if n := t.length(w); n > 0 {
			b := t.source(w)
			sum += b[0] + b[n-1]
		}
	}
	return sum
}

func (t *strings) validity(dst []byte, words []uint64) {
	clear(dst)
	for i, w := range words {
		if !t.isNull(w) {
			dst[i>>3] |= 1 << (i & 7)
		}
	}
}
