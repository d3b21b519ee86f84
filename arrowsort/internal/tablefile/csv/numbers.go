package csv

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
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

// units is the number as a multiple of 10^-scale, which it has to be.
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

// decimalType is the type of decimals of some digits, which parse reads.
func decimalType(precision, scale int, parse func(string) (number, error)) *valueType {
	units := func(value string) (*big.Int, error) {
		n, err := parse(value)
		if err != nil {
			return new(big.Int), err
		}
		u, err := n.units(precision, scale)
		if err != nil {
			return new(big.Int), err
		}
		return u, nil
	}
	const most128 = 38 // digits of 128 bits
	if precision <= most128 {
		return typeOf[*array.Decimal128Builder](
			&arrow.Decimal128Type{Precision: int32(precision), Scale: int32(scale)},
			func(value string) (decimal128.Num, error) {
				u, err := units(value)
				return decimal128.FromBigInt(u), err
			})
	}
	return typeOf[*array.Decimal256Builder](&arrow.Decimal256Type{Precision: int32(precision), Scale: int32(scale)},
		func(value string) (decimal256.Num, error) {
			u, err := units(value)
			return decimal256.FromBigInt(u), err
		})
}

// decimalDigits are the digits of a number in decimal notation before and after the point; false is another notation.
func decimalDigits(s string) (whole, scale int, ok bool) {
	before, after, _ := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	ok = strings.Trim(before, "0123456789") == "" && strings.Trim(after, "0123456789") == ""
	return len(strings.TrimLeft(before, "0")), len(after), ok
}
