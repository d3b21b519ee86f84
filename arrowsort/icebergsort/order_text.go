package icebergsort

import (
	"fmt"
	"strings"
	"unicode"
)

// A term is a column of a sort order as it is written: a name, with or without a direction and a place for nulls.
type term struct {
	path       string
	descending bool
	nullsFirst bool
}

// parseOrder reads a sort order such as
//
//	origin, "arrival time" desc nulls last
//
// Names with other characters than letters, digits, _ and . stand in double quotes or backticks. As in Iceberg, nulls
// are first in ascending order and last in descending order, where the text does not say.
func parseOrder(text string) ([]term, error) {
	words, err := splitWords(text)
	if err != nil {
		return nil, fmt.Errorf("%w: sort order %q: %w", ErrOption, text, err)
	}
	var terms []term
	for len(words) > 0 {
		t, rest, err := cutTerm(words)
		if err != nil {
			return nil, fmt.Errorf("%w: sort order %q: %w", ErrOption, text, err)
		}
		terms, words = append(terms, t), rest
	}
	if len(terms) == 0 {
		return nil, fmt.Errorf("%w: the sort order is empty: name a column", ErrOption)
	}
	return terms, nil
}

// cutTerm reads the words of one column, and the comma after them.
func cutTerm(words []word) (t term, rest []word, err error) {
	if words[0].symbol() || words[0].value {
		return t, nil, fmt.Errorf("a column is missing at %q", words[0].text)
	}
	t.path, rest = words[0].text, words[1:]
	if next(rest, "asc", "desc") {
		t.descending, rest = strings.EqualFold(rest[0].text, "desc"), rest[1:]
	}
	t.nullsFirst = !t.descending
	if next(rest, "nulls") {
		if !next(rest[1:], "first", "last") {
			return t, nil, fmt.Errorf("nulls are first or last: column %s", t.path)
		}
		t.nullsFirst, rest = strings.EqualFold(rest[1].text, "first"), rest[2:]
	}
	switch {
	case len(rest) == 0:
		return t, nil, nil
	case rest[0].text != "," || rest[0].quoted:
		return t, nil, fmt.Errorf("%q follows column %s: give asc, desc, nulls first, nulls last or a comma",
			rest[0].text, t.path)
	case len(rest) == 1:
		return t, nil, fmt.Errorf("a column is missing after the last comma")
	}
	return t, rest[1:], nil
}

// A word is a name, a number, a text in quotes or a symbol.
type word struct {
	text   string
	quoted bool // as a name, in double quotes or backticks
	value  bool // a text in single quotes
}

// symbol reports whether a word is neither a name nor a value.
func (w word) symbol() bool {
	return !w.quoted && !w.value && w.text != "" && !isNameRune(rune(w.text[0])) && w.text[0] < 0x80
}

// next reports whether the first of some words is one of those, in any case.
func next(words []word, among ...string) bool {
	if len(words) == 0 || words[0].quoted || words[0].value {
		return false
	}
	for _, a := range among {
		if strings.EqualFold(words[0].text, a) {
			return true
		}
	}
	return false
}

// splitWords cuts a text into words. A quote within quotes is doubled.
func splitWords(text string) (words []word, err error) {
	for {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		if text == "" {
			return words, nil
		}
		w, rest, err := cutWord(text)
		if err != nil {
			return nil, err
		}
		words, text = append(words, w), rest
	}
}

func cutWord(text string) (w word, rest string, err error) {
	switch quote := text[0]; {
	case quote == '"' || quote == '`' || quote == '\'':
		var b strings.Builder
		for i := 1; i < len(text); i++ {
			if text[i] != quote {
				b.WriteByte(text[i])
				continue
			}
			if i+1 == len(text) || text[i+1] != quote {
				return word{text: b.String(), quoted: quote != '\'', value: quote == '\''}, text[i+1:], nil
			}
			b.WriteByte(quote)
			i++
		}
		return w, "", fmt.Errorf("the quote %c is not closed", quote)
	case strings.ContainsRune("<>!=", rune(quote)):
		n := 1
		for n < len(text) && n < 2 && strings.ContainsRune("=>", rune(text[n])) {
			n++
		}
		return word{text: text[:n]}, text[n:], nil
	}
	end := strings.IndexFunc(text, func(r rune) bool { return !isNameRune(r) })
	switch {
	case end < 0:
		end = len(text)
	case end == 0:
		end = 1
	}
	return word{text: text[:end]}, text[end:], nil
}

// isNameRune reports whether a name or a number has a character without quotes.
func isNameRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '.' || r == '-' || r == '+'
}
