package keyencode

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/arrowsort/arrowsort/internal/buffers"
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
		return f.linearOn(buffers.BigEndian(c.raw), width)
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

func TestBitsOfTypeWords(t *testing.T) {
	const nullable = true
	for _, test := range []struct {
		columns []Column
		bits    int // 0: more than 64, or not numbers
	}{
		{[]Column{rowsOf(Int32, false), rowsOf(Int32, false)}, 64},
		{[]Column{rowsOf(Int32, false), rowsOf(Int32, nullable)}, 0},
		{[]Column{rowsOf(Int16, false), rowsOf(Int64, false)}, 0},
		{[]Column{rowsOf(Uint64, false), rowsOf(Bool, false)}, 0},
		{[]Column{rowsOf(Int64, false)}, 64},
		{[]Column{rowsOf(Int64, nullable)}, 0},
		{[]Column{rowsOf(Float64, nullable)}, 64},
		{[]Column{rowsOf(Float32, false), rowsOf(Float32, nullable)}, 64},
		{[]Column{rowsOf(Float16, nullable), rowsOf(Uint16, false), rowsOf(Dictionary8, false)}, 64},
		{[]Column{rowsOf(Bool, nullable), rowsOf(Int8, nullable), rowsOf(Uint16, nullable)}, 26},
		{[]Column{rowsOf(Int16, nullable), rowsOf(Bool, false), rowsOf(Int32, nullable)}, 50},
		{[]Column{rowsOf(Decimal128, false)}, 0},
		{[]Column{rowsOf(FixedSizeBinary, false)}, 0},
		{[]Column{rowsOf(Null, false)}, 0},
	} {
		var keys []Key
		for i := range test.columns {
			keys = append(keys, Key{Column: i, Order: Order(i % 2)})
		}
		_, bits, ok := TypeWord(test.columns, keys)
		require.Equal(t, test.bits > 0, ok, "%+v", test.columns)
		require.Equal(t, test.bits, bits, "%+v", test.columns)
	}
}

// numbers are the kinds that a word of their types can hold.
var numbers = slices.DeleteFunc(slices.Clone(allKinds), func(k Kind) bool {
	_, ok := (&Column{Kind: k}).typeRange(NullsAtEnd)
	return !ok
})

// TestTypeWordsOrderRows compares the words of rows of one to three keys with the model.
func TestTypeWordsOrderRows(t *testing.T) {
	words := 0
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 5))
		const rows = 30
		var columns []Column
		var cells [][]cell
		var keys []Key
		for i := range 1 + rng.IntN(3) {
			kind := numbers[(int(seed)+i*rng.IntN(len(numbers)))%len(numbers)]
			cells = append(cells, randomCells(rng, kind, 0, rows))
			columns = append(columns, build(rng, kind, 0, 0, []int{0, rows}, cells[i]))
			keys = append(keys, Key{Column: i, Order: Order(rng.IntN(2)), Nulls: NullPlacement(rng.IntN(2))})
		}
		fields, bits, ok := TypeWord(columns, keys)
		if !ok {
			continue
		}
		words++
		codes := make([]uint64, rows)
		for row := range codes {
			for i := range fields {
				codes[row] += pieceOn(&fields[i], columns[i].Kind, cells[i][row])
			}
			require.Zero(t, codes[row]&^lowBits(bits))
		}
		for a := range rows {
			for b := range rows {
				want := 0
				for i := 0; i < len(keys) && want == 0; i++ {
					want = sign(compareCells(columns[i].Kind, keys[i], cells[i][a], cells[i][b]))
				}
				got := cmp.Compare(codes[a], codes[b])
				require.Equal(t, want, got, "seed %d, %+v, rows %d and %d", seed, keys, a, b)
			}
		}
	}
	require.Greater(t, words, 500)
}

func TestTypeFields(t *testing.T) {
	columns := []Column{
		rowsOf(Int64, true), rowsOf(Float64, false), rowsOf(Bool, false), rowsOf(FixedSizeBinary, false),
	}
	keys := []Key{{Order: Descending, Nulls: NullsAtStart}, {Column: 1}, {Column: 2}}
	fields := TypeFields(columns, keys)
	require.Len(t, fields, 3)
	for i, last := range []uint64{math.MaxUint64, math.MaxUint64, 1} {
		require.Equal(t, last, fields[i].Last[0])
		require.Equal(t, i == 0, fields[i].Descending)
		require.Equal(t, map[int]uint64{0: 1}[i], fields[i].NaN)
		require.Zero(t, fields[i].Mul)
	}
	require.Nil(t, TypeFields(columns, append(keys, Key{Column: 3})))
}

// TestTypeWordWithNulls: values of all numbers stay in their order, and nulls share the number of the last one.
func TestTypeWordWithNulls(t *testing.T) {
	for _, kind := range []Kind{Int64, Uint64} {
		for _, order := range []Order{Ascending, Descending} {
			key := Key{Order: order}
			word, ok := TypeWordWithNulls([]Column{rowsOf(kind, true)}, key)
			require.True(t, ok)
			var cells []cell
			for _, x := range []uint64{0, 1, 99, 1<<63 - 1, 1 << 63, 1<<63 + 1, math.MaxUint64} {
				cells = append(cells, cell{raw: binary.LittleEndian.AppendUint64(nil, x)})
			}
			sortCells(kind, key, cells)
			for i := 1; i < len(cells); i++ {
				require.Less(t, pieceOn(&word, kind, cells[i-1]), pieceOn(&word, kind, cells[i]))
			}
			require.Equal(t, uint64(math.MaxUint64), pieceOn(&word, kind, cells[len(cells)-1]))
			require.Equal(t, uint64(math.MaxUint64), word.Null)
		}
	}
	for _, c := range []Column{rowsOf(Int32, true), rowsOf(Float64, true), rowsOf(Binary, true)} {
		_, ok := TypeWordWithNulls([]Column{c}, Key{})
		require.False(t, ok, "%+v", c)
	}
	_, ok := TypeWordWithNulls([]Column{rowsOf(Int64, true)}, Key{Nulls: NullsAtStart})
	require.False(t, ok)
}
