package csv

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// maxDigits is the number of digits of the widest decimal.
const maxDigits = 76

// A number is a number in decimal or scientific notation: digits * 10^-scale.
type number struct {
	negative bool
	digits   string
	scale    int
}

// parsePlain reads a number with or without a sign, leading zeros, a point and an exponent.
func parsePlain(s string) (n number, err error) {
	s, n.negative = signed(s)
	s, exponent, scientific := strings.Cut(strings.ToLower(s), "e")
	whole, decimals, _ := strings.Cut(s, ".")
	n.digits, n.scale = whole+decimals, len(decimals)
	if n.digits == "" || strings.Trim(n.digits, "0123456789") != "" {
		return n, errors.New("is not a number")
	}
	if scientific {
		e, err := strconv.ParseInt(exponent, 10, 16)
		if err != nil {
			return n, errors.New("has no exponent that can be read")
		}
		n.scale -= int(e)
	}
	return n, nil
}

// signed cuts a sign off.
func signed(s string) (rest string, negative bool) {
	if rest, negative = strings.CutPrefix(s, "-"); !negative {
		rest = strings.TrimPrefix(s, "+")
	}
	return rest, negative
}

// units returns the number as a multiple of 10^-scale, which it has to be.
func (n number) units(precision, scale int) (*big.Int, error) {
	digits := strings.TrimLeft(n.digits, "0")
	if shift := scale - n.scale; shift < 0 {
		kept := max(len(digits)+shift, 0)
		if strings.Trim(digits[kept:], "0") != "" {
			return nil, fmt.Errorf("has more than %d digits after the point", scale)
		}
		digits = digits[:kept]
	} else if len(digits)+shift <= precision {
		digits += strings.Repeat("0", shift)
	} else if digits != "" {
		return nil, fmt.Errorf("has more than %d digits before the point", precision-scale)
	}
	if len(digits) > precision {
		return nil, fmt.Errorf("has more than %d digits before the point", precision-scale)
	}
	units, _ := new(big.Int).SetString("0"+digits, 10)
	if n.negative {
		units.Neg(units)
	}
	return units, nil
}

// decimalDigits returns the digits of a number in decimal notation before and after the point; false is another
// notation.
func decimalDigits(s string) (whole, scale int, ok bool) {
	before, after, _ := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	ok = strings.Trim(before, "0123456789") == "" && strings.Trim(after, "0123456789") == ""
	return len(strings.TrimLeft(before, "0")), len(after), ok
}

// A numberForm is how numbers are written: text around them, a separator of thousands and a decimal point, each of
// which may be empty.
type numberForm struct{ prefix, thousands, point, suffix string }

var numberForms = regexp.MustCompile(`^([^\d+-]*)1([^\d]?)234(?:([^\d])5)?([^\d]*)$`)

// parseNumberForm reads a form as an example: 1,234.5 or 1.234,5 or $1,234 or 1234,5 %.
func parseNumberForm(text string) (f numberForm, err error) {
	match := numberForms.FindStringSubmatch(text)
	if match == nil || match[2] == match[3] && match[2] != "" {
		return f, fmt.Errorf("%q is no form of numbers: write 1234.5 in it, as in 1,234.5 or 1.234,5 or $1,234", text)
	}
	f = numberForm{strings.TrimSpace(spaces.Replace(match[1])), spaces.Replace(match[2]), match[3],
		strings.TrimSpace(spaces.Replace(match[4]))}
	if f.point == "" && f.thousands != "." {
		f.point = "."
	}
	return f, nil
}

var spaces = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ") // that do not break, or are thin

// parse reads a number of the form. A sign may precede the text before the number or follow it; parentheses are a
// minus. The text around the number may be absent, and thousands need not be separated.
func (f numberForm) parse(s string) (number, error) {
	s = spaces.Replace(s)
	inner, bracketed := strings.CutPrefix(s, "(")
	if bracketed {
		if inner, bracketed = strings.CutSuffix(inner, ")"); bracketed {
			s = "-" + inner
		}
	}
	rest, negative := signed(s)
	bare := strings.TrimSpace(strings.TrimPrefix(rest, f.prefix))
	if rest == s {
		bare, negative = signed(bare)
	}
	bare = strings.TrimSpace(strings.TrimSuffix(bare, f.suffix))
	whole, decimals := bare, ""
	if f.point != "" {
		whole, decimals, _ = strings.Cut(bare, f.point)
	}
	digits, ok := f.joined(whole)
	if !ok || strings.Trim(decimals, "0123456789") != "" || digits+decimals == "" {
		return number{}, errors.New("is not a number of this form")
	}
	return number{negative, digits + decimals, len(decimals)}, nil
}

// joined returns the digits before the point without separators, which are between groups of three.
func (f numberForm) joined(whole string) (digits string, ok bool) {
	groups := []string{whole}
	if f.thousands != "" {
		groups = strings.Split(whole, f.thousands)
	}
	for i, g := range groups {
		if strings.Trim(g, "0123456789") != "" || len(groups) > 1 && (len(g) > 3 || g == "" || i > 0 && len(g) < 3) {
			return "", false
		}
	}
	return strings.Join(groups, ""), true
}

// float returns the nearest float64.
func (n number) float() (float64, error) {
	text := n.digits + "e" + strconv.Itoa(-n.scale)
	if n.negative {
		text = "-" + text
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, errors.New("is out of range")
	}
	return x, nil
}

// int returns the number if it is whole and fits.
func (n number) int() (int64, error) {
	units, err := n.units(len("9223372036854775807"), 0)
	switch {
	case n.scale > 0 && err != nil:
		return 0, errors.New("is not a whole number")
	case err != nil || !units.IsInt64():
		return 0, errors.New("is out of range")
	}
	return units.Int64(), nil
}
