package keyencode

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

var (
	// ErrColumn is returned for a column whose buffers do not hold the rows that it claims, and for a key without
	// column.
	ErrColumn = errors.New("keyencode: invalid column")
	// ErrKind is returned for a kind that is not one of the constants.
	ErrKind = errors.New("keyencode: unknown kind of column")
)

// A Plan says how rows become codes: unsigned numbers of up to any length, held in 64-bit words, that compare as the
// rows do. The codes are as short as the statistics allow. Keys follow one another, the most significant first; each
// takes the bits that its values vary in, and one code more for each of NaN and null that occurs. Strings that are long
// go on in separate words, which decide only between rows that tie so far (see Next).
//
// A Plan borrows the columns' buffers until Detach. It is not changed by its methods: they may be called concurrently.
type Plan struct {
	layout
	rows int
}

// NewPlan makes the plan for some keys from their statistics, which cover all rows of the columns, one for each key.
func NewPlan(columns []Column, keys []Key, stats []Statistics) (*Plan, error) {
	if len(stats) != len(keys) {
		return nil, fmt.Errorf("%w: %d keys with %d statistics", ErrColumn, len(keys), len(stats))
	}
	plans, rows := make([]keyPlan, len(keys)), 0
	for i, k := range keys {
		if k.Column < 0 || k.Column >= len(columns) {
			return nil, fmt.Errorf("%w: key %q is column %d of %d", ErrColumn, k.Name, k.Column, len(columns))
		}
		c := &columns[k.Column]
		if c.Kind > Dictionary64 {
			return nil, fmt.Errorf("%w: key %q is of kind %d", ErrKind, k.Name, c.Kind)
		}
		plans[i] = newKeyPlan(c, k, stats[i])
		rows = stats[i].Rows
	}
	return &Plan{layOut(plans), rows}, nil
}

// Keys returns the keys of the plan, the most significant first.
func (p *Plan) Keys() []Key {
	keys := make([]Key, len(p.keys))
	for i := range keys {
		keys[i] = p.keys[i].Key
	}
	return keys
}

// Statistics returns the statistics of a key that the plan was made from.
func (p *Plan) Statistics(key int) Statistics { return *p.keys[key].stats }

// Words returns the number of 64-bit words of the longest code; 0 when all rows tie.
func (p *Plan) Words() int { return p.words }

// WordBits returns the number of live low bits of a word: the bits above are zero in all codes.
func (p *Plan) WordBits(word int) int { return p.wordGroup(word).bits }

// Next returns the word that decides between rows that tie up to and including this word with this code in it; Words
// when no word does. It skips the words of a long string after the end of the one that the rows share.
func (p *Plan) Next(word int, code uint64) int {
	s := p.wordGroup(word)
	if !s.ofStrings {
		return word + 1
	}
	if p.keys[s.key].Order == Descending {
		code = ^code
	}
	if code&0xff <= endsHere {
		return s.first + s.words
	}
	return word + 1
}

// Borders returns the codes t of the leading word, rising, such that rows with a code above t are of a later class
// (value, NaN, null) of the leading key that varies than rows with t or less: one less than there are classes.
func (p *Plan) Borders() []uint64 {
	if len(p.fields) == 0 || len(p.groups[0].bitRanges) == 0 {
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
		borders = append(borders, (before+1)<<p.groups[0].bitRanges[0].up-1)
	}
	return borders
}

// On returns the same plan bound to other columns of the same kinds that hold the same rows in any order: the codes do
// not change. Keys find their columns by Key.Column as before.
func (p *Plan) On(columns []Column) *Plan {
	return p.with(func(k *keyPlan) reader { return newReader(&columns[k.Column]) })
}

// Detach returns the plan without its columns, for printing and for its statistics.
func (p *Plan) Detach() *Plan { return p.with(func(*keyPlan) reader { return reader{} }) }

// with returns the plan with other columns.
func (p *Plan) with(read func(k *keyPlan) reader) *Plan {
	q := *p
	q.keys = slices.Clone(p.keys)
	for i := range q.keys {
		q.keys[i].reader = read(&q.keys[i])
	}
	return &q
}

// Sorted reports whether the statistics prove that no row sorts before its predecessor.
func (p *Plan) Sorted() bool {
	for i := range p.keys {
		switch s := p.keys[i].stats; {
		case s.Rising:
			return true
		case !s.Sorted:
			return false
		}
	}
	return true
}

// Reversed reports whether the statistics prove that every row sorts before its predecessor.
func (p *Plan) Reversed() bool {
	for i := range p.keys {
		switch s := p.keys[i].stats; {
		case s.Reversed:
			return true
		case !p.constant(i):
			return false
		}
	}
	return false
}

