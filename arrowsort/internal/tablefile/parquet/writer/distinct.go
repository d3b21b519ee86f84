package writer

// A sample of a few stretches of rows finds most columns that are no better with a dictionary, before all their values
// are numbered: where nearly all values of a stretch differ. Of as many different values as pay, in no order, there are
// more that repeat.
const (
	stretches    = 3
	stretchRows  = 1 << 12
	distinctFrom = stretchRows - stretchRows/100 // of a stretch; in no order numberEntries values have fewer
	stretchBits  = 14
)

// stretchTable is a set of hashes.
type stretchTable [1 << stretchBits]uint64

// allDiffer reports whether nearly all values of each stretch differ, by their hashes.
func (t *stretchTable) allDiffer(v *flatValues, hashAt func(row int) uint64) bool {
	if v.rows < 2*stretches*stretchRows {
		return false
	}
	for s := range stretches {
		first := s * (v.rows - stretchRows) / (stretches - 1)
		if t.distinct(v, first, hashAt) < distinctFrom {
			return false
		}
	}
	return true
}

// distinct counts the values of a stretch from a row on; a null is none.
func (t *stretchTable) distinct(v *flatValues, first int, hashAt func(row int) uint64) (n int) {
	clear(t[:])
	for row := first; row < first+stretchRows; row++ {
		if !v.valid(row) {
			continue
		}
		h := hashAt(row) | 1 // 0 is an empty slot
		slot := h >> (64 - stretchBits)
		for t[slot] != 0 && t[slot] != h {
			slot = (slot + 1) % uint64(len(t))
		}
		if t[slot] == 0 {
			t[slot] = h
			n++
		}
	}
	return n
}
