package cpu

import "math/bits"

// nearlyRows is the least number of rows for which a sample is searched for order: fewer stay in the caches.
const nearlyRows = 1 << 17

// sortNearlySorted sorts rows that a sample shows to be nearly sorted: a few runs, rows in order but for some, or rows
// near their places whose codes are few. done is false, and the result undefined, where they are none of these; then
// the plan has statistics.
func (s *sorter) sortNearlySorted() (done bool, err error) {
	if s.rows < nearlyRows && !s.alwaysNearly || s.plan.Words() > 1 {
		return false, nil
	}
	falls := countFalls(s.sampled())
	if falls > 0 && falls < maxSampledRuns {
		if done, err = s.sortRuns(); done || err != nil {
			return done, err
		}
	}
	if fewFalls(falls, len(s.sampled())) {
		if done, err = s.sortMisplaced(); done || err != nil {
			return done, err
		}
	}
	if s.noStatistics {
		if err := s.measureAll(); err != nil || s.plan.Words() != 1 {
			return false, err
		}
	}
	if !s.countsCodes() {
		return false, nil
	}
	return true, s.sortCounting()
}

// countFalls is the number of codes that are below their predecessors.
func countFalls(codes []uint64) (falls int) {
	for i := 1; i < len(codes); i++ {
		falls += int(below(codes[i], codes[i-1]))
	}
	return falls
}

// fewFalls reports whether so few of some codes are below their predecessors that most may be in order.
func fewFalls(falls, codes int) bool { return falls <= codes/8 }

// below is 1 for a below b.
func below(a, b uint64) uint64 {
	_, borrow := bits.Sub64(a, b, 0)
	return borrow
}
