package keyencode

import (
	"math/bits"

	"github.com/arrowsort/arrowsort/internal/buffers"
)

// A layout is the fields of some keys and where they lie in the words of the codes.
type layout struct {
	keys   []keyPlan
	fields []field
	groups []wordGroup
	words  int
}

// A wordGroup is a run of code words of one sort: a single word packed with bitRanges of fields, or the words of long
// strings.
type wordGroup struct {
	first, words int
	bits         int        // live low bits of each word
	bitRanges    []bitRange // of a packed word
	ofStrings    bool       // the words hold bytes of strings
	key          int        // of words of strings
	from         int        // of words of strings: the byte of the strings that the first word begins at
}

// A bitRange puts bits of a field into a word: (code >> down & mask) << up.
type bitRange struct {
	field      int
	down, up   int
	mask       uint64
	wholeField bool  // all bits of the field: shifted writes them where they belong
	shifted    field // the field times 1 << up
}

// keyPlan is the part of a plan for one key.
type keyPlan struct {
	Key
	reader
	kind     Kind
	width    int
	encoding encoding
	stats    *Statistics
	word     affine // the field of words and windows
	wide     wide   // of decimals that span more than 64 bits
	prefix   int    // bytes that all strings share
	next     int    // the first byte of strings that no field has
}

func newKeyPlan(c *Column, k Key, s Statistics) keyPlan {
	return keyPlan{Key: k, reader: newReader(c), kind: c.Kind, width: c.ValueBytes(), encoding: c.encoding(), stats: &s}
}

// layOut makes the fields of all keys and places them in words: one after the other from the top, split where a word is
// full. Words of strings are whole words; fields after them begin another. The bits of a word that is not full are its
// low bits.
func layOut(keys []keyPlan) (out layout) {
	out.keys = keys
	begin := 0
	for k := range keys {
		if !out.fieldsOf(k) {
			continue
		}
		out.pack(begin)
		begin = len(out.fields)
		from := keys[k].next
		words := (keys[k].stats.MaxLen - from + stringWordBytes - 1) / stringWordBytes
		out.addGroup(wordGroup{words: words, bits: 64, ofStrings: true, key: k, from: from})
	}
	out.pack(begin)
	return out
}

// bitRangeOf returns the bitRange of n bits of a field. A whole field needs no separate shift: the factor of its linear
// code includes it.
func bitRangeOf(i int, f field, down, up, n int) bitRange {
	pc := bitRange{
		field: i, down: down, up: up, mask: buffers.LowBits(n), shifted: f,
		wholeField: n == f.bits && (f.part != partLimb || up == 0),
	}
	pc.shifted.affine = f.times(1 << uint(up))
	return pc
}

func (out *layout) addGroup(s wordGroup) {
	s.first = out.words
	out.words += s.words
	out.groups = append(out.groups, s)
}

// pack places the fields from field begin on.
func (out *layout) pack(begin int) {
	total := 0
	for _, f := range out.fields[begin:] {
		total += f.bits
	}
	word := wordGroup{words: 1, bits: min(total, 64)}
	free := word.bits
	for i, f := range out.fields[begin:] {
		for left := f.bits; left > 0; {
			n := min(left, free)
			left, free, total = left-n, free-n, total-n
			word.bitRanges = append(word.bitRanges, bitRangeOf(begin+i, f, left, free, n))
			if free == 0 {
				out.addGroup(word)
				word = wordGroup{words: 1, bits: min(total, 64)}
				free = word.bits
			}
		}
	}
}

// wordGroup finds the group of a word.
func (out *layout) wordGroup(word int) *wordGroup {
	for i := range out.groups {
		if s := &out.groups[i]; word < s.first+s.words {
			return s
		}
	}
	return nil
}

// A part is the part of a key that a field holds.
type part uint8

const (
	partClass        part = iota // whether a row is null, before a value that leaves no code free
	partWord                     // an ordered word, classes included
	partLimb                     // a limb of a wide decimal
	partLeadingBytes             // up to 8 bytes of a string, after the prefix that all share
	partLength                   // the length of a string
)

// A field is a number of up to 64 bits made from a row of one key.
type field struct {
	key  int
	part part
	bits int
	top  uint64 // the greatest code
	limb int    // of partLimb
	from int    // of partLeadingBytes: the first of them
	affine
}

// fieldsOf lays out key k: its fields, most significant first, and whether words of strings follow them.
func (out *layout) fieldsOf(k int) (ofStrings bool) {
	kp := &out.keys[k]
	s := kp.stats
	switch kp.encoding {
	case encodingWord:
		out.addWordField(k, partWord, s.Min[0], s.Max[0], s.unit())
	case encodingLimbs:
		out.addLimbFields(k)
	case encodingBytes:
		return out.addStringFields(k)
	default:
		out.addWordField(k, partWord, 0, 0, 1)
	}
	return false
}

// unit returns the common divisor of all differences between a key's words; 1 where all words are the same.
func (s *Statistics) unit() uint64 {
	if s.strided {
		return max(s.Stride, 1)
	}
	varying := s.Or ^ s.And
	return max(varying&-varying, 1)
}

