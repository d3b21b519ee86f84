package cpu

import (
	"slices"
	"sync"
	"time"
	"unsafe"
)

const (
	minLineBytes = 4 << 20  // of a column: smaller ones stay in the caches
	minMoveBytes = 32 << 20 // of all columns: for less, a process need not find out what is faster
	minLineBins  = 1 << 6
	maxLineCodes = 1 << 12 // of bins of one code each: their open lines stay in the cache
)

// byLines reports whether movers move through open lines. Bins of few codes that are not sorted gain from them wherever
// there are streams: many rows go to each.
func (p *partition) byLines(movers []*mover) bool {
	widest, all := 0, 0
	for _, l := range movers {
		if uintptr(unsafe.Pointer(unsafe.SliceData(l.out)))%lineBytes != 0 {
			return false
		}
		widest = max(widest, len(l.out))
		all += len(l.out)
	}
	codes := p.counters != nil
	switch {
	case codes && p.binner.bins > maxLineCodes:
		return false
	case p.alwaysLines:
		return true
	}
	return hasStreams && widest >= minLineBytes && all >= minMoveBytes && p.binner.bins >= minLineBins &&
		(codes || linesAreFaster())
}

// moveByLines is move through open lines: of a share, one mover after another. The bins are kept.
func (p *partition) moveByLines(movers []*mover) error {
	threads := min(p.threads, len(p.shares))
	ws, lines, err := p.newLineScatters(threads)
	if err != nil {
		return err
	}
	scratch, err := p.newScratch(movers, threads)
	if err != nil {
		return err
	}
	err = p.run(len(p.shares), func(worker, item int) {
		s, w := &p.shares[item], &ws[worker]
		places := make([]uint32, len(s.offsets))
		for _, l := range movers {
			copy(places, s.offsets)
			w.begin(places)
			l.eachBlock(&p.pool, s.lo, s.hi, scratch.of(worker), func(block []byte, at, n int) {
				w.scatter(l.out, block, p.bins[at:at+n], places, l.width)
			})
			w.end(l.out, places, l.width)
		}
		copy(s.offsets, places)
		p.report(s.hi - s.lo)
	})
	p.free(lines)
	p.free(scratch.all)
	return err
}

// slowStore is what a row takes at least that is stored plainly to a line in no cache, on machines where open lines
// pay. A machine on which it takes 3.2 to 4.9 ns has gained nothing in whole sorts, since two workers that stream wait
// for the memory; one on which it takes 4.8 to 8.2 ns, as a rule 7.4, has gained up to a quarter, and one with 7.9 to
// 9.6 ns up to a half.
const slowStore = 5 * time.Nanosecond

// linesAreFaster reports whether plain stores are slow on this machine, and open lines take less than 3/4 of their
// time. The first call in a process measures it, in about 4 ms.
var linesAreFaster = sync.OnceValue(func() bool {
	lines, plain := timeScatters()
	return plain > slowStore*scatteredRows && lines*4 < plain*3
})

// scatteredRows are the rows that timeScatters times.
const scatteredRows = 1 << 15

// timeScatters scatters rows at random to 1,024 bins, by lines and by plain stores in turns, and returns the medians of
// the times. Every round writes to lines that no cache has, as in a partition of many rows.
func timeScatters() (lines, plain time.Duration) {
	const rounds, count, rows = 9, 1 << 10, scatteredRows
	const each = 1 << 9 // rows of a bin in each half of the memory, of which the rounds take 288 on average
	memory := alignedBytes(2 * count * each * 8)
	src, bins, rowPlaces := make([]byte, rows*8), make([]uint16, rows), make([]uint32, rows)
	var places [2][]uint32
	for way := range places {
		places[way] = make([]uint32, count)
		for bin := range places[way] {
			places[way][bin] = uint32((2*bin + way) * each)
		}
	}
	clear(memory) // so that it has pages
	flushLines(unsafe.Pointer(&memory[0]), len(memory)/lineBytes)
	w := lineScatter{make([]byte, count<<lineShift(count)), make([]uint32, count), lineShift(count)}
	w.begin(places[0])
	var times [2][]time.Duration
	state := uint64(1)
	for range rounds {
		for i := range bins {
			state = state*6364136223846793005 + 1442695040888963407
			bins[i] = uint16(state >> 54)
		}
		start := time.Now()
		w.scatter(memory, src, bins, places[0], 8)
		storeFence()
		middle := time.Now()
		placesByBin(bins, rowPlaces, unsafe.Pointer(&places[1][0]))
		scatter(memory, src, rowPlaces, 8)
		times[0], times[1] = append(times[0], middle.Sub(start)), append(times[1], time.Since(middle))
	}
	slices.Sort(times[0])
	slices.Sort(times[1])
	return times[0][rounds/2], times[1][rounds/2]
}

// alignedBytes are n bytes that begin at a line.
func alignedBytes(n int) []byte {
	b := make([]byte, n+lineBytes)
	return b[-int(uintptr(unsafe.Pointer(&b[0])))&(lineBytes-1):][:n]
}
