package main

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keytext"
)

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

// in is the key in a schema.
func (k keyFlag) in(schema *arrow.Schema) keyFlag {
	if key, err := keytext.In(k.text, schema); err == nil {
		k.key = key
	}
	return k
}

// keysInWords are keys in plain words.
func keysInWords(flags []keyFlag) string {
	keys := make([]arrowsort.Key, len(flags))
	for i, k := range flags {
		keys[i] = k.key
	}
	return keytext.InWords(keys)
}

// parseKey reads a key with not more than most modifiers.
func parseKey(text string, most int) (arrowsort.Key, error) {
	key, err := keytext.Parse(text, most)
	if err != nil {
		return key, usagef("%v", err)
	}
	return key, nil
}
