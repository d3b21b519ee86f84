package keyencode

// A segment is a run of code words of one sort: a single word packed with bitRanges of fields, or the open words of a
// string.
type segment struct {
	first, words int
	bits         int        // live low bits of each word
	bitRanges    []bitRange // of a packed word
	open         bool       // the words hold bytes of strings
	key          int        // of open words
	from         int        // of open words: the byte of the strings that the first word begins at
}

// A bitRange puts bits of a field into a word: (code >> down & mask) << up.
type bitRange struct {
	field    int
	down, up int
	mask     uint64
	whole    bool  // all bits of the field: placed writes them where they belong
	placed   field // the field times 1 << up
}

// layOut makes the fields of all keys and places them in words: one after the other from the top, split where a word is
// full. Open words begin a word, and what follows them another. The bits of a word that is not full are its low bits.
func (p *Plan) layOut() {
	begin := 0
	for k := range p.keys {
		if !p.fieldsOf(k) {
			continue
		}
		p.pack(begin)
		begin = len(p.fields)
		from := p.keys[k].next
		words := (p.keys[k].stats.MaxLen - from + openBytes - 1) / openBytes
		p.addSegment(segment{words: words, bits: 64, open: true, key: k, from: from})
	}
	p.pack(begin)
}

// bitRangeOf is the bitRange of n bits of a field. A whole field needs no separate shift: the factor of its linear code
// includes it.
func bitRangeOf(i int, f field, down, up, n int) bitRange {
	pc := bitRange{
		field: i, down: down, up: up, mask: lowBits(n), placed: f,
		whole: n == f.bits && (f.part != partLimb || up == 0),
	}
	pc.placed.linear = f.times(1 << uint(up))
	return pc
}

func (p *Plan) addSegment(s segment) {
	s.first = p.words
	p.words += s.words
	p.segments = append(p.segments, s)
}

// pack places the fields from field begin on.
func (p *Plan) pack(begin int) {
	total := 0
	for _, f := range p.fields[begin:] {
		total += f.bits
	}
	word := segment{words: 1, bits: min(total, 64)}
	free := word.bits
	for i, f := range p.fields[begin:] {
		for left := f.bits; left > 0; {
			n := min(left, free)
			left, free, total = left-n, free-n, total-n
			word.bitRanges = append(word.bitRanges, bitRangeOf(begin+i, f, left, free, n))
			if free == 0 {
				p.addSegment(word)
				word = segment{words: 1, bits: min(total, 64)}
				free = word.bits
			}
		}
	}
}

// segment finds the segment of a word.
func (p *Plan) segment(word int) *segment {
	for i := range p.segments {
		if s := &p.segments[i]; word < s.first+s.words {
			return s
		}
	}
	return nil
}

// WordBits is the number of live low bits of a word: the bits above are zero in all codes.
func (p *Plan) WordBits(word int) int { return p.segment(word).bits }

// Next is the word that decides between rows that tie up to and including this word with this code in it; Words when no
// word does. It skips the words of a long string after the end of the one that the rows share.
func (p *Plan) Next(word int, code uint64) int {
	s := p.segment(word)
	if !s.open {
		return word + 1
	}
	if p.keys[s.key].Order == Descending {
		code = ^code
	}
	if code&0xff <= openEnds {
		return s.first + s.words
	}
	return word + 1
}

// Borders are the codes t of the leading word, rising, such that rows with a code above t are of a later class (value,
// NaN, null) of the leading key that varies than rows with t or less: one less than there are classes.
func (p *Plan) Borders() []uint64 {
	if len(p.fields) == 0 || len(p.segments[0].bitRanges) == 0 {
		return nil
	}
	f := &p.fields[0]
	k := &p.keys[f.key]
	classes := 0
	for _, n := range []int{k.stats.Values(), k.stats.NaNs, k.stats.Nulls} {
		classes += min(n, 1)
	}
	var borders []uint64
	for i := range classes - 1 {
		before := uint64(i)
		if k.Nulls == NullsAtEnd {
			before = f.top - uint64(classes-1) + before
		}
		borders = append(borders, (before+1)<<p.segments[0].bitRanges[0].up-1)
	}
	return borders
}
