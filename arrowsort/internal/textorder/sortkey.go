package textorder

import (
	"bytes"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/collate"
	"golang.org/x/text/unicode/norm"
)

// A localeOrder is the order of a locale, with what its encoders share.
type localeOrder struct {
	locale
	primaries primaryCodes
	unused    sync.Pool // of *localeEncoder
}

// localeOrders are the orders that were used, by their Collation.
var localeOrders sync.Map

func newLocaleEncoder(c Collation) Encoder {
	order, known := localeOrders.Load(c)
	if !known {
		l, err := parseLocale(string(c))
		if err != nil {
			panic(err) // Resolve comes first
		}
		order, _ = localeOrders.LoadOrStore(c, newLocaleOrder(l))
	}
	o := order.(*localeOrder)
	if e, reused := o.unused.Get().(*localeEncoder); reused {
		return e
	}
	return &localeEncoder{order: o, collator: o.collator()}
}

func newLocaleOrder(l locale) *localeOrder {
	o := &localeOrder{locale: l}
	o.primaries.choose(&localeEncoder{order: o, collator: l.collator()})
	return o
}

// A localeEncoder makes the sort keys of UTS #10, Unicode Collation Algorithm. Those of package collate of
// golang.org/x/text are the primary weights, of 2 or 3 bytes each, 00 00, the secondary weights of 2 bytes, 00 00, and
// the tertiary weights of a byte. Here they end with the level of the strength, and are shorter, see primaryCodes and
// levelWriter:
//
//	codes of primary weights
//	00      secondary weights
//	00      case, if upper case comes first
//	00      tertiary weights
//	00      the text, if the strength is Identical
type localeEncoder struct {
	order    *localeOrder
	collator *collate.Collator
	buffer   collate.Buffer
	encoded  int
	table    *characterTable // nil at first: few texts do without
}

func (e *localeEncoder) Close() { e.order.unused.Put(e) }

// textsBeforeTable are the texts that take about as long as the memory of a table.
const textsBeforeTable = 64

func (e *localeEncoder) Append(dst, text []byte) []byte {
	if e.table == nil {
		if e.encoded++; e.encoded < textsBeforeTable || e.order.backwards { // of which the table has no order
			return e.append(dst, text)
		}
		e.table = new(characterTable)
	}
	if encoded, ok := e.table.append(e, dst, text); ok {
		return encoded
	}
	return e.append(dst, text)
}

// weights returns the levels of the sort key of package collate, until the next call.
func (e *localeEncoder) weights(text []byte) (primary, secondary, tertiary []byte) {
	e.buffer.Reset()
	return levels(e.collator.Key(&e.buffer, text))
}

// append is Append for any text.
func (e *localeEncoder) append(dst, text []byte) []byte {
	valid := text
	if !utf8.Valid(text) {
		valid = bytes.ToValidUTF8(text, []byte(string(utf8.RuneError)))
	}
	primary, secondary, tertiary := e.weights(valid)
	dst = e.order.primaries.append(dst, primary)
	if e.order.strength == Primary {
		return dst
	}
	w := levelWriter{dst: append(dst, 0), common: commonSecondary}
	for ; len(secondary) > 0; secondary = secondary[2:] {
		w.put(uint16(secondary[0])<<8 | uint16(secondary[1]))
	}
	if dst = w.end(); e.order.strength == Secondary {
		return dst
	}
	w = levelWriter{dst: append(e.order.appendCase(dst, text), 0), common: commonTertiary}
	for _, weight := range tertiary {
		w.put(uint16(weight))
	}
	return e.order.appendText(w.end(), text)
}

// appendText appends the text after the last level if the strength is Identical.
func (l *locale) appendText(dst, text []byte) []byte {
	if l.strength != Identical {
		return dst
	}
	return append(append(dst, 0), text...)
}

// levels returns the parts of a sort key of package collate.
func levels(key []byte) (primary, secondary, tertiary []byte) {
	at := 0
	for key[at] != 0 || key[at+1] != 0 {
		if at += 2; key[at-2] >= 0x80 {
			at++
		}
	}
	primary, key = key[:at], key[at+2:]
	for at = 0; key[at] != 0 || key[at+1] != 0; {
		at += 2
	}
	return primary, key[:at], key[at+2:]
}

