//go:build assert

package keyencode

import (
	"fmt"
	"math/bits"
)

// assertCodes checks that no code passes the live bits of its word: it would if a plan read other rows than it was made
// for, and a sort by digits would then go wrong in silence.
func assertCodes(p *Plan, word int, codes []uint64) {
	for i, c := range codes {
		if word < p.words && bits.Len64(c) > p.WordBits(word) {
			panic(fmt.Sprintf("keyencode: code %#x at position %d has more than the %d bits of word %d", c, i,
				p.WordBits(word), word))
		}
	}
}
