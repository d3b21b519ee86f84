package model

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
)

// Function returns the function of a key as package arrowsort writes it, of the values of a column, none of them null.
func Function(text string, column arrow.DataType) func(x any) any {
	name, number, _ := strings.Cut(text, " ")
	n, _ := strconv.ParseUint(number, 10, 64)
	typ := plain(column)
	switch name {
	case "lower":
		return func(x any) any { return lower(x.([]byte)) }
	case "length":
		return func(x any) any { return length(x, typ) }
	case "abs":
		return absolute
	case "year":
		return func(x any) any { return year(x.(int64), typ) }
	case "%":
		return func(x any) any { return new(big.Int).Mod(bigInt(x), new(big.Int).SetUint64(n)).Uint64() }
	case "hash":
		return func(x any) any {
			d := xxhash.NewWithSeed(n)
			d.Write(canonical(x))
			return d.Sum64()
		}
	}
	panic("model: no function " + text)
}

// plain returns the type of the values of dictionaries and runs.
func plain(typ arrow.DataType) arrow.DataType {
	switch t := storage(typ).(type) {
	case *arrow.DictionaryType:
		return plain(t.ValueType)
	case *arrow.RunEndEncodedType:
		return plain(t.Encoded())
	default:
		return t
	}
}

// lower maps each code point to lower case; what is not UTF-8 stays.
func lower(text []byte) []byte {
	var all []byte
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError {
			all = append(all, text[:n]...)
		} else {
			all = append(all, bytes.ToLower(text[:n])...)
		}
		text = text[n:]
	}
	return all
}

func length(x any, typ arrow.DataType) any {
	switch x := x.(type) {
	case list:
		return int64(len(x))
	case []byte:
		switch typ.ID() {
		case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
			return int64(len([]rune(string(x))))
		}
		return int64(len(x))
	}
	panic("model: no length")
}

func absolute(x any) any {
	switch x := x.(type) {
	case float64:
		return math.Abs(x)
	case decimal128.Num:
		return decimal256.FromBigInt(new(big.Int).Abs(x.BigInt()))
	case decimal256.Num:
		return decimal256.FromBigInt(new(big.Int).Abs(x.BigInt()))
	}
	return new(big.Int).Abs(bigInt(x)).Uint64()
}

func bigInt(x any) *big.Int {
	if n, ok := x.(int64); ok {
		return big.NewInt(n)
	}
	return new(big.Int).SetUint64(x.(uint64))
}

// year counts the days of 400 years at a time, which are always the same, so that package time has the rest.
func year(x int64, typ arrow.DataType) any {
	perDay, offset := int64(1), int64(0)
	switch t := typ.(type) {
	case *arrow.Date64Type:
		perDay = 86_400_000
	case *arrow.TimestampType:
		perSecond := int64(time.Second / t.Unit.Multiplier())
		perDay = 86_400 * perSecond
		zone, err := t.GetZone()
		if err != nil {
			panic(err)
		}
		_, seconds := time.Unix(min(max(x/perSecond, -1<<50), 1<<50), 0).In(zone).Zone()
		offset = int64(seconds) * perSecond
	}
	day := new(big.Int).Add(big.NewInt(x), big.NewInt(offset))
	day.Div(day, big.NewInt(perDay))
	cycles, rest := new(big.Int).DivMod(day, big.NewInt(146_097), new(big.Int))
	return 400*cycles.Int64() + int64(time.Date(1970, 1, 1+int(rest.Int64()), 0, 0, 0, 0, time.UTC).Year())
}

// canonical returns the bytes of a value that are hashed.
func canonical(x any) []byte {
	switch x := x.(type) {
	case []byte:
		return x
	case bool:
		if x {
			return canonical(uint64(1))
		}
		return canonical(uint64(0))
	case int64:
		return canonical(uint64(x))
	case uint64:
		return binary.LittleEndian.AppendUint64(nil, x)
	case float64:
		switch {
		case math.IsNaN(x):
			return canonical(uint64(0x7ff8) << 48)
		case x == 0:
			return canonical(uint64(0))
		}
		return canonical(math.Float64bits(x))
	case decimal128.Num:
		return canonical(decimal256.FromDecimal128(x))
	case decimal256.Num:
		var b []byte
		for _, word := range x.Array() {
			b = append(b, canonical(word)...)
		}
		return b
	}
	panic("model: no hash")
}