// constant reports whether all rows tie in a key.
func (p *Plan) constant(k int) bool {
	return p.KeyBits(k) == 0 &&
		!slices.ContainsFunc(p.groups, func(g wordGroup) bool { return g.ofStrings && g.key == k })
}

// radixBits is the digit width of Onesweep (paper, section 4), the one that String counts digits in.
const radixBits = 8

// String describes the plan in words, on one line.
func (p *Plan) String() string { return strings.Join(p.Lines(), "; ") }

// Lines describes the plan in words: a line for each key with the bits that it takes, then one for the whole code.
func (p *Plan) Lines() []string {
	lines := make([]string, 0, len(p.keys)+1)
	for i := range p.keys {
		lines = append(lines, p.describeKey(i))
	}
	code := p.describeCode()
	switch {
	case p.rows < 2 || p.words == 0:
	case p.Sorted():
		code += "; sorted already"
	case p.Reversed():
		code += "; in reverse order"
	}
	return append(lines, code)
}

// describeKey returns one key in words, such as "delay: int64, 11 live bits of 64, descending, no nulls".
func (p *Plan) describeKey(i int) string {
	k, s := &p.keys[i], p.keys[i].stats
	words, of := []string{k.Type}, ""
	if k.Collation != "" {
		words, of = append(words, "collation "+k.Collation), "sort keys of "
	}
	if k.encoding == encodingBytes && s.Values() > 0 {
		words = append(words, of+textLengths(k))
	}
	words = append(words, p.liveBits(i))
	if k.Order == Descending {
		words = append(words, "descending")
	} else {
		words = append(words, "ascending")
	}
	words = append(words, describeNulls(k))
	if s.Stride > 1 {
		words = append(words, fmt.Sprintf("stride %d", s.Stride))
	}
	return k.Name + ": " + strings.Join(words, ", ")
}

func textLengths(k *keyPlan) string {
	s := k.stats
	text := fmt.Sprintf("%d to %s", s.MinLen, plural(s.MaxLen, "byte"))
	if s.MinLen == s.MaxLen {
		text = plural(s.MaxLen, "byte")
	}
	if k.prefix > 0 && s.MinBytes != s.MaxBytes {
		text += fmt.Sprintf(", %d of them shared", k.prefix)
	}
	return text
}

// liveBits says how many bits a key takes, of how many its values have.
func (p *Plan) liveBits(i int) string {
	k := &p.keys[i]
	switch live := p.KeyBits(i); {
	case p.constant(i):
		return "constant"
	case k.encoding == encodingBytes:
		text := plural(live, "live bit")
		for _, s := range p.groups {
			if s.ofStrings && s.key == i {
				text += fmt.Sprintf(" and up to %s", plural(s.words, "word"))
			}
		}
		return text
	case k.kind.isDictionary():
		return fmt.Sprintf("ranks of %s", plural(live, "bit"))
	case k.kind == Bool:
		return plural(live, "live bit")
	default:
		return fmt.Sprintf("%s of %d", plural(live, "live bit"), 8*k.width)
	}
}

// KeyBits returns the number of bits that a key takes in the codes, the words of long strings apart.
func (p *Plan) KeyBits(key int) int {
	n := 0
	for i := range p.fields {
		if p.fields[i].key == key {
			n += p.fields[i].bits
		}
	}
	return n
}

func describeNulls(k *keyPlan) string {
	var some []string
	if n := k.stats.NaNs; n > 0 {
		some = append(some, plural(n, "NaN"))
	}
	if n := k.stats.Nulls; n > 0 {
		some = append(some, plural(n, "null"))
	}
	if some == nil {
		return "no nulls"
	}
	if k.Nulls == NullsAtStart {
		return strings.Join(some, " and ") + " at the start"
	}
	return strings.Join(some, " and ") + " at the end"
}

func (p *Plan) describeCode() string {
	bits, digits, ofStrings := 0, 0, false
	for _, s := range p.groups {
		bits += s.bits * s.words
		digits += (s.bits + radixBits - 1) / radixBits * s.words
		ofStrings = ofStrings || s.ofStrings
	}
	switch {
	case p.words == 0:
		return "all rows tie"
	case ofStrings:
		return fmt.Sprintf("a code of up to %s, the first of %s", plural(p.words, "word"), plural(p.WordBits(0), "bit"))
	case p.words > 1:
		return fmt.Sprintf("one %d-bit code in %d words, %s", bits, p.words, plural(digits, "digit"))
	}
	return fmt.Sprintf("one %d-bit code, %s", bits, plural(digits, "digit"))
}

// plural returns a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
