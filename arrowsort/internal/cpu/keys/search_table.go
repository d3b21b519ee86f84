package keys

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// SearchTableRows is the largest number of rows of a SearchTable: buckets count them in 16 bits, and an L2 cache holds
// their codes.
const SearchTableRows = 1 << 16

// A SearchTable finds a code among sorted codes in cache. A table of equal ranges, the buckets, says where the codes of
// a range begin; a binary search does the rest. There are as many buckets as rows, or half as many, so that evenly
// spread codes leave three or four levels to search; at worst, when all but a few codes share one bucket, the search is
// one among all rows.
type SearchTable struct {
	codes   []uint64 // none where all rows have one word
	buckets []uint16
	rows    int
	window  int // rows of the longest bucket
	base    uint64
	top     uint64
	shift   uint
}

// NewSearchTable returns a table for up to rows rows.
func NewSearchTable(mem *arena.Arena, rows int) (t *SearchTable, err error) {
	t = new(SearchTable)
	if t.codes, err = arena.Slice[uint64](mem, rows); err == nil {
		t.buckets, err = arena.Slice[uint16](mem, rows+1)
	}
	return t, err
}

// Release gives the memory of the table back.
func (t *SearchTable) Release(mem *arena.Arena) {
	mem.Free(buffers.Bytes(t.codes[:cap(t.codes)]))
	mem.Free(buffers.Bytes(t.buckets[:cap(t.buckets)]))
}

// Fill takes the words of rows lo..hi-1 of a source, which are in order. It reports false when they are too many,
// unless all are equal.
func (t *SearchTable) Fill(src Source, lo, hi int) bool {
	t.rows, t.window = hi-lo, 0
	t.codes, t.buckets = t.codes[:0], t.buckets[:0]
	if t.rows == 0 {
		return true
	}
	var ends [2]uint64
	src.Encode(ends[:1], lo)
	src.Encode(ends[1:], hi-1)
	t.base, t.top = ends[0], ends[1]
	if t.base == t.top {
		return true
	}
	if t.rows > cap(t.codes) {
		return false
	}
	t.codes = t.codes[:t.rows]
	EncodeAll(src, t.codes, lo)
	t.divide()
	return true
}

// FillCodes takes codes that rise, not all of them equal and not more than the table is for.
func (t *SearchTable) FillCodes(codes []uint64) {
	t.rows, t.codes, t.buckets = len(codes), append(t.codes[:0], codes...), t.buckets[:0]
	t.base, t.top = codes[0], codes[len(codes)-1]
	t.divide()
}

// divide makes the buckets.
func (t *SearchTable) divide() {
	t.shift = uint(max(0, bits.Len64(t.top-t.base)-bits.Len(uint(t.rows))+1))
	t.buckets = t.buckets[:(t.top-t.base)>>t.shift+1]
	clear(t.buckets)
	markBuckets(t.buckets, t.codes, t.base, t.shift)
	t.window = firstRows(t.buckets, t.rows)
	// A search looks at a window from the first row of a bucket on, which must not leave the rows.
	for i := len(t.buckets) - 1; int(t.buckets[i])+t.window > t.rows; i-- {
		t.buckets[i] = uint16(t.rows - t.window)
	}
}

// markBuckets writes the row after the last one of each bucket, but of the last bucket, to the bucket after it.
//
//go:noinline
func markBuckets(buckets []uint16, codes []uint64, base uint64, shift uint) {
	shift &= 63
	last := uint64(len(buckets) - 1)
	for i, c := range codes {
		bucket := (c - base) >> shift
		if bucket >= last {
			return
		}
		buckets[bucket+1] = uint16(i + 1)
	}
}

// firstRows replaces the marks by the first row of each bucket or of the buckets after it, and returns the most rows of
// a bucket.
func firstRows(buckets []uint16, rows int) (window int) {
	last := uint16(0)
	longest := uint16(0)
	for i, row := range buckets {
		row = max(row, last)
		longest = max(longest, row-last)
		buckets[i], last = row, row
	}
	return max(int(longest), rows-int(last))
}

// Search replaces words by their bounds.
func (t *SearchTable) Search(words []uint64, bounds Bounds) {
	var buffer, found [BlockRows]uint64
	values := buffer[:copy(buffer[:], words)]
	if len(bounds) == 1 {
		t.place(words, values, bounds[0])
		return
	}
	clear(words)
	for _, right := range bounds {
		t.place(found[:len(words)], values, right)
		for i, place := range found[:len(words)] {
			words[i] = words[i]<<32 | place
		}
	}
}

// place writes, for each value, the number of words that are below it, or with right not above it. It may change the
// values.
func (t *SearchTable) place(places, values []uint64, right bool) {
	if !right {
		t.placeLeft(places, values)
		return
	}
	for i, v := range values { // equal to v or below is below v+1
		values[i] = v + 1
	}
	t.placeLeft(places, values)
	for i, v := range values {
		if v == 0 { // of math.MaxUint64
			places[i], values[i] = uint64(t.rows), math.MaxUint64
		}
	}
}

func (t *SearchTable) placeLeft(places, values []uint64) {
	if len(t.codes) > 0 {
		searchBuckets(places, values, t)
		return
	}
	for i, v := range values {
		_, above := bits.Sub64(t.base, v, 0)
		places[i] = uint64(t.rows) & -above
	}
}

// searchBuckets searches four values side by side, without branches: one alone waits for its own loads.
//
//go:noinline
func searchBuckets(places, values []uint64, t *SearchTable) {
	base, top, shift, window := t.base, t.top, t.shift&63, uint64(t.window)
	buckets, codes := unsafe.Pointer(unsafe.SliceData(t.buckets)), unsafe.Pointer(unsafe.SliceData(t.codes))
	places = places[:len(values)]
	first := func(v uint64) uint64 {
		return uint64(*(*uint16)(unsafe.Add(buckets, (min(max(v, base), top)-base)>>shift*2)))
	}
	i := 0
	for ; i+4 <= len(values); i += 4 {
		v, out := (*[4]uint64)(values[i:]), (*[4]uint64)(places[i:])
		v0, v1, v2, v3 := v[0], v[1], v[2], v[3]
		p0, p1, p2, p3 := first(v0), first(v1), first(v2), first(v3)
		for n := window; n > 0; {
			// The place is among p..p+n, and half is at most n: reads stay within the codes.
			half := (n + 1) / 2
			middle := unsafe.Add(codes, (half-1)*8)
			_, b0 := bits.Sub64(buffers.Load64(middle, p0), v0, 0)
			_, b1 := bits.Sub64(buffers.Load64(middle, p1), v1, 0)
			_, b2 := bits.Sub64(buffers.Load64(middle, p2), v2, 0)
			_, b3 := bits.Sub64(buffers.Load64(middle, p3), v3, 0)
			p0, p1, p2, p3 = p0+half&-b0, p1+half&-b1, p2+half&-b2, p3+half&-b3
			n -= half
		}
		out[0], out[1], out[2], out[3] = p0, p1, p2, p3
	}
	for ; i < len(values); i++ {
		v := values[i]
		p := first(v)
		for n := window; n > 0; {
			half := (n + 1) / 2
			_, below := bits.Sub64(buffers.Load64(unsafe.Add(codes, (half-1)*8), p), v, 0)
			p, n = p+half&-below, n-half
		}
		places[i] = p
	}
}