// addWordField adds a field for words lo..hi in steps of unit, and for the classes of its key. The division by unit is
// exact: a shift by its power of two, then a multiplication by the inverse of the odd rest.
func (out *layout) addWordField(k int, part part, lo, hi, unit uint64) {
	kp := &out.keys[k]
	span := (hi - lo) / unit
	shift := uint(bits.TrailingZeros64(unit))
	c := out.classes(k, span)
	top := c.extra + span
	if kp.stats.Values() == 0 {
		top = max(c.extra, 1) - 1
	}
	l := c.affine(kp.Order, span, inverse(unit>>shift))
	l.base, l.shift = lo, shift
	kp.word = l
	out.addField(field{key: k, part: part, top: top, affine: l, from: kp.prefix})
}

// classes finds the codes of the classes of key k, whose values have the codes 0..last. Where those leave no code free,
// a bit before them separates null from value.
func (out *layout) classes(k int, last uint64) classCodes {
	kp := &out.keys[k]
	s := kp.stats
	c := placeClasses(s.Values(), s.NaNs, s.Nulls, kp.Nulls, last)
	if s.Values() == 0 || last <= ^uint64(0)-c.extra {
		return c
	}
	c = placeClasses(s.Values(), s.NaNs, s.Nulls, kp.Nulls, 0)
	out.addField(field{key: k, part: partClass, top: 1, affine: affine{bias: c.first, null: c.null}})
	return classCodes{}
}

func (out *layout) addField(f field) {
	if f.bits = bits.Len64(f.top); f.bits > 0 {
		out.fields = append(out.fields, f)
	}
}

func (out *layout) addLimbFields(k int) {
	kp := &out.keys[k]
	s := kp.stats
	span := uint256(s.Max).sub(s.Min)
	if span.compare(uint256{^uint64(0)}) <= 0 {
		out.addWordField(k, partWord, s.Min[0], s.Max[0], s.unit())
		return
	}
	shift := uint(min(bits.TrailingZeros64(s.Or^s.And), 63))
	span = span.shr(shift)
	kp.wide = wide{base: s.Min, last: span, shift: shift, descending: kp.Order == Descending}
	top := 3
	for span[top] == 0 && top > 0 {
		top--
	}
	c := out.classes(k, span[top])
	for l := top; l >= 0; l-- {
		f := field{key: k, part: partLimb, top: ^uint64(0), limb: l}
		if l == top {
			f.top = span[top] + c.extra
			f.bias, f.null = c.first, c.null
		}
		out.addField(f)
	}
}

func (out *layout) addStringFields(k int) (ofStrings bool) {
	kp := &out.keys[k]
	s := kp.stats
	if s.Values() == 0 {
		out.addWordField(k, partLeadingBytes, 0, 0, 1)
		return false
	}
	kp.prefix = commonPrefix(s.MinBytes, s.MaxBytes)
	kp.next = kp.prefix
	for left := 8; left == 8 || left > 0 && kp.next < s.MaxLen; {
		n := s.varyingRun(kp.next, left)
		out.addBytesField(k, kp.next, n)
		kp.next += n
		kp.next += s.commonRun(kp.next)
		left -= max(n, 1)
	}
	if kp.next < s.MaxLen {
		return true
	}
	if s.ZeroEnd {
		out.addLengthField(k)
	}
	return false
}

// minCommonBytes is the least number of bytes in a row that all strings share and the code leaves out: the bytes after
// them form a new field.
const minCommonBytes = 4

// commonRun returns the number of bytes from byte from on that all strings share, 0 if they are few.
func (s *Statistics) commonRun(from int) int {
	if n := bits.TrailingZeros64(^(s.CommonBytes >> uint(from))); n >= minCommonBytes {
		return n
	}
	return 0
}

// varyingRun returns the number of bytes from byte from on, most at most, up to the end of the longest string or to
// bytes that are the same in all.
func (s *Statistics) varyingRun(from, most int) int {
	n := 0
	for n < most && from+n < s.MaxLen && (n == 0 || s.commonRun(from+n) == 0) {
		n++
	}
	return n
}

// addBytesField adds a field for n bytes of strings. The first one of a key has the codes of its classes, too.
func (out *layout) addBytesField(k, from, n int) {
	kp := &out.keys[k]
	unit := max(uint64(1)<<(8*uint(8-n)), 1) // 1 without bytes, too
	if from == kp.prefix {
		lo, hi := buffers.BytesFrom([]byte(kp.stats.MinBytes), from), buffers.BytesFrom([]byte(kp.stats.MaxBytes), from)
		out.addWordField(k, partLeadingBytes, lo&^(unit-1), hi&^(unit-1), unit)
		return
	}
	var none classCodes
	l := none.affine(kp.Order, buffers.LowBits(8*n), 1)
	l.shift = uint(64 - 8*n)
	out.addField(field{key: k, part: partLeadingBytes, top: buffers.LowBits(8 * n), affine: l, from: from})
}

// addLengthField orders strings that differ only in zero bytes at their ends.
func (out *layout) addLengthField(k int) {
	kp := &out.keys[k]
	span := uint64(kp.stats.MaxLen - kp.stats.MinLen)
	var none classCodes
	l := none.affine(kp.Order, span, 1)
	l.base = uint64(kp.stats.MinLen)
	out.addField(field{key: k, part: partLength, top: span, affine: l})
}

func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
