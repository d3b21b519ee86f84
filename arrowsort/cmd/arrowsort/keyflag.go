package main

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

const keyHelp = "sort by `COLUMN`[:desc][:nulls-first]; again for further keys"

// A keyFlag is a key as it was written.
type keyFlag struct {
	text string
	key  arrowsort.Key
}

// parseKeys reads the keys of a command line, the most significant first.
func parseKeys(texts []string) ([]keyFlag, error) {
	if len(texts) == 0 {
		return nil, usagef("give at least one key: -k COLUMN")
	}
	keys := make([]keyFlag, len(texts))
	for i, text := range texts {
		key, err := parseKey(text, 2)
		if err != nil {
			return nil, err
		}
		keys[i] = keyFlag{text, key}
	}
	return keys, nil
}

// in is the key in a schema: a column whose name ends in what could be a modifier is found by its name, unless there is
// one without the ending. That one is meant by x:desc, then, and the column "x:desc" by x:desc:asc.
func (k keyFlag) in(schema *arrow.Schema) keyFlag {
	for most := 2; most >= 0; most-- {
		if key, err := parseKey(k.text, most); err == nil && key.Path != "" && schema.HasField(key.Path) {
			k.key = key
			break
		}
	}
	return k
}

// parseKey reads a key. At most one order and one place for nulls are taken off its end, and not more than most in all.
// A number after # is a position counted from 1. Upper case is taken too.
func parseKey(text string, most int) (arrowsort.Key, error) {
	var key arrowsort.Key
	name, order, nulls := text, false, false
	for ; ; most-- {
		head, tail, found := cutLast(name)
		found = found && most > 0
		tail = strings.ToLower(tail)
		switch {
		case found && !order && (tail == "asc" || tail == "desc"):
			order = true
			if tail == "desc" {
				key.Order = arrowsort.Descending
			}
		case found && !nulls && (tail == "nulls-first" || tail == "nulls-last"):
			nulls = true
			if tail == "nulls-first" {
				key.Nulls = arrowsort.NullsAtStart
			}
		default:
			return named(key, name, text)
		}
		name = head
	}
}

func cutLast(s string) (head, tail string, found bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

func named(key arrowsort.Key, name, text string) (arrowsort.Key, error) {
	if name == "" {
		return key, usagef("key %q names no column; a column without a name is reached by its position, as in '#1'",
			text)
	}
	if number, ok := strings.CutPrefix(name, "#"); ok {
		if n, err := strconv.Atoi(number); err == nil {
			if n < 1 {
				return key, usagef("key %q: positions count from 1", text)
			}
			key.Index = n - 1
			return key, nil
		}
	}
	key.Path = name
	return key, nil
}

// keyText is a key as it is typed after -k. Keys by position are shown by their position.
func keyText(key arrowsort.Key) string {
	text := cmp.Or(key.Path, tablefile.Label(key.Index))
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
