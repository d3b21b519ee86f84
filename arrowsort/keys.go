package arrowsort

import (
	"encoding/json"
	"strconv"

	"github.com/arrowsort/arrowsort/arrowsort/internal/keyfunction"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keypath"
	"github.com/arrowsort/arrowsort/arrowsort/internal/textorder"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A Key is one sort key. Keys are given with the most significant first; of keys on one column the first wins.
type Key struct {
	// Path names the column: the name of a field, or the names of nested struct fields joined by dots, as in "a.b". A
	// field whose name is the whole path takes precedence over a nested one.
	Path string
	// At is the position of the column in place of a path: Column(0) is the first. It reaches columns whose name is
	// empty or not unique. Data of one column, such as an array, needs neither.
	At Position
	// Order is the direction of the values.
	Order Order
	// Nulls is the side of nulls and NaNs.
	Nulls NullPlacement
	// Function orders by what a function makes of the values; the zero value is the column itself. A column of a type
	// that it does not take is ErrOption.
	Function Function
	// Collation is the order of text; the zero value is that of its bytes. An unknown locale, and a collation of a
	// column of another type, are ErrOption. Keys of one column with different collations are different keys.
	Collation Collation
}

// KeyOf returns the ascending key on the column of a path.
func KeyOf(path string) Key { return Key{Path: path} }

// KeyAt returns the ascending key on the column at position i, which counts from 0.
func KeyAt(i int) Key { return Key{At: Column(i)} }

// A Position is the position of a column, or none, which is the zero value.
type Position struct{ number int } // i+1 for position i, and i below 0

// Column returns position i, which counts from 0.
func Column(i int) Position {
	if i < 0 {
		return Position{i}
	}
	return Position{i + 1}
}

// Index returns the position, and whether there is one.
func (p Position) Index() (i int, given bool) {
	if p.number > 0 {
		return p.number - 1, true
	}
	return p.number, p.number < 0
}

// MarshalJSON writes the position as a number, and none as null.
func (p Position) MarshalJSON() ([]byte, error) {
	if i, given := p.Index(); given {
		return strconv.AppendInt(nil, int64(i), 10), nil
	}
	return []byte("null"), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (p *Position) UnmarshalJSON(text []byte) error {
	var i *int
	err := json.Unmarshal(text, &i)
	if i != nil {
		*p = Column(*i)
	}
	return err
}

// Order is the direction of a key. It reverses the values only: where nulls and NaNs go is up to NullPlacement.
type Order = keyencode.Order

// The zero value is Ascending.
const (
	Ascending  = keyencode.Ascending
	Descending = keyencode.Descending
)

// NullPlacement is the side of the nulls and NaNs of a key, whatever its direction.
type NullPlacement = keyencode.NullPlacement

// The zero value is NullsAtEnd: values, NaNs, nulls. NullsAtStart is nulls, NaNs, values.
const (
	NullsAtEnd   = keyencode.NullsAtEnd
	NullsAtStart = keyencode.NullsAtStart
)

// A Function turns the values of a key's column into those that order the rows: null stays null, and equal values tie.
// Its text is that of the flag -k without the column: lower, length, abs, year, "% 16", hash, "hash 7", "random 42".
// docs/ordering.md defines each function, with the types that it takes. Keys of one column with different functions are
// different keys.
//
// A dictionary has the function for each of its entries once. Temporary memory is 8 bytes per row, 32 for decimals, and
// the text in lower case.
type Function = keyfunction.Function

const (
	// Lower is text in lower case, code point by code point, as utf8_lower of Arrow. A collation orders it, too.
	Lower = keyfunction.Lower
	// Length is the number of code points of text, of bytes of binary values, of elements of lists and maps.
	Length = keyfunction.Length
	// Abs is the absolute value of a number or a duration; of the least integer it is right, too.
	Abs = keyfunction.Abs
	// Year is the year of a date, or of a timestamp in its time zone.
	Year = keyfunction.Year
)

// Modulo is the remainder of integers after division by n, which is positive: 0 to n-1, also of negative ones.
func Modulo(n int64) Function { return keyfunction.Modulo(n) }

// Hash is a hash of the values that is the same everywhere: rows with equal values come together, in an order that is
// repeatable and looks random. It is XXH64 of bytes that docs/ordering.md defines.
func Hash(seed uint64) Function { return keyfunction.Hash(seed) }

// Random shuffles the rows: it goes by the row number, counted over all rows in the order in which they are given, and
// the seed. Its key names no column. Functions that do not know the row numbers of a sort fail with ErrOption: Merge,
// MergeReaders, IsSorted, SearchSorted, and those of package rows.
func Random(seed uint64) Function { return keyfunction.Random(seed) }

// A Collation is an order of text: of a key whose column has type utf8, large_utf8 or utf8_view, or has such values in
// dictionaries or runs. Its text is that of the flag -k: nocase, natural, numeric, or the tag of a locale. Texts that
// compare as equal tie: they keep their order, and the next key decides between them. docs/ordering.md defines each
// order.
//
// Each text becomes a sort key, bytes that compare as the order has it. Where texts repeat, equal ones are turned into
// bytes once; dictionaries are by their entries. That takes 16 bytes per row and the sort keys as temporary memory.
type Collation = textorder.Collation

const (
	// Bytes is the order of the bytes of UTF-8, which is that of code points: the zero value.
	Bytes = textorder.Bytes
	// FoldCase is the order of bytes after full case folding of Unicode: Straße ties with STRASSE. Accents count.
	FoldCase = textorder.FoldCase
	// Natural orders runs of the digits 0 to 9 by the numbers that they make, and all else by bytes: a2, a10, b1. Texts
	// that differ in leading zeros only are ordered by these, fewer first.
	Natural = textorder.Natural
	// Numeric orders texts by the decimal number that they begin with, after blanks: -1.5, 2, 10 apples. Texts without
	// a number come after all others, by their bytes. It compares digits, so numbers may have any length.
	Numeric = textorder.Numeric
)

// LocaleOptions are the options of Locale. The zero value is right for most callers.
type LocaleOptions = textorder.LocaleOptions

// Strength is the least difference that an order by the rules of a locale has.
type Strength = textorder.Strength

// The zero value is Tertiary.
const (
	Tertiary  = textorder.Tertiary  // letters, then accents, then case and variants: role, Role, rôle
	Primary   = textorder.Primary   // letters: role, Role and rôle tie
	Secondary = textorder.Secondary // letters, then accents: role and Role tie
	Identical = textorder.Identical // letters, accents, case and variants, then bytes
)

// Locale returns the order of a locale by the Unicode Collation Algorithm: of a language tag of BCP 47, such as de, sv
// or zh-Hant. Its extension u may have options, too: de-u-co-phonebk is the order of German phone books; ks, kn, kf and
// kb are strength, numbers, the first case, and accents from the end. An unknown tag or option is ErrOption of the call
// that sorts.
//
// The rules are those of golang.org/x/text/collate: the version of the Unicode CLDR is CLDRVersion. An order by a
// locale can change with it, so that data which are to be merged or searched are sorted by one version. A language
// without rules of CLDR has the order of the root locale, und.
func Locale(tag string, opts LocaleOptions) Collation { return textorder.Locale(tag, opts) }

// CLDRVersion is the version of the Unicode Common Locale Data Repository that Locale follows.
const CLDRVersion = textorder.CLDRVersion

// resolve finds the columns of the keys, structs expanded to their fields, and checks that all can be sorted.
func (d *dataset) resolve(keys []Key) ([]keypath.Column, error) {
	keys, err := d.given(keys)
	if err != nil {
		return nil, err
	}
	found := d.key[:0]
	for i, k := range keys {
		key := keypath.Of(k.Path, k.At, k.Order, k.Nulls, k.Function, k.Collation)
		if found, err = keypath.Append(found, &d.Input, i, key); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// withoutRandom returns an error if a key goes by row numbers, which a function does not know.
func withoutRandom(function string, keys []Key) error {
	for _, k := range keys {
		if err := keypath.WithoutRandom(function, k.Function); err != nil {
			return err
		}
	}
	return nil
}

// given returns the keys, or the one key of an array without any.
func (d *dataset) given(keys []Key) ([]Key, error) {
	switch {
	case len(keys) > 0:
		return keys, nil
	case d.HasNames():
		return nil, ErrNoKeys
	}
	return []Key{{}}, nil
}
