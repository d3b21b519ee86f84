// Package textorder turns texts into bytes that compare, as unsigned bytes, as an order of the texts does: that of a
// locale, one without regard to case, or one by the numbers in them. docs/ordering.md defines the orders.
package textorder

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/transform"
)

// A Collation is an order of text. It is written as in the flag -k: empty, nocase, natural, numeric, or the tag of a
// locale, such as de or de-u-kn. Collations that are equal after Resolve are the same order.
type Collation string

// The orders without a locale.
const (
	Bytes    Collation = ""        // by bytes
	FoldCase Collation = "nocase"  // by bytes after case folding
	Natural  Collation = "natural" // digits by the numbers that they make, all else by bytes
	Numeric  Collation = "numeric" // by the number that the text begins with
)

// Strength is the least difference that an order of a locale has.
type Strength uint8

// The zero value is Tertiary.
const (
	Tertiary  Strength = iota // letters, then accents, then case and variants
	Primary                   // letters
	Secondary                 // letters, then accents
	Identical                 // letters, accents, case and variants, then bytes
)

// LocaleOptions are options of Locale.
type LocaleOptions struct {
	Strength   Strength
	Numeric    bool // digits compare by the numbers that they make
	UpperFirst bool // upper case before lower case, where texts differ in nothing else
}

// Locale returns the order of a locale: of a language tag by BCP 47, which may have options as well. An unknown locale
// is an error of the call that uses it.
func Locale(tag string, opts LocaleOptions) Collation {
	l, err := parseLocale(tag)
	if err != nil {
		return Collation(unknown + tag)
	}
	if opts.Strength != Tertiary {
		l.strength = opts.Strength
	}
	l.numeric = l.numeric || opts.Numeric
	l.upperFirst = l.upperFirst || opts.UpperFirst
	return Collation(l.String())
}

// unknown begins the collation of a locale that is none.
const unknown = "locale "

// Resolve returns the collation in its canonical form, or an error that names what is unknown.
func (c Collation) Resolve() (Collation, error) {
	switch c {
	case Bytes, FoldCase, Natural, Numeric:
		return c, nil
	}
	l, err := parseLocale(c.Tag())
	if err != nil {
		return c, err
	}
	return Collation(l.String()), nil
}

// Tag returns the tag of a collation of a locale, also of an unknown one.
func (c Collation) Tag() string { return strings.TrimPrefix(string(c), unknown) }

// Words describes the order, to follow the name of a column.
func (c Collation) Words() string {
	switch c {
	case Bytes:
		return "by bytes"
	case FoldCase:
		return "without regard to case"
	case Natural:
		return "in natural order"
	case Numeric:
		return "by number"
	}
	return "by the rules of " + c.Tag()
}

// errLocale explains where locales come from.
var errLocale = errors.New("give the tag of a language, such as de or de-u-co-phonebk, or nocase, natural or numeric")

func unknownLocale(tag string, why error) error {
	return fmt.Errorf("unknown locale %s: %w", strconv.Quote(tag), why)
}

// An Encoder turns texts into the bytes of one collation. It is used by one goroutine at a time.
type Encoder interface {
	// Append appends the bytes of a text.
	Append(dst, text []byte) []byte
	// Close gives the encoder back, for others to use.
	Close()
}

// NewEncoder returns an encoder of a collation that Resolve returned.
func NewEncoder(c Collation) Encoder {
	switch c {
	case Bytes:
		return bytesEncoder{}
	case FoldCase:
		return newFoldEncoder()
	case Natural:
		return naturalEncoder{}
	case Numeric:
		return numericEncoder{}
	}
	return newLocaleEncoder(c)
}

// Lowered returns an encoder of texts in lower case. It takes over the one that encodes these.
func Lowered(e Encoder) Encoder { return &loweredEncoder{Encoder: e} }

// A loweredEncoder maps each code point to its lower case, one to one. Bytes that are not UTF-8 stay.
type loweredEncoder struct {
	Encoder
	lower []byte // that was encoded last
}

func (e *loweredEncoder) Append(dst, text []byte) []byte {
	e.lower = e.lower[:0]
	for len(text) > 0 {
		r, n := rune(text[0]), 1
		switch {
		case 'A' <= r && r <= 'Z':
			e.lower = append(e.lower, text[0]+'a'-'A')
		case r < utf8.RuneSelf:
			e.lower = append(e.lower, text[0])
		default:
			if r, n = utf8.DecodeRune(text); n == 1 {
				e.lower = append(e.lower, text[0])
			} else {
				e.lower = utf8.AppendRune(e.lower, unicode.ToLower(r))
			}
		}
		text = text[n:]
	}
	return e.Encoder.Append(dst, e.lower)
}

// A bytesEncoder keeps the bytes as they are.
type bytesEncoder struct{}

func (bytesEncoder) Append(dst, text []byte) []byte { return append(dst, text...) }

func (bytesEncoder) Close() {}

// A foldEncoder folds the case of text, as Unicode's full case folding does: ß is ss. Bytes that are not UTF-8 stay.
type foldEncoder struct{ fold cases.Caser }

// foldEncoders are those that are not in use: a Caser is for one goroutine at a time.
var foldEncoders = sync.Pool{New: func() any { return &foldEncoder{cases.Fold()} }}

func newFoldEncoder() Encoder { return foldEncoders.Get().(*foldEncoder) }

func (e *foldEncoder) Close() { foldEncoders.Put(e) }

func (e *foldEncoder) Append(dst, text []byte) []byte {
	for i, b := range text {
		if b >= utf8.RuneSelf {
			return e.appendFolded(dst, text[i:])
		}
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		dst = append(dst, b)
	}
	return dst
}

// appendFolded appends text of any characters.
func (e *foldEncoder) appendFolded(dst, text []byte) []byte {
	for room := 2 * len(text); ; room *= 2 {
		n := len(dst)
		dst = append(dst, make([]byte, room)...)
		e.fold.Reset()
		written, read, err := e.fold.Transform(dst[n:], text, true)
		dst, text = dst[:n+written], text[read:]
		if err != transform.ErrShortDst {
			return dst
		}
	}
}
