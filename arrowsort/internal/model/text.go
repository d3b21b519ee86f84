package model

import (
	"bytes"
	"cmp"
	"math/big"
	"regexp"

	"golang.org/x/text/cases"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// TextOrder returns the order of text that a collation of package arrowsort stands for: nocase, natural, numeric, or
// the tag of a locale with options that package collate knows. It is for one goroutine.
func TextOrder(collation string) func(x, y []byte) int {
	switch collation {
	case "":
		return bytes.Compare
	case "nocase":
		return func(x, y []byte) int { return bytes.Compare(cases.Fold().Bytes(x), cases.Fold().Bytes(y)) }
	case "natural":
		return compareNatural
	case "numeric":
		return compareNumeric
	}
	tag := language.MustParse(collation)
	base, _ := tag.Base()
	script, _ := tag.Script()
	if same, ok := sameOrders[base.String()+"-"+script.String()]; ok {
		tag, _ = language.Compose(language.MustParse(same), tag.Extensions()) // the options come from a tag
	}
	return collate.New(tag).Compare
}

// sameOrders are languages in a script with the order of another one, which package collate does not have under their
// names.
var sameOrders = map[string]string{"nb-Latn": "nn", "no-Latn": "nn", "bs-Latn": "hr", "sr-Latn": "hr"}

// naturalParts cuts a text into runs of digits and other bytes.
func naturalParts(text []byte) (parts [][]byte) {
	for len(text) > 0 {
		n := max(1, len(text)-len(bytes.TrimLeft(text, "0123456789")))
		parts, text = append(parts, text[:n]), text[n:]
	}
	return parts
}

// compareNatural orders texts part by part: runs of digits by number, other bytes as they are.
func compareNatural(x, y []byte) int {
	a, b := naturalParts(x), naturalParts(y)
	for i := range min(len(a), len(b)) {
		c := bytes.Compare(a[i], b[i])
		m, isNumber := new(big.Int).SetString(string(a[i]), 10)
		n, alsoNumber := new(big.Int).SetString(string(b[i]), 10)
		if isNumber && alsoNumber {
			c = m.Cmp(n)
		}
		if c != 0 {
			return c
		}
	}
	if c := cmp.Compare(len(a), len(b)); c != 0 {
		return c
	}
	for i := range a { // the same numbers: the one with fewer leading zeros is shorter
		if c := cmp.Compare(len(a[i]), len(b[i])); c != 0 {
			return c
		}
	}
	return 0
}

var leadingNumber = regexp.MustCompile(`^[ \t]*(-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))`)

// compareNumeric orders texts by the number that they begin with, then those without one.
func compareNumeric(x, y []byte) int {
	a, b := leadingNumber.FindSubmatch(x), leadingNumber.FindSubmatch(y)
	switch {
	case a == nil && b == nil:
		return bytes.Compare(x, y)
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return rational(a[1]).Cmp(rational(b[1]))
}

func rational(text []byte) *big.Rat {
	r, ok := new(big.Rat).SetString(string(text))
	if !ok {
		panic("model: no number: " + string(text))
	}
	return r
}
