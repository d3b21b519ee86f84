package csv

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

var decimalText = regexp.MustCompile(`^decimal\((\d{1,2}),(\d{1,2})\)$`)

// ParseType reads a type: date:LAYOUT, timestamp:LAYOUT, int64, float64, decimal(p,s) or text. Numbers may be followed
// by a form, as in float64:1.234,5.
func ParseType(text string) (*Type, error) {
	kind, form, hasForm := strings.Cut(text, ":")
	kind = strings.ReplaceAll(kind, " ", "")
	parse := parsePlain
	number := kind == "int64" || kind == "float64" || strings.HasPrefix(kind, "decimal")
	if hasForm && number {
		f, err := parseNumberForm(form)
		if err != nil {
			return nil, err
		}
		if kind != "int64" && f.point == "" {
			return nil, fmt.Errorf("%q has no decimal point: write 1234.5 in it, as in 1.234,5", form)
		}
		parse = f.parse
	}
	t, err := newType(kind, form, parse)
	switch {
	case err != nil:
		return nil, err
	case t == nil:
		return nil, fmt.Errorf("%q is no type: use date:LAYOUT, timestamp:LAYOUT, int64, float64, decimal(p,s) or text",
			text)
	case hasForm && kind == "text":
		return nil, errors.New("text has no form")
	}
	return &Type{t, text}, nil
}

// ParseTypes reads the types of columns.
func ParseTypes(texts map[string]string) (map[string]*Type, error) {
	types := make(map[string]*Type, len(texts))
	for _, column := range slices.Sorted(maps.Keys(texts)) {
		t, err := ParseType(texts[column])
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", column, err)
		}
		types[column] = t
	}
	return types, nil
}

// newType returns a type whose numbers parse reads; nil: there is no such type.
func newType(kind, form string, parse func(string) (number, error)) (*valueType, error) {
	switch kind {
	case "text":
		return types[asText], nil
	case "int64":
		return typeOf[*array.Int64Builder](arrow.PrimitiveTypes.Int64, func(s string) (int64, error) {
			n, err := parse(s)
			if err != nil {
				return 0, err
			}
			return n.int()
		}), nil
	case "float64":
		return typeOf[*array.Float64Builder](arrow.PrimitiveTypes.Float64, func(s string) (float64, error) {
			if x, err := strconv.ParseFloat(s, 64); err == nil && (math.IsNaN(x) || math.IsInf(x, 0)) {
				return x, nil
			}
			n, err := parse(s)
			if err != nil {
				return 0, err
			}
			return n.float()
		}), nil
	case "date", "timestamp":
		return newTimeType(kind, form)
	}
	if match := decimalText.FindStringSubmatch(kind); match != nil {
		precision, _ := strconv.Atoi(match[1]) // of two digits
		scale, _ := strconv.Atoi(match[2])
		if precision < 1 || precision > maxDigits || scale > precision {
			return nil, fmt.Errorf("%s: a decimal has 1 to %d digits, and not more after the point", kind, maxDigits)
		}
		return decimalType(precision, scale, parse), nil
	}
	return nil, nil
}

func newTimeType(kind, form string) (*valueType, error) {
	if form == "" {
		return nil, fmt.Errorf("give a layout, as in %s:%%d/%%m/%%Y", kind)
	}
	l, err := parseLayout(form, kind == "timestamp")
	if err != nil {
		return nil, err
	}
	if kind == "date" {
		return typeOf[*array.Date32Builder](arrow.FixedWidthTypes.Date32, func(s string) (arrow.Date32, error) {
			t, err := l.parse(s)
			return arrow.Date32FromTime(t), err
		}), nil
	}
	typ := &arrow.TimestampType{Unit: arrow.Microsecond}
	if l.zoned() {
		typ.TimeZone = "UTC"
	}
	return typeOf[*array.TimestampBuilder](typ, func(s string) (arrow.Timestamp, error) {
		t, err := l.parse(s)
		return arrow.Timestamp(t.UnixMicro()), err
	}), nil
}

// A Type is a type that is given to a column, and the form of its values.
type Type struct {
	*valueType
	text string
}

// String returns the type as ParseType reads it.
func (t *Type) String() string { return t.text }

// Kind returns what values of the type are called.
func (t *Type) Kind() string {
	switch t.ID() {
	case arrow.STRING:
		return "text"
	case arrow.DATE32:
		return "dates"
	case arrow.TIMESTAMP:
		return "times"
	}
	return "numbers"
}
