package cpu

import "slices"

// sample encodes a row in each of many equal strips of n rows, in their order.
func sample(src source, n int) []uint64 {
	rows := sampledRows(n)
	codes := make([]uint64, len(rows))
	src.EncodeRows(codes, 0, rows)
	return codes
}

// sampledRows are the rows of a sample of n.
func sampledRows(n int) []uint32 {
	rows := make([]uint32, max(min(n, 64), min(n/16, max(4096, min(n/2048, 1<<15)))))
	state := uint64(0x9e3779b97f4a7c15)
	for i := range rows {
		lo, hi := strip(n, i, len(rows))
		state = state*6364136223846793005 + 1442695040888963407
		rows[i] = uint32(uint64(lo) + (state>>33)%uint64(max(1, hi-lo)))
	}
	return rows
}

// strip is the rows lo..hi-1 of the i-th of m equal strips of n rows.
func strip(n, i, m int) (lo, hi int) {
	return int(uint64(n) * uint64(i) / uint64(m)), int(uint64(n) * uint64(i+1) / uint64(m))
}

// sampled is a sample of all rows. It is made once for a plan.
func (s *sorter) sampled() []uint64 {
	if s.sample == nil {
		s.sample = sample(s.source(), s.rows)
	}
	return s.sample
}

// sampleOf is a sample that the caller may change.
func (s *sorter) sampleOf(src source, n int) []uint64 {
	if n == s.rows && src == s.source() {
		return slices.Clone(s.sampled())
	}
	return sample(src, n)
}

// countFalls is the number of codes that are below their predecessors.
func countFalls(codes []uint64) (falls int) {
	for i := 1; i < len(codes); i++ {
		if codes[i] < codes[i-1] {
			falls++
		}
	}
	return falls
}
