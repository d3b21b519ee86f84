package keyencode

import (
	"fmt"
	"strings"
)

// RadixBits is the digit width of Onesweep (paper, section 4), the one that String counts digits in.
const RadixBits = 8

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

// describeKey is one key in words, such as "delay: int64, 11 live bits of 64, descending, no nulls".
func (p *Plan) describeKey(i int) string {
	k, s := &p.keys[i], p.keys[i].stats
	words := []string{k.Type}
	if k.shape == shapeBytes && s.Values() > 0 {
		words = append(words, textLengths(k))
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
	case k.shape == shapeBytes:
		text := plural(live, "live bit")
		for _, s := range p.segments {
			if s.open && s.key == i {
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

// KeyBits is the number of bits that a key takes in the codes, the open words of long strings apart.
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
	bits, digits, open := 0, 0, false
	for _, s := range p.segments {
		bits += s.bits * s.words
		digits += (s.bits + RadixBits - 1) / RadixBits * s.words
		open = open || s.open
	}
	switch {
	case p.words == 0:
		return "all rows tie"
	case open:
		return fmt.Sprintf("a code of up to %s, the first of %s", plural(p.words, "word"), plural(p.WordBits(0), "bit"))
	case p.words > 1:
		return fmt.Sprintf("one %d-bit code in %d words, %s", bits, p.words, plural(digits, "digit"))
	}
	return fmt.Sprintf("one %d-bit code, %s", bits, plural(digits, "digit"))
}

// plural is a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
