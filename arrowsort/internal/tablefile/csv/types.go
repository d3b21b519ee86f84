package csv

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
)

// A valueType is a type of the values of a column: how they are read, and appended to a builder of it.
type valueType struct {
	arrow.DataType
	reads   func(value string) error
	appends func(b array.Builder, value string) error
}

type appender[T any] interface {
	array.Builder
	Append(T)
}

// typeOf is the type of values that a builder gets from parse.
func typeOf[B appender[T], T any](typ arrow.DataType, parse func(string) (T, error)) *valueType {
	reads := func(value string) error {
		_, err := parse(value)
		return err
	}
	return &valueType{typ, reads, func(b array.Builder, value string) error {
		v, err := parse(value)
		b.(B).Append(v)
		return err
	}}
}

func parseInt(s string) (int64, error) {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || digits[0] == '+' || digits[0] == '0' && s != "0" {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseInt(s, 10, 64)
}

func parseUint(s string) (uint64, error) {
	if strings.HasPrefix(s, "0") && s != "0" {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseUint(s, 10, 64)
}

// parseFloat leaves hexadecimal and underscores, which Go reads, to strings, and numbers with leading zeros or a +.
func parseFloat(s string) (float64, error) {
	digits := strings.TrimPrefix(s, "-")
	if len(digits) > 1 && digits[0] == '0' && digits[1] != '.' && digits[1] != 'e' && digits[1] != 'E' ||
		strings.HasPrefix(digits, "+") || strings.ContainsAny(digits, "xX_") {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(s, 64)
}

func parseBool(s string) (bool, error) {
	if slices.Contains([]string{"true", "True", "TRUE", "false", "False", "FALSE"}, s) {
		return s[0]|0x20 == 't', nil
	}
	return false, strconv.ErrSyntax
}

func parseDate(s string) (arrow.Date32, error) {
	t, err := time.Parse(time.DateOnly, s)
	return arrow.Date32FromTime(t), err
}

// readsTime parses times with or without a zone.
func readsTime(zoned bool) func(string) (arrow.Timestamp, error) {
	return func(s string) (arrow.Timestamp, error) {
		t, zone, err := parseTime(s)
		if err == nil && zone != zoned {
			err = fmt.Errorf("the zone: %w", strconv.ErrSyntax)
		}
		return arrow.Timestamp(t.UnixMicro()), err
	}
}

// parseTime reads a time with or without a zone.
func parseTime(s string) (t time.Time, zone bool, err error) {
	if len(s) < len("2006-01-02 15:04:05") || s[10] != ' ' && s[10] != 'T' || fraction(s) > 6 ||
		strings.Contains(s, ",") {
		return t, false, strconv.ErrSyntax
	}
	s = s[:10] + "T" + s[11:]
	if t, err = time.Parse("2006-01-02T15:04:05", s); err == nil {
		return t, false, nil
	}
	for _, layout := range zonedLayouts {
		if t, err = time.Parse(layout, s); err == nil {
			break
		}
	}
	return t, true, err
}

// zonedLayouts are times with Z, or an offset of hours and minutes or of hours.
var zonedLayouts = []string{time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07"}

// fraction returns the number of digits after the point of the seconds.
func fraction(s string) int {
	_, rest, _ := strings.Cut(s, ".")
	return len(rest) - len(strings.TrimLeft(rest, "0123456789"))
}

// decimalType returns the type of decimals of some digits, which parse reads.
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