// primaryCodes are short codes of primary weights, which order as these: a byte for those of the characters of ASCII,
// which are common. Between two of them lies a byte that the 2 or 3 bytes of other weights follow.
//
//	01 weight   less than the first common weight
//	02          the first common weight
//	03 weight   more, and less than the second
//	04          the second common weight
//	...
type primaryCodes struct {
	of   [1 << 15]byte // the first byte for weights of 2 bytes
	last byte          // for others, which are more
}

// choose makes codes by an encoder.
func (c *primaryCodes) choose(e *localeEncoder) {
	var common []int
	for a := range byte(utf8.RuneSelf) {
		if primary, _, _ := e.weights([]byte{a}); len(primary) == 2 {
			common = append(common, int(primary[0])<<8|int(primary[1]))
		}
	}
	slices.Sort(common)
	common = slices.Compact(common)
	c.last = 1
	for weight := range c.of {
		if c.of[weight] = c.last; len(common) > 0 && weight == common[0] {
			c.of[weight], c.last, common = c.last+1, c.last+2, common[1:]
		}
	}
}

// append appends the codes of weights of 2 or 3 bytes.
func (c *primaryCodes) append(dst, weights []byte) []byte {
	for len(weights) > 0 {
		if weights[0] >= 0x80 {
			dst = append(append(dst, c.last), weights[:3]...)
			weights = weights[3:]
			continue
		}
		code := c.of[int(weights[0])<<8|int(weights[1])]
		if dst = append(dst, code); code%2 != 0 {
			dst = append(dst, weights[0], weights[1])
		}
		weights = weights[2:]
	}
	return dst
}

// The weights that most characters have.
const (
	commonSecondary = 0x20
	commonTertiary  = 0x02
)

// appendCase appends the level of case if upper case comes first: a weight for each letter that has a case, after
// compatibility decomposition, as a ligature has the weights of its letters. Tertiary weights do not do, as those of
// tailored letters only count on from the first.
func (l *locale) appendCase(dst, text []byte) []byte {
	if !l.upperFirst {
		return dst
	}
	const upper, lower = 1, 2
	w := levelWriter{dst: append(dst, 0), common: lower}
	for len(text) > 0 {
		_, size := utf8.DecodeRune(text)
		letters := text[:size]
		if size > 1 { // ASCII has no parts
			if parts := norm.NFKD.Properties(text).Decomposition(); parts != nil {
				letters = parts
			}
		}
		for _, r := range string(letters) {
			switch {
			case unicode.IsUpper(r):
				w.put(upper)
			case unicode.IsLower(r):
				w.put(lower)
			}
		}
		text = text[size:]
	}
	return w.end()
}

// A levelWriter writes the weights of a level, of which most are common, as follows:
//
//	01 to 1f              a weight that is less than the common one
//	20 to 5e              1 to 63 common weights, then less or the end
//	5f                    64 common weights, and what follows these
//	60 to 9e              63 to 1 common weights, then more
//	a0 to af, 00 to ff    a weight that is more than the common one
//
// The bytes order as the weights do: a run of common weights that is followed by less comes before a longer run, one
// that is followed by more after it.
type levelWriter struct {
	dst    []byte
	common uint16 // at most 0x20, as all that are less
	run    int    // common weights that are not written
}

// mostCommon are the common weights that a byte stands for.
const mostCommon = 64

// repeat writes a common weight.
func (w *levelWriter) repeat() {
	if w.run++; w.run == mostCommon {
		w.dst, w.run = append(w.dst, 0x5f), 0
	}
}

func (w *levelWriter) put(weight uint16) {
	switch {
	case weight == w.common:
		w.repeat()
	case weight < w.common:
		w.dst = append(w.end(), byte(weight))
	default:
		if w.run > 0 {
			w.dst, w.run = append(w.dst, byte(0x9f-w.run)), 0
		}
		w.dst = append(w.dst, 0xa0|byte(weight>>8), byte(weight))
	}
}

// end ends a run of common weights before less or the end, and returns all bytes.
func (w *levelWriter) end() []byte {
	if w.run > 0 {
		w.dst, w.run = append(w.dst, byte(0x1f+w.run)), 0
	}
	return w.dst
}
