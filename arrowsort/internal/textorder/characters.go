package textorder

import (
	"unicode"
	"unicode/utf8"
)

// tableRunes are the characters up to the end of Latin Extended-A: those of a table.
const tableRunes = 0x180

// A characterTable has the weights of single characters. A text whose characters have weights for themselves is encoded
// by it in a fraction of the time. In some languages two characters have weights together, such as ch in Czech. What
// a character and a pair have is found when they first come.
type characterTable struct {
	characters [tableRunes]character
	pairs      [tableRunes * tableRunes / 4]byte // two bits each, see apart

	second, third []byte // the levels of the last text
}

// A character is the weights of one.
type character struct {
	state     tableState
	plain     bool            // a code of one byte and a common secondary weight
	primary   weightsOf[byte] // codes
	secondary weightsOf[uint16]
	tertiary  weightsOf[uint16]
}

// weightsOf are a few weights.
type weightsOf[T byte | uint16] struct {
	number  uint8
	weights [6]T
}

func (w *weightsOf[T]) all() []T { return w.weights[:w.number] }

// set sets the weights, and reports whether they are so few.
func (w *weightsOf[T]) set(weights []T) bool {
	if len(weights) > len(w.weights) {
		return false
	}
	w.number = uint8(copy(w.weights[:], weights))
	return true
}

// A tableState says whether a character has weights for itself, or both of a pair have.
type tableState uint8

const (
	unseen tableState = iota
	alone
	joined
)

// append appends the sort key of a text if all of its characters have weights for themselves.
func (t *characterTable) append(e *localeEncoder, dst, text []byte) (_ []byte, ok bool) {
	l := &e.order.locale
	start, before := len(dst), rune(0)
	second := levelWriter{dst: t.second[:0], common: commonSecondary}
	third := levelWriter{dst: t.third[:0], common: commonTertiary}
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		if r >= tableRunes {
			return dst[:start], false
		}
		c := &t.characters[r]
		if c.state != alone && t.see(e, r) != alone || i > 0 && t.apart(e, before, r) != alone {
			return dst[:start], false
		}
		if c.plain {
			dst = append(dst, c.primary.weights[0])
			second.repeat()
		} else {
			dst = append(dst, c.primary.all()...)
			for _, weight := range c.secondary.all() {
				second.put(weight)
			}
		}
		for _, weight := range c.tertiary.all() {
			if weight == third.common {
				third.repeat()
			} else {
				third.put(weight)
			}
		}
		before = r
		i += size
	}
	t.second, t.third = second.end(), third.end()
	if l.strength == Primary {
		return dst, true
	}
	dst = append(append(dst, 0), t.second...)
	if l.strength == Secondary {
		return dst, true
	}
	return l.appendText(append(append(l.appendCase(dst, text), 0), t.third...), text), true
}

// see returns the state of a character. Digits that numbers are made of have no weights for themselves.
func (t *characterTable) see(e *localeEncoder, r rune) tableState {
	c := &t.characters[r]
	if c.state != unseen {
		return c.state
	}
	c.state = joined
	if e.order.numeric && unicode.IsNumber(r) {
		return c.state
	}
	primary, secondary, tertiary := e.weights(utf8.AppendRune(nil, r))
	var second, third []uint16
	for ; len(secondary) > 0; secondary = secondary[2:] {
		second = append(second, uint16(secondary[0])<<8|uint16(secondary[1]))
	}
	for _, weight := range tertiary {
		third = append(third, uint16(weight))
	}
	if c.primary.set(e.order.primaries.append(nil, primary)) && c.secondary.set(second) && c.tertiary.set(third) {
		c.state = alone
		c.plain = c.primary.number == 1 && c.secondary.number == 1 && c.secondary.weights[0] == commonSecondary
	}
	return c.state
}

// apart returns whether two characters that follow one another have weights for themselves.
func (t *characterTable) apart(e *localeEncoder, a, b rune) tableState {
	at := int(a)*tableRunes + int(b)
	bits, shift := &t.pairs[at/4], at%4*2
	if state := tableState(*bits >> shift & 3); state != unseen {
		return state
	}
	*bits |= byte(alone) << shift // for append
	second, third := t.second, t.third
	t.second, t.third = nil, nil // those of the text with the pair are in use
	text := utf8.AppendRune(utf8.AppendRune(nil, a), b)
	parts, ok := t.append(e, nil, text)
	if t.second, t.third = second, third; !ok || string(parts) != string(e.append(nil, text)) {
		*bits = *bits&^(3<<shift) | byte(joined)<<shift
	}
	return tableState(*bits >> shift & 3)
}
