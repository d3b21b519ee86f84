package keyencode

import "encoding/binary"

// varyingWords is the number of leading words of 8 bytes whose bytes are compared.
const varyingWords = 8

// varyingBytes finds which of the first bytes of some strings are not the same in all of them. It compares the words
// that all strings have in full.
type varyingBytes struct {
	some  [varyingWords]uint64 // words of one of the strings
	bits  [varyingWords]uint64 // that vary
	same  int                  // leading words that do not vary
	words int                  // words that all strings have, without those at the end whose bytes all vary
}

// begin takes the first string in.
func (v *varyingBytes) begin(s []byte) {
	v.words = min(len(s)/8, varyingWords)
	v.same = v.words
	for j := range v.words {
		v.some[j] = binary.BigEndian.Uint64(s[8*j:])
	}
}

// shorten leaves the words that a string has.
func (v *varyingBytes) shorten(s []byte) {
	v.words = min(v.words, len(s)/8)
	v.same = min(v.same, v.words)
}

// add takes in a string that has all words. It reports whether one that was the same in all strings varies now.
func (v *varyingBytes) add(s []byte) bool {
	before := uint64(0)
	for j := range v.same {
		before |= binary.BigEndian.Uint64(s[8*j:]) ^ v.some[j]
	}
	for j := v.same; j < v.words; j++ {
		v.bits[j] |= binary.BigEndian.Uint64(s[8*j:]) ^ v.some[j]
	}
	if before == 0 {
		return false
	}
	for j := v.same - 1; j >= 0; j-- {
		if v.bits[j] = binary.BigEndian.Uint64(s[8*j:]) ^ v.some[j]; v.bits[j] != 0 {
			v.same = j
		}
	}
	return true
}

// trim leaves out words at the end of which all bytes vary.
func (v *varyingBytes) trim() {
	for v.words > v.same && nonzeroBytes(v.bits[v.words-1]) == 0xff {
		v.words--
	}
}

// sameBytes has a bit for each byte that does not vary.
func (v *varyingBytes) sameBytes() (mask uint64) {
	for j := range v.words {
		mask |= (nonzeroBytes(v.bits[j]) ^ 0xff) << (8 * j)
	}
	return mask
}

// nonzeroBytes has a bit for each byte of a word that is not zero, the lowest bit for the first byte.
func nonzeroBytes(word uint64) (mask uint64) {
	for i := range 8 {
		if word<<(8*i)>>56 != 0 {
			mask |= 1 << i
		}
	}
	return mask
}

// differingBytes has a bit for each of the leading bytes that two strings differ in.
func differingBytes(a, b string) (mask uint64) {
	for i := range min(len(a), len(b), 8*varyingWords) {
		if a[i] != b[i] {
			mask |= 1 << i
		}
	}
	return mask
}
