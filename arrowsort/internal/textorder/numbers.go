package textorder

import "bytes"

// A naturalEncoder orders runs of the digits 0 to 9 by the numbers that they make, and all else by bytes:
//
//	byte          a byte of the text that is no digit; 00 is 00 ff
//	30 n digits   a run: the number of digits without leading zeros, see appendCount, and these
//	00 00 z ...   after the text, if a run has leading zeros: their number, for each run up to the last that has some
//
// So a run lies where the bytes of digits do, and a longer number after all shorter ones. Leading zeros decide between
// texts that differ in nothing else.
type naturalEncoder struct{}

func (naturalEncoder) Close() {}

func (naturalEncoder) Append(dst, text []byte) []byte {
	zeros := 0 // numbers with leading zeros and those before them
	for i, run := 0, 0; i < len(text); {
		if !isDigit(text[i]) {
			if dst = append(dst, text[i]); text[i] == 0 {
				dst = append(dst, 0xff)
			}
			i++
			continue
		}
		digits := digitsAt(text, i)
		number := bytes.TrimLeft(digits, "0")
		dst = appendCount(append(dst, '0'), len(number))
		dst = append(dst, number...)
		if run++; len(number) < len(digits) {
			zeros = run
		}
		i += len(digits)
	}
	if zeros == 0 {
		return dst
	}
	dst = append(dst, 0, 0)
	for i := 0; zeros > 0; {
		if !isDigit(text[i]) {
			i++
			continue
		}
		digits := digitsAt(text, i)
		dst = appendCount(dst, len(digits)-len(bytes.TrimLeft(digits, "0")))
		i += len(digits)
		zeros--
	}
	return dst
}

func isDigit(b byte) bool { return b-'0' <= 9 }

// digitsAt returns the digits from a position on.
func digitsAt(text []byte, at int) []byte {
	end := at
	for end < len(text) && isDigit(text[end]) {
		end++
	}
	return text[at:end]
}

// appendCount appends a number whose bytes order as it does, and of which none begins another: as many bytes ff as it
// has 255s, then the remainder.
func appendCount(dst []byte, n int) []byte {
	for ; n >= 0xff; n -= 0xff {
		dst = append(dst, 0xff)
	}
	return append(dst, byte(n))
}

// A numericEncoder orders texts by the number that they begin with, after blanks and tabs: a minus sign, digits, a
// point and digits, of which one digit must be there. Texts that begin with no number come last, by their bytes.
//
//	00 n digits decimals ff   a negative number; all bits between 00 and ff are inverted
//	01                        zero
//	02 n digits decimals      a positive number: the number of digits before the point, see appendCount, these without
//	                          leading zeros, and decimals without zeros at the end
//	03 text                   no number
type numericEncoder struct{}

func (numericEncoder) Close() {}

const (
	classNegative = iota
	classZero
	classPositive
	classText
)

func (numericEncoder) Append(dst, text []byte) []byte {
	rest := bytes.TrimLeft(text, " \t")
	rest, negative := bytes.CutPrefix(rest, []byte("-"))
	digits := digitsAt(rest, 0)
	var decimals []byte
	if at := len(digits); at < len(rest) && rest[at] == '.' {
		decimals = digitsAt(rest, at+1)
	}
	if len(digits)+len(decimals) == 0 {
		return append(append(dst, classText), text...)
	}
	digits, decimals = bytes.TrimLeft(digits, "0"), bytes.TrimRight(decimals, "0")
	switch {
	case len(digits)+len(decimals) == 0:
		return append(dst, classZero)
	case negative:
		dst = append(dst, classNegative)
	default:
		dst = append(dst, classPositive)
	}
	start := len(dst)
	dst = append(append(appendCount(dst, len(digits)), digits...), decimals...)
	if !negative {
		return dst
	}
	for i := range dst[start:] {
		dst[start+i] ^= 0xff
	}
	return append(dst, 0xff)
}
