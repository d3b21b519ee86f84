package keyencode

// A Digit is a run of adjacent bits of the codes.
type Digit struct {
	Word, Shift, Bits int
}

// Digits are the digits for a radix sort from the least significant digit on, of at most radixBits bits each and as
// equal as possible within a word.
func (p *Plan) Digits(radixBits int) []Digit {
	var digits []Digit
	for word := p.words - 1; word >= 0; word-- {
		shift, left := 0, p.WordBits(word)
		for n := (left + radixBits - 1) / radixBits; n > 0; n-- {
			width := (left + n - 1) / n
			digits = append(digits, Digit{word, shift, width})
			shift, left = shift+width, left-width
		}
	}
	return digits
}

// Histograms adds to counts[i][v] the number of rows lo..hi-1 whose digit i has the value v, all digits in one read:
// the upfront histograms of Onesweep (paper, section 4.1).
func (p *Plan) Histograms(digits []Digit, lo, hi int, counts [][]uint64) {
	var codes [blockRows]uint64
	for ; lo < hi; lo += blockRows {
		block := codes[:min(blockRows, hi-lo)]
		word := -1
		for i, d := range digits {
			if d.Word != word {
				word = d.Word
				p.encodeWord(block, word, lo)
			}
			mask, bins := lowBits(d.Bits), counts[i]
			for _, c := range block {
				bins[c>>uint(d.Shift)&mask]++
			}
		}
	}
}
