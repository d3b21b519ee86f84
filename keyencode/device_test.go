package keyencode

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// pieceOn spells the formula of a DeviceField out for one cell.
func pieceOn(f *DeviceField, kind Kind, c cell) uint64 {
	number := f.numberOn(kind, c)
	return number >> f.Down & f.Mask << f.Up
}

func (f *DeviceField) numberOn(kind Kind, c cell) uint64 {
	width := lowBits(8 * f.Width)
	switch {
	case c.null || f.Form == FormNone:
		return f.Null
	case f.Form == FormClass:
		return f.Bias
	case f.Form == FormDecimal:
		return f.limbOn(c)
	case f.Form == FormBigEndian:
		return f.linearOn(bigEndian(c.raw), width)
	}
	x := uint64(0)
	for i, b := range c.raw[:f.Width] {
		x |= uint64(b) << (8 * i)
	}
	if f.Form == FormFloat {
		if x&f.SignBit != 0 {
			x = (f.SignBit - x) & width
		}
		if (x+f.Infinity)&width > 2*f.Infinity {
			return f.NaN
		}
	}
	return f.linearOn(x, width)
}

func (f *DeviceField) linearOn(x, width uint64) uint64 {
	return f.Bias + (x-f.Base[0])&width>>f.Shift*f.Mul
}

func (f *DeviceField) limbOn(c cell) uint64 {
	var v limbs
	for i, b := range c.raw {
		v[i/8] |= uint64(b) << (8 * (i % 8))
	}
	v[f.Width/8-1] ^= f.SignBit
	v = v.sub(f.Base).shr(f.Shift)
	if f.Descending {
		v = limbs(f.Last).sub(v)
	}
	return f.Bias + v[f.Limb]
}

func TestDeviceWordsAreTheCodes(t *testing.T) {
	for _, kind := range allKinds {
		for seed := range uint64(60) {
			rng := rand.New(rand.NewPCG(seed, uint64(kind)+1000))
			kinds := []Kind{kind, allKinds[rng.IntN(len(allKinds))]}
			rows := 1 + rng.IntN(40)
			var columns []Column
			var cells [][]cell
			var keys []Key
			device := true
			for i, k := range kinds {
				fixed := fixedWidths[rng.IntN(len(fixedWidths))]
				cells = append(cells, randomCells(rng, k, fixed, rows))
				columns = append(columns, build(rng, k, fixed, 0, []int{0, rows}, cells[i]))
				keys = append(keys, Key{Column: i, Order: Order(rng.IntN(2)), Nulls: NullPlacement(rng.IntN(2))})
				_, ok := columns[i].OnDevice()
				device = device && ok
			}
			p := planOf(t, columns, keys)
			codes := codesOf(p, rows)
			for word := range codes {
				fields, ok := p.DeviceWord(word)
				require.True(t, ok || !device)
				for i := 0; ok && i < rows; i++ {
					sum := uint64(0)
					for j := range fields {
						f := &fields[j]
						require.Less(t, f.Shift, uint(8*max(f.Width, 1)), "no bit is left")
						sum += pieceOn(f, kinds[f.Column], cells[f.Column][i])
					}
					require.Equal(
						t, codes[word][i], sum,
						fmt.Sprintf("kinds %v, seed %d, word %d, row %d, plan %v", kinds, seed, word, i, p),
					)
				}
			}
		}
	}
}
