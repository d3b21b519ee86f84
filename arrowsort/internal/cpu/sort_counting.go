package cpu

import "math"

const (
	rowsPerCode = 8       // at least, on average
	nearCodes   = 1 << 12 // places that are open at a time
)

// countsCodes reports whether sortCounting is a good way: rows are many more than codes, and the codes of neighbors in
// a sample are near one another.
func (s *sorter) countsCodes() bool {
	if bits := s.plan.WordBits(0); bits > 32 || s.rows>>bits < rowsPerCode {
		return false
	}
	codes, far := s.sampled(), 0
	for i := 1; i < len(codes); i++ {
		if max(codes[i], codes[i-1])-min(codes[i], codes[i-1]) > nearCodes {
			far++
		}
	}
	return far <= len(codes)/16
}

// sortCounting is a partition that has a bin for each code, so that bins need no sort. Rows that are near one another
// go to few of the bins: they are in the caches, and so are the lines of the result that are prefetched.
func (s *sorter) sortCounting() error {
	last := uint64(1)<<s.plan.WordBits(0) - 1
	p := &partition{sorter: s, src: s.source(), rows: s.rows, nearby: true, binner: &binner{
		top: last, bins: int(last) + 1, borders: [2]uint64{math.MaxUint64, math.MaxUint64},
	}}
	if err := p.count(false); err != nil {
		return err
	}
	return p.move(s.movers())
}
