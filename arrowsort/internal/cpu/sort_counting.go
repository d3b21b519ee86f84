package cpu

import "math"

const (
	counterBytes = 2       // of all counters of codes, for each row
	nearCodes    = 1 << 12 // at most, between neighbors: about as many places are open at a time
	maxFetched   = 4 << 20 // bytes of a mover that are prefetched, between two checks of the context
)

// countsCodes reports whether sortCounting is a good way: codes are few, and those of neighbors in a sample are near
// one another.
func (s *sorter) countsCodes() bool {
	if !s.fewCodes() {
		return false
	}
	codes, far, near := s.sampled(), 0, min(nearCodes, uint64(1)<<s.plan.WordBits(0)/4)
	for i := 1; i < len(codes); i++ {
		if max(codes[i], codes[i-1])-min(codes[i], codes[i-1]) > near {
			far++
		}
	}
	return far <= len(codes)/16
}

// fewCodes reports whether counters of all codes take little memory.
func (s *sorter) fewCodes() bool {
	bins := uint64(1) << min(s.plan.WordBits(0), 32)
	return bins*4*uint64(s.countingShares()) <= uint64(s.rows)*counterBytes
}

// countingShares is the number of shares whose codes are counted.
func (s *sorter) countingShares() int { return max(1, min(s.threads, s.rows/placeRows)) }

// sortCounting is a partition that has a bin for each code, so that bins need no sort. Rows that are near one another
// go to few bins: their counters stay in the cache, and so do the lines of the result that the next rows go to. done is
// false where codes are too many.
func (s *sorter) sortCounting() (done bool, err error) {
	if s.unmeasured {
		if err := s.measureAll(); err != nil {
			return false, err
		}
	}
	if s.plan.Words() > 1 || !s.countsCodes() {
		return false, nil
	}
	movers := s.movers()
	p, err := s.countCodes(movers)
	if err != nil {
		return false, err
	}
	defer s.free(bytesOf(p.counters))
	defer s.free(bytesOf(p.bins))
	return true, p.move(movers)
}

// countCodes is a partition that has a bin for each code, once its rows are counted, for movers that are to be moved.
func (s *sorter) countCodes(movers []*mover) (*partition, error) {
	bins := 1 << s.plan.WordBits(0)
	counters, err := allocate[uint32](&s.buffers, bins*s.countingShares())
	if err != nil {
		return nil, err
	}
	if err := s.tiles(len(counters), 1<<20, func(_, lo, hi int) { clear(counters[lo:hi]) }); err != nil {
		return nil, err
	}
	none := uint64(math.MaxUint64)
	p := &partition{
		sorter: s, src: s.source(), rows: s.rows, counters: counters,
		binner: &binner{top: uint64(bins) - 1, bins: bins, borders: [2]uint64{none, none}},
	}
	return p, p.count(len(movers) > 0 && p.byLines(movers))
}

// An extent is places lo..hi-1.
type extent struct{ lo, hi int }

// newPlaces is the extent of places from first on, none where some of them are far from the others.
func newPlaces(places []uint32, first int) extent {
	lo, hi := extentOf(places)
	if e := (extent{max(lo, first), hi}); e.lo < e.hi && e.hi-e.lo <= 4*len(places) {
		return e
	}
	return extent{}
}

//go:noinline
func extentOf(places []uint32) (lo, hi int) {
	least, greatest := places[0], places[0]
	for _, p := range places {
		least, greatest = min(least, p), max(greatest, p)
	}
	return int(least), int(greatest) + 1
}

// fetchLines brings lines of the result into the cache. Other workers may store to a few of them at the same time, near
// the border of two shares; what is read there has no use, so that the race detector need not see it.
//
//go:norace
//go:noinline
func fetchLines(b []byte) (sum byte) {
	for i := 0; i < len(b); i += lineBytes {
		sum += b[i]
	}
	return sum
}
