package cpu

import (
	"sync"
	"time"
	"unsafe"
)

const (
	minLineBytes = 4 << 20 // of a column: smaller ones stay in the caches
	minLineBins  = 1 << 6
)

// byLines reports whether movers move through open lines.
func (p *partition) byLines(movers []*mover) bool {
	var widest []byte
	all := 0
	for _, l := range movers {
		if uintptr(unsafe.Pointer(unsafe.SliceData(l.out)))%lineBytes != 0 {
			return false
		}
		all += len(l.out)
		if len(l.out) > len(widest) {
			widest = l.out
		}
	}
	if p.alwaysLines {
		return true
	}
	return len(widest) >= minLineBytes && p.binner.bins >= minLineBins && linesAreFaster(widest, all)
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

// The ways that were measured: for movers that the last-level cache of a large machine may hold, and for larger ones.
var calibrations [2]struct {
	sync.Once
	lines bool
}

// linesAreFaster reports whether open lines are clearly faster on this machine than plain stores, for movers of so many
// bytes, of which dst belongs to one. The first call in a process measures it in 1 ms, by scatters to dst.
func linesAreFaster(dst []byte, all int) bool {
	c := &calibrations[0]
	if all >= 128<<20 {
		c = &calibrations[1]
	}
	c.Do(func() { c.lines = calibrate(view[uint64](dst)) })
	return c.lines
}

// calibrate scatters blocks of rows at random to 1,024 bins, in turns by lines and by plain stores, to other lines each
// time.
func calibrate(dst []uint64) bool {
	const rounds, count, rows = 4, 1 << 10, 1 << 15
	src, bins, rowPlaces := make([]byte, rows*8), make([]uint16, rows), make([]uint32, rows)
	var places [2][]uint32
	for way := range places {
		places[way] = make([]uint32, count)
		for bin := range count {
			places[way][bin] = uint32(len(dst) / count * (2*bin + way) / 2)
		}
	}
	w := lineScatter{make([]byte, count<<lineShift(count)), make([]uint32, count), lineShift(count)}
	w.begin(places[0])
	best := [2]time.Duration{time.Hour, time.Hour}
	state := uint64(1)
	for range rounds {
		for i := range bins {
			state = state*6364136223846793005 + 1442695040888963407
			bins[i] = uint16(state >> 54)
		}
		start := time.Now()
		w.scatter(bytesOf(dst), src, bins, places[0], 8)
		middle := time.Now()
		placesByBin(bins, rowPlaces, unsafe.Pointer(&places[1][0]))
		scatter(bytesOf(dst), src, rowPlaces, 8)
		best[0], best[1] = min(best[0], middle.Sub(start)), min(best[1], time.Since(middle))
	}
	return best[0]*10 < best[1]*6
}
