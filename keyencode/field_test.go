package keyencode

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/stretchr/testify/require"
)

// bitsOf spells the formula of a Field out for one cell.
func (f *Field) bitsOf(c cell) uint64 { return f.numberOf(c) >> f.Down & f.Mask << f.Up }

func (f *Field) numberOf(c cell) uint64 {
	switch class := c.class(f.Kind); {
	case class == ClassNull:
		return f.Null
	case class == ClassNaN:
		return f.NaN
	case f.Class:
		return f.Bias
	}
	v := orderedLimbs(f.Kind, c)
	if f.Wide {
		v = v.sub(f.Base).shr(f.Shift)
		if f.Descending {
			v = uint256(f.Last).sub(v)
		}
		return f.Bias + v[f.Limb]
	}
	return f.Bias + (v[0]-f.Base[0])>>f.Shift*f.Mul
}

// orderedLimbs returns the ordered limbs of a value; the first is the ordered word.
func orderedLimbs(kind Kind, c cell) (v uint256) {
	if kind == FixedSizeBinary {
		return uint256{buffers.BigEndian(c.raw)}
	}
	for i, b := range c.raw {
		v[i/8] |= uint64(b) << (8 * (i % 8))
	}
	sign, last := kind.signBit(), max(len(c.raw)-1, 0)/8
	if kind.isFloat() && v[0]&sign != 0 {
		v[0] = (sign - v[0]) & (sign<<1 - 1)
	}
	v[last] ^= sign
	return v
}

func TestFieldsAreTheCodes(t *testing.T) {
	for _, kind := range allKinds {
		for seed := range uint64(60) {
			rng := rand.New(rand.NewPCG(seed, uint64(kind)+1000))
			kinds := []Kind{kind, allKinds[rng.IntN(len(allKinds))]}
			rows := 1 + rng.IntN(40)
			var columns []Column
			var cells [][]cell
			var keys []Key
			numbers := true
			for i, k := range kinds {
				fixed := fixedWidths[rng.IntN(len(fixedWidths))]
				cells = append(cells, randomCells(rng, k, fixed, rows))
				columns = append(columns, build(rng, k, fixed, 0, []int{0, rows}, cells[i]))
				keys = append(keys, Key{Column: i, Order: Order(rng.IntN(2)), Nulls: NullPlacement(rng.IntN(2))})
				numbers = numbers && columns[i].encoding() != encodingBytes
			}
			p := planOf(t, columns, keys)
			codes := codesOf(p, rows)
			for word := range codes {
				fields, ok := p.Fields(word)
				require.True(t, ok || !numbers)
				for i := 0; ok && i < rows; i++ {
					sum := uint64(0)
					for j := range fields {
						f := &fields[j]
						require.Less(t, f.Shift, uint(64), "no bit is left")
						sum += f.bitsOf(cells[f.Column][i])
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

// numbers are the kinds that a word of their types can hold.
var numbers = slices.DeleteFunc(slices.Clone(allKinds), func(k Kind) bool {
	_, ok := (&Column{Kind: k}).domain(NullsAtEnd)
	return !ok
})

// TestTypeFields compares the numbers of the rows of a key with the model.
func TestTypeFields(t *testing.T) {
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 5))
		const rows = 30
		kind := numbers[int(seed)%len(numbers)]
		cells := randomCells(rng, kind, 0, rows)
		c := build(rng, kind, 0, 0, []int{0, rows}, cells)
		key := Key{Order: Order(rng.IntN(2)), Nulls: NullPlacement(rng.IntN(2))}
		f, last, ok := TypeField(&c, key)
		require.True(t, ok)
		nullable := c.Chunks[1].Validity != nil
		require.Equal(t, nullable && (kind == Int64 || kind == Uint64), last == 0, "seed %d", seed)
		if last == 0 {
			continue
		}
		for a := range rows {
			for b := range rows {
				want := sign(compareCells(kind, key, cells[a], cells[b]))
				x, y := f.bitsOf(cells[a]), f.bitsOf(cells[b])
				require.LessOrEqual(t, x, last, "seed %d", seed)
				require.Equal(t, want, cmp.Compare(x, y), "seed %d, %+v, rows %d and %d", seed, key, a, b)
			}
		}
	}
	for _, kind := range []Kind{Null, Decimal128, FixedSizeBinary, Binary} {
		c := rowsOf(kind, false)
		_, _, ok := TypeField(&c, Key{})
		require.False(t, ok, "kind %d", kind)
	}
}
