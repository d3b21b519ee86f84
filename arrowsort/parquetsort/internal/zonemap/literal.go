package zonemap

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// literalKey returns a literal as a value of a type, in the form of package rows. A text that is no such value, or has
// more digits than the type, is an error that says what is.
func literalKey(text string, typ arrow.DataType) ([]byte, error) {
	b, err := literalBuilder(text, typ)
	if err != nil {
		return nil, err
	}
	defer b.Release()
	value := b.NewArray()
	defer value.Release()
	keys, err := encode(context.Background(), value, memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	defer keys.Release()
	return bytes.Clone(keys.Row(0)), nil
}

// literalBuilder returns a builder with one value: text as bytes, as the bounds of text are.
func literalBuilder(text string, typ arrow.DataType) (array.Builder, error) {
	mem := memory.DefaultAllocator
	switch typ.ID() {
	case arrow.STRING, arrow.LARGE_STRING:
		b := array.NewBinaryBuilder(mem, arrow.BinaryTypes.Binary)
		b.AppendString(text)
		return b, nil
	case arrow.BINARY, arrow.LARGE_BINARY:
		typ = arrow.BinaryTypes.Binary
	case arrow.BOOL, arrow.DATE32, arrow.TIME32, arrow.TIME64, arrow.TIMESTAMP, arrow.DURATION, arrow.FIXED_SIZE_BINARY,
		arrow.DECIMAL128, arrow.DECIMAL256:
	case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64:
		if x, err := strconv.ParseFloat(text, 64); err == nil && math.IsNaN(x) {
			return nil, fmt.Errorf("NaN is not compared: write a number")
		}
	default:
		if !arrow.IsInteger(typ.ID()) {
			return nil, fmt.Errorf("values of type %s are not compared; use is null or is not null", typ)
		}
	}
	b := array.NewBuilder(mem, typ)
	if err := appendLiteral(b, text, typ); err != nil || b.Len() != 1 || b.NullN() > 0 {
		b.Release()
		return nil, fmt.Errorf("%q is no value of type %s: write %s", text, typ, typeExample(typ))
	}
	return b, nil
}

// appendLiteral appends a value. What Arrow would round, or panics for, is an error.
func appendLiteral(b array.Builder, text string, typ arrow.DataType) error {
	switch t := typ.(type) {
	case *arrow.Decimal128Type:
		units, err := decimalUnits(text, t.Precision, t.Scale)
		if err == nil {
			b.(*array.Decimal128Builder).Append(decimal128.FromBigInt(units))
		}
		return err
	case *arrow.Decimal256Type:
		units, err := decimalUnits(text, t.Precision, t.Scale)
		if err == nil {
			b.(*array.Decimal256Builder).Append(decimal256.FromBigInt(units))
		}
		return err
	case *arrow.DurationType:
		if d, err := time.ParseDuration(text); err != nil || d%t.Unit.Multiplier() != 0 {
			return fmt.Errorf("%q is finer than %s", text, t.Unit)
		}
	case *arrow.FixedSizeBinaryType:
		if data, err := base64.StdEncoding.DecodeString(text); err != nil || len(data) != t.ByteWidth {
			return fmt.Errorf("%q is not of %d bytes", text, t.ByteWidth)
		}
	}
	return b.AppendValueFromString(text)
}

// decimalText is a decimal number without an exponent.
var decimalText = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)$`)

// decimalUnits returns a decimal number in units of its scale.
func decimalUnits(text string, precision, scale int32) (*big.Int, error) {
	if !decimalText.MatchString(text) {
		return nil, fmt.Errorf("%q is no number", text)
	}
	x, _ := new(big.Rat).SetString(text) // digits with a point are one
	power := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(scale, -scale))), nil))
	if scale < 0 {
		power.Inv(power)
	}
	if x.Mul(x, power); !x.IsInt() || len(new(big.Int).Abs(x.Num()).String()) > int(precision) {
		return nil, fmt.Errorf("%q has more digits than the type", text)
	}
	return x.Num(), nil
}
