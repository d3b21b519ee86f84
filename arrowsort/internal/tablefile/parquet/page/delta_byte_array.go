package page

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// Text has two encodings by differences in parquet-format's Encodings.md:
//
//	DELTA_LENGTH_BYTE_ARRAY: lengths, DELTA_BINARY_PACKED | the bytes of all texts
//	DELTA_BYTE_ARRAY:        lengths of the prefixes that texts have in common with the one before,
//	                         DELTA_BINARY_PACKED | what follows the prefixes, DELTA_LENGTH_BYTE_ARRAY
//
// Both are made from texts in plain encoding, each after its length in four bytes, and are decoded to that.

// appendTexts encodes texts, with prefixes or without. lengths is memory for those of the texts and their prefixes.
func appendTexts(out, plain []byte, prefixed bool, lengths *[2][]int32) []byte {
	prefixes, suffixes := lengths[0][:0], lengths[1][:0]
	var before []byte
	for b := plain; len(b) > 0; {
		text, rest := nextPlain(b, 0)
		prefix := 0
		if prefixed {
			prefix = commonPrefix(before, text)
		}
		prefixes, suffixes = append(prefixes, int32(prefix)), append(suffixes, int32(len(text)-prefix))
		before, b = text, rest
	}
	if prefixed {
		out = appendDeltas(out, prefixes)
	}
	out = slices.Grow(appendDeltas(out, suffixes), len(plain))
	for _, prefix := range prefixes {
		text, rest := nextPlain(plain, 0)
		out, plain = append(out, text[prefix:]...), rest
	}
	*lengths = [2][]int32{prefixes, suffixes}
	return out
}

// commonPrefix returns the length of the prefix that two texts have in common.
func commonPrefix(a, b []byte) (n int) {
	for n+8 <= min(len(a), len(b)) && binary.LittleEndian.Uint64(a[n:]) == binary.LittleEndian.Uint64(b[n:]) {
		n += 8
	}
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// texts are the texts of a page, of which the lengths are decoded.
type texts struct {
	prefixes, suffixes []int32 // lengths; no prefixes: there are none
	bytes              []byte  // of the suffixes
	size               int     // of all texts in plain encoding
}

// readTexts decodes as many lengths as suffixes has, after those of the prefixes, if there are any.
func readTexts(b []byte, prefixes, suffixes []int32) (t texts, err error) {
	if prefixes != nil {
		if b, err = readDeltas(prefixes, b); err != nil {
			return t, err
		}
	}
	if b, err = readDeltas(suffixes, b); err != nil {
		return t, err
	}
	t = texts{prefixes: prefixes, suffixes: suffixes, bytes: b}
	return t, t.measure()
}

// measure finds the size, and makes sure that the suffixes are the bytes that follow the lengths.
func (t *texts) measure() error {
	before, prefix, left := int32(0), int32(0), len(t.bytes)
	for i, suffix := range t.suffixes {
		if t.prefixes != nil {
			prefix = t.prefixes[i]
		}
		if prefix < 0 || prefix > before || suffix < 0 || int(suffix) > left || suffix > math.MaxInt32-prefix {
			return errkind.Corrupt("a text has %d bytes of the one before, which has %d, and %d of the %d that "+
				"follow", prefix, before, suffix, left)
		}
		left -= int(suffix)
		before = prefix + suffix
		if t.size += lengthBytes + int(before); t.size > math.MaxInt32 {
			return errkind.Unsupported("a page with more than 2 GiB of text")
		}
	}
	if left > 0 {
		return errkind.Corrupt("%d bytes follow the last text of a page", left)
	}
	return nil
}

// appendTo appends the texts in plain encoding.
func (t *texts) appendTo(plain []byte) []byte {
	before, prefix, b := 0, 0, t.bytes // where the text before begins
	for i, suffix := range t.suffixes {
		if t.prefixes != nil {
			prefix = int(t.prefixes[i])
		}
		plain = binary.LittleEndian.AppendUint32(plain, uint32(prefix)+uint32(suffix))
		start := len(plain)
		plain = append(append(plain, plain[before:before+prefix]...), b[:suffix]...)
		before, b = start, b[suffix:]
	}
	return plain
}
