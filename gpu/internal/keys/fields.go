package keys

import (
	"math"
	"math/bits"
	"slices"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A Layout is how a key column, its rows in one chunk, lies on the device.
type Layout struct {
	Form     uint64 // how kernels turn a row's value into an ordered number
	Width    int    // bytes of a number
	stride   int    // bytes from a row to the next; 0 for bits
	signBit  uint64 // what turns a number, a float in two's complement, into one that orders as unsigned
	infinity uint64 // of floats: the pattern of +Inf
}

// LayoutOf returns the layout of a key column; false for strings, which the device does not read as keys.
func LayoutOf(c *keyencode.Column) (Layout, bool) {
	width := c.ValueBytes()
	l := Layout{Form: abi.FormInteger, Width: width, stride: width}
	switch c.Kind {
	case keyencode.Null:
		l.Form = abi.FormNone
	case keyencode.Bool:
		l.Form, l.Width = abi.FormBit, 1
	case keyencode.Int8, keyencode.Int16, keyencode.Int32, keyencode.Int64:
		l.signBit = 1 << (8*width - 1)
	case keyencode.Float16:
		l.Form, l.signBit, l.infinity = abi.FormFloat, 1<<15, 0x7c00
	case keyencode.Float32:
		l.Form, l.signBit, l.infinity = abi.FormFloat, 1<<31, 0x7f80_0000
	case keyencode.Float64:
		l.Form, l.signBit, l.infinity = abi.FormFloat, 1<<63, 0x7ff0_0000_0000_0000
	case keyencode.Decimal128, keyencode.Decimal256:
		l.Form, l.signBit = abi.FormDecimal, 1<<63
	case keyencode.Dictionary8, keyencode.Dictionary16, keyencode.Dictionary32, keyencode.Dictionary64:
		l.Form, l.Width, l.stride = abi.FormRank, 4, 4
	case keyencode.FixedSizeBinary:
		l.Form = abi.FormBigEndian
		return l, width <= 8
	case keyencode.Binary, keyencode.LargeBinary, keyencode.BinaryView:
		return Layout{}, false
	}
	return l, true
}

// A Field is a summand of a code word as kernels make it from values as they are stored: so is Base.
type Field struct {
	keyencode.Field
	Layout Layout
}

func fieldOf(f keyencode.Field) Field {
	if f.Class {
		return Field{f, Layout{Form: abi.FormClass}}
	}
	l, _ := LayoutOf(&keyencode.Column{Kind: f.Kind, Width: f.Width})
	switch {
	case f.Wide:
	case l.Form == abi.FormDecimal: // the values differ in the low limb only
		l.Form, l.Width = abi.FormInteger, 8
	case l.Form == abi.FormInteger || l.Form == abi.FormFloat:
		f.Base[0] ^= l.signBit
	}
	return Field{f, l}
}

// PlanFields returns the fields of a word of a plan, whose keys are not strings.
func PlanFields(p *keyencode.Plan, word int) []Field {
	found, _ := p.Fields(word)
	fields := make([]Field, len(found))
	for i, f := range found {
		fields[i] = fieldOf(f)
	}
	return fields
}

// TypeWord makes one word of keys, the most significant key first, that has a number for every row that their types
// allow. It returns the fields of the word, which add up, and its bits. It reports false where these are more than 64,
// and for keys that are not numbers.
func TypeWord(columns []keyencode.Column, keys []keyencode.Key) (fields []Field, width int, ok bool) {
	fields = make([]Field, len(keys))
	weight, greatest := uint64(1), uint64(0)
	for i := len(keys) - 1; i >= 0; i-- {
		f, last, ok := keyencode.TypeField(&columns[keys[i].Column], keys[i])
		over, most := bits.Mul64(last, weight)
		if !ok || last == 0 || weight == 0 || over != 0 || greatest+most < greatest {
			return nil, 0, false
		}
		f.Mul, f.Bias, f.NaN, f.Null = f.Mul*weight, f.Bias*weight, f.NaN*weight, f.Null*weight
		fields[i] = fieldOf(f)
		greatest += most
		weight = greatest + 1 // 0: the word is full
	}
	return fields, bits.Len64(greatest), true
}

// TypeFields are the fields of keys whose ranges of values the device finds: it makes Mul and Bias. NaN is 1 with nulls
// at the start. It is nil where a key is not numbers.
func TypeFields(columns []keyencode.Column, keys []keyencode.Key) []Field {
	fields := make([]Field, len(keys))
	for i, k := range keys {
		f, _, ok := keyencode.TypeField(&columns[k.Column], k)
		if !ok {
			return nil
		}
		f.Mul, f.Bias, f.NaN, f.Null = 0, 0, 0, 0
		if k.Nulls == keyencode.NullsAtStart {
			f.NaN = 1
		}
		fields[i] = fieldOf(f)
	}
	return fields
}

// TypeWordWithNulls is the word of a key whose values take all numbers of 64 bits: nulls, at the end, share the last.
// It reports false for other keys.
func TypeWordWithNulls(columns []keyencode.Column, k keyencode.Key) (Field, bool) {
	f, width, ok := NullableWord(columns, k)
	return f, ok && width == 64 && k.Nulls != keyencode.NullsAtStart
}

// NullableWord is the word of a key whose values take all numbers of 32 or 64 bits, and its bits: nulls share the last
// number or, at the start, the first. It reports false for other keys, and for columns without nulls.
func NullableWord(columns []keyencode.Column, k keyencode.Key) (f Field, width int, ok bool) {
	w, last, ok := keyencode.TypeField(&columns[k.Column], k)
	width = bits.Len64(w.Last[0])
	whole := (width == 32 || width == 64) && w.Last[0] == math.MaxUint64>>(64-width)
	if !ok || !whole || last == w.Last[0] {
		return Field{}, 0, false
	}
	if w.Null = w.Last[0]; k.Nulls == keyencode.NullsAtStart {
		w.Null = 0
		w.Bias--
	}
	return fieldOf(w), width, true
}

// AsOneColumn reports whether kernels read the fields of a word as one column: at most MostKeys, and not only bits.
func AsOneColumn(fields []Field) bool {
	return len(fields) <= kernels.MostKeys &&
		slices.ContainsFunc(fields, func(f Field) bool { return f.Layout.Form != abi.FormBit })
}

// IsNumber reports whether a column holds numbers of 4 or 8 bytes, which kernels read directly.
func IsNumber(l Layout) bool {
	forms := []uint64{abi.FormInteger, abi.FormFloat, abi.FormRank}
	return l.stride == l.Width && (l.Width == 4 || l.Width == 8) && slices.Contains(forms, l.Form)
}

// IsDirect reports whether digit binning reads the column of a field directly.
func IsDirect(f *Field) bool {
	return f.Down == 0 && f.Up == 0 && IsNumber(f.Layout)
}
