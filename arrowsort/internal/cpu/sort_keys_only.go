package cpu

import (
	"slices"

	"github.com/arrowsort/arrowsort/keyencode"
)

// countedKeyBits is the greatest length of the codes of keys that are sorted alone: a value is made for each code.
const countedKeyBits = 16

// sortsKeysOnly reports whether the result is the only key, and nothing else, and its codes are few and have all that
// its values have: those of floats say neither the sign of zero nor the bits of a NaN.
func (s *sorter) sortsKeysOnly() bool {
	keys, gather := s.job.Keys, s.job.Gather
	if s.numbers != nil || len(keys) != 1 || len(gather) != 1 {
		return false
	}
	key := keys[0].Column
	if gather[0] != key && !s.movesAsRanks(0, key) {
		return false
	}
	kind := s.job.Columns[key].Kind
	exact := kind >= keyencode.Int8 && kind <= keyencode.Uint64 || kind == keyencode.Decimal128 ||
		kind == keyencode.Decimal256
	return exact && s.plan.Words() == 1 && s.plan.WordBits(0) <= countedKeyBits && s.fewCodes()
}

// sortKeysOnly counts the rows of each code and writes its value as often: no row moves.
func (s *sorter) sortKeysOnly() error {
	p, err := s.countCodes(nil)
	if err != nil {
		return err
	}
	defer s.free(bytesOf(p.counters))
	values := s.columns[0].movers()[0]
	out, width, starts := values.out, values.width, p.shares[0].offsets
	return s.tiles(s.out, placeRows, func(_, lo, hi int) {
		code, found := slices.BinarySearch(starts, uint32(lo)) // the first one that begins at lo or after it
		if !found {
			code--
		}
		for ; lo < hi; code++ {
			end := s.rows
			if code+1 < len(starts) {
				end = int(starts[code+1])
			}
			if end = min(end, hi); lo < end {
				s.plan.Decode(0, []uint64{uint64(code)}, out[lo*width:][:width])
				repeat(out[lo*width:end*width], width)
				lo = end
			}
		}
	})
}

// repeat fills a buffer with its first width bytes.
func repeat(b []byte, width int) {
	for n := width; n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}
