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
