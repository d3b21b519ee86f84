package gpu

import (
	"math"
	"math/bits"

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

// number gives every value that a key can have a number of its own, and NaN and null if they can be; ok is false where there are more than
// 2^64, and for what is not read as numbers.
func (k *keyShape) number() (n keyNumber, ok bool) {
	free := false                                          // numbers that no value has, at both ends
	nullable := k.nullable || k.Form == keyencode.FormRank // entries of dictionaries can be null
	switch k.Form {
	case keyencode.FormInteger:
		n.values = math.MaxUint64 >> (64 - 8*k.Width)
	case keyencode.FormBit:
		n.values = 1
	case keyencode.FormRank:
		n.values = math.MaxUint32 - 1
	case keyencode.FormFloat:
		n.values, free = math.MaxUint64>>(64-8*k.Width), true
	default:
		return n, false
	}
	n.last = n.values
	if nullable && !free {
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
		pieces[i] = abiField{
			form: uint64(k.Form), width: uint64(k.Width), stride: uint64(k.Stride), sign: k.SignBit, infinity: k.Infinity,
			base: [4]uint64{k.SignBit}, mul: weight, bias: n.first * weight, nan: n.nan * weight, null: n.null * weight, mask: math.MaxUint64,
		}
		if k.descending {
			pieces[i].mul, pieces[i].bias = -weight, (n.first+n.values)*weight
		}
		weight = greatest + 1 // 0: the word is full
	}
	return pieces, bits.Len64(greatest), true
}
