// Package flagtext reads and writes the values of flags of the command lines: sort keys and numbers of bytes.
package flagtext

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keyfunction"
	"github.com/arrowsort/arrowsort/arrowsort/internal/nearest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/textorder"
)

// KeyHelp is the help text of the flag -k.
const KeyHelp = "sort by `COLUMN`[:desc][:nulls-first]; again for further keys"

// KeyIn reads a key of a schema. x:desc is column x in descending order if the schema has x, else the column named
// "x:desc"; if it has both, x:desc:asc is the latter. In the same way lower(x) is a column that the schema has, else a
// function. Keys that the schema does not have are read by ParseKey.
func KeyIn(text string, schema *arrow.Schema) (arrowsort.Key, error) {
	for most := Modifiers; most >= 0; most-- {
		if key, name := cutModifiers(text, most); Has(schema.Fields(), name) {
			key.Path = name
			return key, nil
		}
	}
	return ParseKey(text, Modifiers)
}

// Modifiers is the largest number of modifiers of a key.
const Modifiers = 3

// ParseKey reads a key: a column, a number after #, which is a position counted from 1, or a function of one, and
// modifiers, see cutModifiers.
func ParseKey(text string, most int) (arrowsort.Key, error) {
	key, name := cutModifiers(text, most)
	var isFunction bool
	if key.Function, name, isFunction = keyfunction.Parse(name); isFunction {
		if function, err := key.Function.Resolve(); err == nil { // else whoever uses the key finds the error
			key.Function = function
		}
		if key.Function.IsRandom() {
			return key, nil
		}
	}
	return named(key, name, text)
}

// cutModifiers cuts at most one modifier of each kind off the end of a key, most modifiers in all, and returns what
// they give and the rest. Modifiers may be in upper case.
func cutModifiers(text string, most int) (key arrowsort.Key, name string) {
	var given [noModifier]bool
	name = text
	for ; ; most-- {
		head, tail, found := CutModifier(name)
		kind := KindOf(tail)
		if !found || most == 0 || kind == noModifier || given[kind] {
			return key, name
		}
		given[kind], name = true, head
		modify(&key, strings.ToLower(tail))
	}
}

// modify sets what a modifier in lower case gives.
func modify(key *arrowsort.Key, modifier string) {
	switch modifier {
	case "asc", "nulls-last", "bytes":
	case "desc":
		key.Order = arrowsort.Descending
	case "nulls-first":
		key.Nulls = arrowsort.NullsAtStart
	case "nocase", "natural", "numeric":
		key.Collation = arrowsort.Collation(modifier)
	default:
		key.Collation = arrowsort.Locale(strings.TrimPrefix(modifier, Collate), arrowsort.LocaleOptions{})
	}
}

// A ModifierKind is what a modifier gives.
type ModifierKind uint8

const (
	orderModifier ModifierKind = iota
	nullsModifier
	textModifier
	noModifier
)

// Collate begins the modifier for the order of a locale.
const Collate = "collate="

// Locales are the modifiers for the orders of all locales that the data name.
func Locales() []string {
	tags := textorder.Locales()
	for i := range tags {
		tags[i] = Collate + tags[i]
	}
	return tags
}

// ModifierKinds are the modifiers of each kind.
var ModifierKinds = [noModifier][]string{
	orderModifier: {"asc", "desc"},
	nullsModifier: {"nulls-first", "nulls-last"},
	textModifier:  {"bytes", "nocase", "natural", "numeric", Collate},
}

// whatKindsGive are the kinds in words.
var whatKindsGive = [noModifier]string{"the order", "the place of nulls", "the order of text"}

// KindOf returns the kind of a modifier.
func KindOf(word string) ModifierKind {
	word = strings.ToLower(word)
	if strings.HasPrefix(word, Collate) && !strings.ContainsAny(word, " ()%") { // else a function of a column
		return textModifier
	}
	for kind, words := range ModifierKinds {
		if slices.Contains(words, word) {
			return ModifierKind(kind)
		}
	}
	return noModifier
}

// CutModifier cuts a key at its last colon.
func CutModifier(s string) (head, tail string, found bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// named completes a key by its column: a path, or a position after #.
func named(key arrowsort.Key, name, text string) (arrowsort.Key, error) {
	if name == "" {
		return key, fmt.Errorf("key %q names no column; a column without a name is reached by its position, as in '#1'",
			text)
	}
	if number, ok := strings.CutPrefix(name, "#"); ok {
		if n, err := strconv.Atoi(number); err == nil {
			if n < 1 {
				return key, fmt.Errorf("key %q: positions count from 1", text)
			}
			key.At = arrowsort.Column(n - 1)
			return key, nil
		}
	}
	key.Path = name
	return key, nil
}

// FindColumns returns the columns whose name is the path, or else its longest part before a dot. Their positions are in
// order.
func FindColumns(schema *arrow.Schema, path string) (name string, at []int) {
	for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '.') {
		if at = schema.FieldIndices(path[:end]); len(at) > 0 {
			slices.Sort(at)
			return path[:end], at
		}
	}
	return path, nil
}

