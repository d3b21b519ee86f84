package main

import (
	"strings"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// keyText is a key as it is typed behind -k. Keys by position are shown by their position.
func keyText(key arrowsort.Key) string {
	text := key.Path
	if text == "" {
		text = tablefile.Label(key.Index)
	}
	_, tail, found := cutLast(text)
	all := found && isModifier(tail) // a name that ends as a modifier does
	switch {
	case key.Order == arrowsort.Descending:
		text += ":desc"
	case all:
		text += ":asc"
	}
	switch {
	case key.Nulls == arrowsort.NullsAtStart:
		text += ":nulls-first"
	case all:
		text += ":nulls-last"
	}
	return text
}

func isModifier(s string) bool {
	s = strings.ToLower(s)
	return s == "asc" || s == "desc" || s == "nulls-first" || s == "nulls-last"
}

// keyTexts are keys as they are typed.
func keyTexts(keys []arrowsort.Key) []string {
	texts := make([]string, len(keys))
	for i, k := range keys {
		texts[i] = keyText(k)
	}
	return texts
}

// keyList is some keys in a sentence.
func keyList(keys []arrowsort.Key) string { return strings.Join(keyTexts(keys), ", ") }
