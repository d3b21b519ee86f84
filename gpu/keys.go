package gpu

import (
	"math"
	"math/bits"
	"slices"

	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A keyShape is what is known of a key without a look at its values.
type keyShape struct {
	keyencode.DeviceColumn
	descending, nullsAtStart bool
	nullable                 bool
}

// A keyNumber places a key's numbers in a word: 0..last, the values from first on.
type keyNumber struct {
	values, first, last uint64 // values: the greatest number of a value, the least being 0
	nan, null           uint64
}

// greatest is the number of the greatest value that there can be, the least being 0; ok is false for what is not read as numbers.
func (k *keyShape) greatest() (last uint64, ok bool) {
	switch k.Form {
	case keyencode.FormInteger, keyencode.FormFloat:
		return math.MaxUint64 >> (64 - 8*k.Width), true
	case keyencode.FormBit:
		return 1, true
	case keyencode.FormRank:
		return math.MaxUint32 - 1, true
	}
	return 0, false
}

// field is a piece of a word that has no place in it yet.
func (k *keyShape) field(last uint64) abiField {
	f := abiField{
		form: uint64(k.Form), width: uint64(k.Width), stride: uint64(k.Stride), sign: k.SignBit, infinity: k.Infinity,
		base: [4]uint64{k.SignBit}, last: [4]uint64{last}, mask: math.MaxUint64,
	}
	if k.descending {
		f.descending = 1
	}
	return f
}

// number gives every value that a key can have a number of its own, and NaN and null if they can be; ok is false where there are more than
// 2^64, and where values are no numbers.
func (k *keyShape) number() (n keyNumber, ok bool) {
	if n.values, ok = k.greatest(); !ok {
		return n, false
	}
	nullable := k.nullable || k.Form == keyencode.FormRank // entries of dictionaries can be null
	n.last = n.values
	if nullable && k.Form != keyencode.FormFloat { // floats leave numbers free at both ends
		if n.last++; n.last == 0 {
			return n, false
		}
		if k.nullsAtStart {
			n.first = 1
		}
	}
	if k.nullsAtStart {
		n.null, n.nan = 0, 1
	} else {
		n.null, n.nan = n.last, n.last-1
	}
	return n, true
}

// wordOfKeys makes one word of keys, the most significant first, that has room for all values of their types: the pieces of the word, and
// its bits. Nothing has to be measured for it. ok is false where it would be more than 64 bits.
func wordOfKeys(keys []keyShape) (pieces []abiField, width int, ok bool) {
	pieces = make([]abiField, len(keys))
	weight, greatest := uint64(1), uint64(0)
	for i := len(keys) - 1; i >= 0; i-- {
		k := &keys[i]
		n, ok := k.number()
		if !ok || weight == 0 {
			return nil, 0, false
		}
		over, top := bits.Mul64(n.last, weight)
		if over != 0 || greatest+top < greatest {
			return nil, 0, false
		}
		greatest += top
		f := k.field(n.values)
		f.mul, f.bias, f.nan, f.null = weight, n.first*weight, n.nan*weight, n.null*weight
		if k.descending {
			f.mul, f.bias = -weight, (n.first+n.values)*weight
		}
		pieces[i] = f
		weight = greatest + 1 // 0: the word is full
	}
	return pieces, bits.Len64(greatest), true
}

// crowdedWord is the word of a key whose values take all numbers of 64 bits: nulls, which sort behind them, share the greatest. ok is false for
// other keys.
func crowdedWord(k *keyShape) (word abiField, ok bool) {
	last, ok := k.greatest()
	if !ok || last != math.MaxUint64 || k.Form == keyencode.FormFloat || k.nullsAtStart {
		return word, false
	}
	word = k.field(last)
	word.mul, word.null = 1, last
	if k.descending {
		word.mul, word.bias = math.MaxUint64, last
	}
	return word, true
}

// openWordOfKeys are the pieces of a word in which the device gives keys the room that their values take; nil where some are no numbers.
func openWordOfKeys(keys []keyShape) []abiField {
	pieces := make([]abiField, len(keys))
	for i := range keys {
		last, ok := keys[i].greatest()
		if !ok {
			return nil
		}
		pieces[i] = keys[i].field(last)
		if keys[i].nullsAtStart {
			pieces[i].nan = 1
		}
	}
	return pieces
}

// asOneColumn reports whether kernels read pieces of a word as one column: there must be more than bits, and not too many.
func asOneColumn(pieces []abiField) bool {
	return len(pieces) <= kernels.MostKeys && slices.ContainsFunc(pieces, func(f abiField) bool { return f.form != uint64(keyencode.FormBit) })
}