// CheckModifiers returns an error for wrong modifiers of a key whose column is in the schema; nil if there is no such
// column.
func CheckModifiers(text string, schema *arrow.Schema) error {
	key, err := KeyIn(text, schema)
	if err != nil || key.Path == "" || key.Function != "" || Has(schema.Fields(), key.Path) {
		return nil
	}
	column, _, found := CutModifier(key.Path)
	for found && !hasKey(schema, column) {
		column, _, found = CutModifier(column)
	}
	if !found {
		return nil
	}
	_, tail, _ := CutModifier(key.Path)
	if IsModifier(tail) {
		return givenTwice(column, tail, strings.TrimPrefix(text, key.Path))
	}
	if meant := modifierMeant(tail); meant != "" {
		return fmt.Errorf("unknown modifier %q; did you mean %q?", ":"+tail, ":"+meant)
	}
	return fmt.Errorf("unknown modifier %q; use :asc, :desc, :nulls-first, :nulls-last, :nocase, :natural, :numeric "+
		"or :collate=LOCALE", ":"+tail)
}

// Has reports whether a path is a field, or one inside structs.
func Has(fields []arrow.Field, path string) bool {
	return slices.ContainsFunc(fields, func(f arrow.Field) bool {
		rest, inside := strings.CutPrefix(path, f.Name+".")
		s, ok := f.Type.(*arrow.StructType)
		return f.Name == path || inside && ok && Has(s.Fields(), rest)
	})
}

// hasKey reports whether a text without modifiers is a column, or a function of one.
func hasKey(schema *arrow.Schema, text string) bool {
	function, name, _ := keyfunction.Parse(text)
	return Has(schema.Fields(), text) || function.IsRandom() || Has(schema.Fields(), name)
}

// modifierMeant returns the modifier that a mistyped word is likely to stand for; empty when none is near.
func modifierMeant(word string) string {
	word = strings.ToLower(word)
	switch {
	case word == "":
		return ""
	case strings.HasPrefix("descending", word) || strings.HasPrefix("reverse", word) || word == "down":
		return "desc"
	case strings.HasPrefix("ascending", word) || word == "up":
		return "asc"
	}
	for _, side := range []string{"first", "last"} {
		if word == side || strings.HasPrefix(word, "null") && strings.HasSuffix(word, side) {
			return "nulls-" + side
		}
	}
	return nearest.Name(append([]string{"desc"}, slices.Concat(ModifierKinds[:]...)...), word) // dsc is no asc
}

// givenTwice returns the error for a modifier of a column that is followed by another for the same.
func givenTwice(column, modifier, rest string) error {
	what := whatKindsGive[KindOf(modifier)]
	for _, other := range strings.Split(rest, ":")[1:] {
		if KindOf(other) == KindOf(modifier) {
			return fmt.Errorf("%q and %q both give %s; write -k %s", ":"+modifier, ":"+other, what, column+rest)
		}
	}
	return fmt.Errorf("%q gives %s twice; write -k %s", ":"+modifier, what, column+rest)
}

// nameOf returns the path of a key, or else its position as it is typed, with its function.
func nameOf(key arrowsort.Key) string {
	at, _ := key.At.Index()
	return key.Function.Of(cmp.Or(key.Path, arraydata.Label(at)))
}

// KeyText returns a key as it is typed after -k. Keys by position are shown by their position.
func KeyText(key arrowsort.Key) string {
	text := nameOf(key)
	_, tail, found := CutModifier(text)
	all := found && IsModifier(tail) // a name that ends as a modifier does
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
	switch {
	case KindOf(string(key.Collation)) == textModifier:
		text += ":" + string(key.Collation)
	case key.Collation != arrowsort.Bytes:
		text += ":" + Collate + key.Collation.Tag()
	case all:
		text += ":bytes"
	}
	return text
}

// IsModifier reports whether a text is a modifier of keys.
func IsModifier(s string) bool { return KindOf(s) != noModifier }

// KeyTexts returns keys as they are typed.
func KeyTexts(keys []arrowsort.Key) []string {
	texts := make([]string, len(keys))
	for i, k := range keys {
		texts[i] = KeyText(k)
	}
	return texts
}

// KeysInWords returns keys in plain words: delay (descending, nulls first), date.
func KeysInWords(keys []arrowsort.Key) string {
	texts := make([]string, len(keys))
	for i, k := range keys {
		texts[i] = nameOf(k)
		var how []string
		if k.Order == arrowsort.Descending {
			how = append(how, "descending")
		}
		if k.Nulls == arrowsort.NullsAtStart {
			how = append(how, "nulls first")
		}
		if k.Collation != arrowsort.Bytes {
			how = append(how, k.Collation.Words())
		}
		if how != nil {
			texts[i] += " (" + strings.Join(how, ", ") + ")"
		}
	}
	return strings.Join(texts, ", ")
}

// KeyList returns keys as a list in a sentence.
func KeyList(keys []arrowsort.Key) string { return strings.Join(KeyTexts(keys), ", ") }

// Among returns the keys for data that has some columns only: positions are those among them.
func Among(columns []int, keys []arrowsort.Key) []arrowsort.Key {
	keys = slices.Clone(keys)
	for i, key := range keys {
		if at, given := key.At.Index(); given {
			keys[i].At = arrowsort.Column(slices.Index(columns, at))
		}
	}
	return keys
}

// KeysOf returns the keys of the order that a Parquet file declares.
func KeysOf(sorting []tablefile.SortingColumn) (keys []arrowsort.Key) {
	for _, s := range sorting {
		key := arrowsort.KeyOf(s.Path)
		if s.Path == "" {
			key = arrowsort.KeyAt(s.Column)
		}
		if s.Descending {
			key.Order = arrowsort.Descending
		}
		if s.NullsFirst {
			key.Nulls = arrowsort.NullsAtStart
		}
		keys = append(keys, key)
	}
	return keys
}
