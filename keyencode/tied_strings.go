package keyencode

import (
	"math"
	"math/bits"
)

// TiedStrings are TiedRows whose strings are at hand, in a cache. So the words of the rows of a run may begin where
// their strings differ.
type TiedStrings interface {
	// Strings finds the strings that a word of the given rows holds bytes of; nil is null. It reports false where
	// they are not at hand.
	Strings(dst [][]byte, word int, rows []uint32) bool
}

// sharedRows is the least number of rows of a run whose shared bytes are looked for.
const sharedRows = 16

// encodeStrings writes the next words of runs of rows, all of them the same word, from where the strings of each run
// differ. It reports false where the word is not one of strings at hand.
func (t *TieBreaker) encodeStrings(p *Plan, codes []uint64, tied TiedStrings, rows []uint32, runs []Run) bool {
	word := runs[0].Word
	s := p.segment(word)
	if !s.open {
		return false
	}
	if t.strings == nil {
		t.strings = make([][]byte, gatherRows)
	}
	for i := range runs {
		r := &runs[i]
		n := r.Hi - r.Lo
		from := s.from + (word-s.first)*openBytes + r.Skip
		if n >= sharedRows {
			shared := t.sharedBytes(tied, word, rows[:n], from)
			r.Skip, from = r.Skip+shared, from+shared
		}
		for lo := 0; lo < n; lo += len(t.strings) {
			block := t.strings[:min(len(t.strings), n-lo)]
			if !tied.Strings(block, word, rows[lo:lo+len(block)]) {
				return false
			}
			p.keys[s.key].openWords(codes[lo:], block, from)
		}
		codes, rows = codes[n:], rows[n:]
	}
	return true
}

// sharedBytes is the number of bytes from byte from on that the strings of some rows share.
func (t *TieBreaker) sharedBytes(tied TiedStrings, word int, rows []uint32, from int) int {
	shortest := math.MaxInt
	for at := from; ; at += 8 {
		first, differ := uint64(0), uint64(0)
		for lo := 0; lo < len(rows) && differ>>56 == 0; lo += len(t.strings) {
			block := t.strings[:min(len(t.strings), len(rows)-lo)]
			if !tied.Strings(block, word, rows[lo:lo+len(block)]) {
				return 0
			}
			if lo == 0 {
				first = bytesFrom(block[0], at)
			}
			for _, s := range block {
				differ |= bytesFrom(s, at) ^ first
				shortest = min(shortest, len(s))
			}
		}
		if differ != 0 || at+8 >= shortest {
			return max(0, min(at+bits.LeadingZeros64(differ)/8, shortest)-from)
		}
	}
}
