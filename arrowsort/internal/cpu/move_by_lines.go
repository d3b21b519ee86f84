package cpu

import (
	"sync"
	"time"
	"unsafe"
)

const (
	lineRows     = 1 << 19 // rows that a worker moves, one mover after another, before it closes the lines
	minLineBytes = 8 << 20 // of a column: smaller ones stay in the caches
	minLineBins  = 1 << 6
)

// byLines reports whether movers move through open lines.
func (p *partition) byLines(movers []*mover) bool {
	var widest []byte
	for _, l := range movers {
		if uintptr(unsafe.Pointer(unsafe.SliceData(l.out)))%lineBytes != 0 {
			return false
		}
		if len(l.out) > len(widest) {
			widest = l.out
		}
	}
	if p.alwaysLines {
		return true
	}
	return len(widest) >= minLineBytes && p.binner.bins >= minLineBins && linesAreFaster(widest)
}

// moveByLines is move through open lines: every mover by itself, for more rows at a time.
func (p *partition) moveByLines(movers []*mover) error {
	threads := min(p.threads, len(p.shares))
	rows := min(lineRows, p.rows)
	ws, lines, err := p.newLineScatters(threads)
	if err != nil {
		return err
	}
	var bins []uint16 // where they are not kept
	if p.linear() {
		if bins, err = allocate[uint16](&p.buffers, threads*rows); err != nil {
			return err
		}
	}
	scratch, err := p.newScratch(movers, threads)
	if err != nil {
		return err
	}
	err = p.run(len(p.shares), func(worker, item int) {
		s, w := &p.shares[item], &ws[worker]
		places := make([]uint32, len(s.offsets))
		for lo := s.lo; lo < s.hi && !p.stopped(); lo += rows {
			hi := min(lo+rows, s.hi)
			bins := p.binsOf(lo, hi, bins, worker*rows, w.first)
			for _, l := range movers {
				copy(places, s.offsets)
				w.begin(places)
				l.eachBlock(&p.pool, lo, hi, scratch.of(worker), func(block []byte, at, n int) {
					w.scatter(l.out, block, bins[at-lo:][:n], places, l.width)
				})
				w.end(l.out, places, l.width)
			}
			copy(s.offsets, places)
			p.report(hi - lo)
		}
	})
	p.free(lines)
	p.free(bytesOf(bins))
	p.free(scratch.all)
	return err
}

// binsOf returns the bins of rows lo..hi-1, computed into spare from at on if they are not kept. counts is overwritten.
func (p *partition) binsOf(lo, hi int, spare []uint16, at int, counts []uint32) []uint16 {
	if !p.linear() {
		return p.bins[lo:hi]
	}
	var codes [blockRows]uint64
	bins := spare[at:][:hi-lo]
	for i := 0; i < len(bins) && (i%placeRows != 0 || !p.stopped()); i += blockRows {
		n := min(blockRows, len(bins)-i)
		p.src.encode(codes[:n], lo+i)
		classifyLinear(codes[:n], bins[i:i+n], unsafe.Pointer(&counts[0]), p.binner)
	}
	return bins
}

var calibration struct {
	sync.Once
	lines bool
}

// linesAreFaster reports whether open lines are faster on this machine than plain stores, by a tenth or more. The first
// call in a process measures it, in 2 to 4 ms, by scatters into memory for a result.
func linesAreFaster(dst []byte) bool {
	calibration.Do(func() { calibration.lines = calibrate(view[uint64](dst)) })
	return calibration.lines
}

// calibrate scatters blocks of rows at random to 1,024 bins, in turns by lines and by plain stores, to other lines each
// time.
func calibrate(dst []uint64) bool {
	const rounds, count, rows = 4, 1 << 10, 1 << 16
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
	return best[0]*10 < best[1]*9
}
