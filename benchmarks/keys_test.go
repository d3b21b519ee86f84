package benchmarks

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Types are the key types, by their Arrow names; string5 and string40 are strings of 3 to 5 and of 10 to 40 bytes.
var Types = []string{"bool", "int8", "int16", "int32", "int64", "uint64", "float32", "float64", "timestamp",
	"decimal128",
	"string5", "string40", "dictionary"}

// keys makes the key column: words as the type asked for, in the same order as far as the type can tell them apart.
func keys(s Spec, words []uint64, mem memory.Allocator) (arrow.Array, error) {
	typ, set, err := converter(s.Type)
	if err != nil {
		return nil, err
	}
	b := array.NewBuilder(mem, typ)
	defer b.Release()
	b.Reserve(len(words))
	r := rand.New(rand.NewPCG(13, uint64(s.Rows)))
	for _, w := range words {
		if s.Nulls > r.IntN(100) {
			b.AppendNull()
		} else if err := set(b, w); err != nil {
			return nil, err
		}
	}
	return b.NewArray(), nil
}

type setter = func(b array.Builder, w uint64) error

func converter(name string) (arrow.DataType, setter, error) {
	switch name {
	case "bool":
		return arrow.FixedWidthTypes.Boolean, with((*array.BooleanBuilder).Append,
			func(w uint64) bool { return w>>63 != 0 }), nil
	case "int8":
		return arrow.PrimitiveTypes.Int8, with((*array.Int8Builder).Append,
			func(w uint64) int8 { return int8(signed(w) >> 56) }), nil
	case "int16":
		return arrow.PrimitiveTypes.Int16, with((*array.Int16Builder).Append,
			func(w uint64) int16 { return int16(signed(w) >> 48) }), nil
	case "int32":
		return arrow.PrimitiveTypes.Int32, with((*array.Int32Builder).Append,
			func(w uint64) int32 { return int32(signed(w) >> 32) }), nil
	case "int64":
		return arrow.PrimitiveTypes.Int64, with((*array.Int64Builder).Append, signed), nil
	case "uint64":
		return arrow.PrimitiveTypes.Uint64, with((*array.Uint64Builder).Append, func(w uint64) uint64 { return w }), nil
	case "float32":
		return arrow.PrimitiveTypes.Float32, with((*array.Float32Builder).Append,
			func(w uint64) float32 { return float32(normal(w)) }), nil
	case "float64":
		return arrow.PrimitiveTypes.Float64, with((*array.Float64Builder).Append, normal), nil
	case "timestamp":
		typ := &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
		return typ, with((*array.TimestampBuilder).Append,
			func(w uint64) arrow.Timestamp { return arrow.Timestamp(w >> 13) }), nil
	case "decimal128":
		return &arrow.Decimal128Type{Precision: 38, Scale: 2},
			with((*array.Decimal128Builder).Append, func(w uint64) decimal128.Num {
				return decimal128.New(signed(w)>>8, w*0x9e3779b97f4a7c15)
			}), nil
	case "string5":
		return arrow.BinaryTypes.String, with((*array.StringBuilder).Append,
			func(w uint64) string { return text(w)[:3+w%3] }), nil
	case "string40":
		return arrow.BinaryTypes.String, with((*array.StringBuilder).Append,
			func(w uint64) string { return (text(w) + text(^w) + text(w))[:10+w%30] }), nil
	case "dictionary":
		typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
		return typ, func(b array.Builder, w uint64) error {
			return b.(*array.BinaryDictionaryBuilder).AppendString(text(w >> 54))
		}, nil
	}
	return nil, nil, fmt.Errorf("benchmarks: unknown type %q", name)
}

func with[B array.Builder, V any](add func(B, V), value func(w uint64) V) setter {
	return func(b array.Builder, w uint64) error {
		add(b.(B), value(w))
		return nil
	}
}

func signed(w uint64) int64 { return int64(w ^ 1<<63) }

// normal spreads the words as a normal distribution spreads its values: the inverse of the logistic function, near
// enough.
func normal(w uint64) float64 {
	p := (float64(w>>11) + 0.5) / (1 << 53)
	return math.Log(p / (1 - p))
}

// text is 13 letters that sort as w does.
func text(w uint64) string {
	var t [13]byte
	for i := range t {
		t[i] = 'A' + byte(w>>59)
		w <<= 5
	}
	return string(t[:])
}
