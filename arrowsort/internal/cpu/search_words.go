package cpu

import (
	"math"
	"unsafe"
)

// stripBits make a strip of 16,384 codes, which the L2 cache holds.
const stripBits = 14

// A wordSearch finds places among the leading words of sorted rows. A binary search over all of them would wait for
// memory at most levels; so it finds the strip of consecutive rows that each of many values belongs to, groups the
// values by strip, and then makes the words of one strip after another and searches them in the cache.
type wordSearch struct {
	*pool
	src     source
	rows    int      // in order
	batch   int      // values that one worker searches together
	borders []uint64 // the words of the last row of each strip but the last
	workers []wordSearcher
}

// A wordSearcher is the temp storage of one worker.
type wordSearcher struct {
	values, left []uint64 // words by strip; places
	at, strips   []uint32 // which values they are; the strip of each value
	starts       []uint32 // of each strip, and the number of values
	codes        []uint64 // of one strip
}

// newWordSearch prepares to search values among the first rows of the source. The more rows, the more values have to
// share the words that are made of each strip.
func (s *sorter) newWordSearch(rows, values int) (*wordSearch, error) {
	w := &wordSearch{pool: &s.pool, src: s.source(), rows: rows}
	w.batch = min(values, max(1<<17, min(rows/16, values/(2*s.threads), 1<<22)))
	strips := (rows + 1<<stripBits - 1) >> stripBits
	w.borders = make([]uint64, max(strips, 1)-1)
	last := make([]uint32, len(w.borders))
	for i := range last {
		last[i] = uint32((i+1)<<stripBits - 1)
	}
	w.src.EncodeRows(w.borders, 0, last)
	for range min(s.threads, (values+w.batch-1)/w.batch) {
		t, err := s.newWordSearcher(w.batch, len(w.borders)+2)
		if err != nil {
			return nil, err
		}
		w.workers = append(w.workers, t)
	}
	return w, nil
}

func (s *sorter) newWordSearcher(batch, starts int) (t wordSearcher, err error) {
	left := 0
	if s.plan.Words() > 1 {
		left = batch
	}
	words, err := allocate[uint64](&s.buffers, batch+left+1<<stripBits)
	if err != nil {
		return t, err
	}
	numbers, err := allocate[uint32](&s.buffers, 2*batch+starts)
	if err != nil {
		return t, err
	}
	t.values, t.left, t.codes = words[:batch], words[batch:batch+left], words[batch+left:]
	t.at, t.strips, t.starts = numbers[:batch], numbers[batch:2*batch], numbers[2*batch:]
	return t, nil
}

// place writes, for each row of the source from row first on, the number of words that are below its own, or with right
// not above it.
func (w *wordSearch) place(t *wordSearcher, places []uint64, first int, right bool) {
	if !t.group(w, places, first, right) {
		return
	}
	var found [blockRows]uint64
	for strip := 0; strip <= len(w.borders) && !w.stopped(); strip++ {
		lo, hi := t.starts[strip], t.starts[strip+1]
		if lo == hi {
			continue
		}
		base := strip << stripBits
		codes := t.codes[:min(1<<stripBits, w.rows-base)]
		encodeAll(w.src, codes, base)
		for ; lo < hi; lo += blockRows {
			n := min(blockRows, hi-lo)
			searchCodes(found[:n], codes, t.values[lo:lo+n], right)
			for i, at := range t.at[lo : lo+n] {
				places[at] = uint64(base) + found[i]
			}
		}
	}
}

// group writes the words of rows to values, strip by strip; false when the context ends. It uses places.
func (t *wordSearcher) group(w *wordSearch, places []uint64, first int, right bool) bool {
	clear(t.starts)
	var values, found [blockRows]uint64
	for lo := 0; lo < len(places); lo += blockRows {
		if w.stopped() {
			return false
		}
		block := places[lo:min(lo+blockRows, len(places))]
		w.src.encode(block, first+lo)
		copy(values[:], block)
		searchCodes(found[:len(block)], w.borders, values[:len(block)], right)
		for i, strip := range found[:len(block)] {
			t.strips[lo+i] = uint32(strip)
			t.starts[strip+1]++
		}
	}
	for i := range t.starts[1:] {
		t.starts[i+1] += t.starts[i]
	}
	for i, v := range places {
		o := &t.starts[t.strips[i]]
		t.values[*o], t.at[*o] = v, uint32(i)
		*o++
	}
	copy(t.starts[1:], t.starts) // each start has become an end
	t.starts[0] = 0
	return true
}

// searchCodes writes, for each value, the number of codes below it, with right also of those equal to it. It may change
// the values. All of them are searched level by level: no step depends on a branch, and cache misses overlap.
func searchCodes(places, codes, values []uint64, right bool) {
	if !right {
		searchLevels(places, codes, values)
		return
	}
	for i, v := range values { // equal to v or below is below v+1
		values[i] = v + 1
	}
	searchLevels(places, codes, values)
	for i, v := range values {
		if v == 0 { // of math.MaxUint64
			places[i], values[i] = uint64(len(codes)), math.MaxUint64
		}
	}
}

//go:noinline
func searchLevels(places, codes, values []uint64) {
	clear(places)
	places = places[:len(values)]
	base := unsafe.Pointer(unsafe.SliceData(codes))
	for n := uint64(len(codes)); n > 0; {
		// The place is among p..p+n, and half is at most n: reads stay within the codes.
		half := (n + 1) / 2
		middle := unsafe.Add(base, (half-1)*8)
		for i, v := range values {
			p := places[i]
			after := p + half
			if *(*uint64)(unsafe.Add(middle, p*8)) < v { // a conditional move
				p = after
			}
			places[i] = p
		}
		n -= half
	}
}
