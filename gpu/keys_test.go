package gpu

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

func integer(width int, signed bool) keyShape {
	k := keyShape{DeviceColumn: keyencode.DeviceColumn{Form: keyencode.FormInteger, Width: width, Stride: width}}
	if signed {
		k.SignBit = 1 << (8*width - 1)
	}
	return k
}

func floating(width int) keyShape {
	k := integer(width, true)
	k.Form, k.Infinity = keyencode.FormFloat, map[int]uint64{2: 0x7C00, 4: 0x7F80_0000, 8: 0x7FF << 52}[width]
	return k
}

// cell is a value as it is stored, or null.
type cell struct {
	x    uint64
	null bool
}

// cellsOf are values of a key in the order that they have to have; neighbours of one rank tie.
func cellsOf(k keyShape) (cells []cell, ranks []int) {
	var values []uint64
	top := uint64(math.MaxUint64) >> (64 - 8*k.Width)
	switch {
	case k.Form == keyencode.FormFloat:
		values = []uint64{k.SignBit | k.Infinity, k.SignBit | k.Infinity - 1, k.SignBit | 1, k.SignBit, 0, 1, k.Infinity - 1, k.Infinity}
	case k.Form == keyencode.FormBit:
		values = []uint64{0, 1}
	case k.Form == keyencode.FormRank:
		values = []uint64{1, 2, 77, math.MaxUint32}
	case k.SignBit != 0:
		values = []uint64{k.SignBit, k.SignBit + 1, top, 0, 1, k.SignBit - 1}
	default:
		values = []uint64{0, 1, 99, top - 1, top}
	}
	rank := 0
	for i := range values {
		at := i
		if k.descending {
			at = len(values) - 1 - i
		}
		if i > 0 && !(k.Form == keyencode.FormFloat && values[at]&^k.SignBit == 0 && cells[i-1].x&^k.SignBit == 0) {
			rank++
		}
		cells, ranks = append(cells, cell{x: values[at]}), append(ranks, rank)
	}
	add := func(c cell, classRank int) {
		if k.nullsAtStart {
			classRank = -classRank
		} else {
			classRank += rank
		}
		cells, ranks = append(cells, c), append(ranks, classRank)
	}
	if k.Form == keyencode.FormFloat {
		add(cell{x: k.Infinity + 1}, 1)
		add(cell{x: k.SignBit | top>>1}, 1)
	}
	if k.Form == keyencode.FormRank {
		add(cell{x: 0}, 2)
	}
	if k.nullable {
		add(cell{null: true}, 2)
	}
	return cells, ranks
}

// pieceOf is what kernels make of a cell: see Field in kernels/abi.h.
func pieceOf(f *abiField, c cell) uint64 {
	mask, x := uint64(math.MaxUint64)>>(64-8*f.width), c.x
	switch {
	case c.null, f.form == uint64(keyencode.FormRank) && x == 0:
		return f.null
	case f.form == uint64(keyencode.FormRank):
		x--
	case f.form == uint64(keyencode.FormFloat):
		if x&f.sign != 0 {
			x = (f.sign - x) & mask
		}
		if (x+f.infinity)&mask > 2*f.infinity {
			return f.nan
		}
	}
	return f.bias + ((x-f.base[0])&mask)*f.mul
}

func TestWordOfKeys(t *testing.T) {
	bit := keyShape{DeviceColumn: keyencode.DeviceColumn{Form: keyencode.FormBit, Width: 1}}
	rank := keyShape{DeviceColumn: keyencode.DeviceColumn{Form: keyencode.FormRank, Width: 4, Stride: 4}}
	nullable := func(k keyShape) keyShape { k.nullable = true; return k }
	atStart := func(k keyShape) keyShape { k.nullable, k.nullsAtStart = true, true; return k }
	down := func(k keyShape) keyShape { k.descending = true; return k }
	for _, test := range []struct {
		keys []keyShape
		bits int // 0: too many
	}{
		{[]keyShape{integer(4, true), integer(4, true)}, 64},
		{[]keyShape{down(integer(4, true)), integer(4, false)}, 64},
		{[]keyShape{integer(4, true), nullable(integer(4, true))}, 0},
		{[]keyShape{integer(2, true), integer(8, true)}, 0},
		{[]keyShape{integer(8, true), bit}, 0},
		{[]keyShape{integer(8, true)}, 64},
		{[]keyShape{nullable(integer(8, true))}, 0},
		{[]keyShape{nullable(floating(8))}, 64},
		{[]keyShape{floating(4), down(nullable(floating(4)))}, 64},
		{[]keyShape{down(atStart(floating(2))), integer(2, false), rank}, 64},
		{[]keyShape{rank, atStart(floating(4))}, 64},
		{[]keyShape{atStart(rank), down(integer(4, true))}, 64},
		{[]keyShape{nullable(bit), down(atStart(integer(1, true))), down(nullable(integer(2, false)))}, 26},
		{[]keyShape{atStart(integer(2, true)), down(bit), nullable(integer(4, true))}, 50},
		{[]keyShape{integer(1, false), integer(1, true), down(integer(2, true)), floating(4)}, 64},
	} {
		pieces, width, ok := wordOfKeys(test.keys)
		require.Equal(t, test.bits > 0, ok, "%+v", test.keys)
		if !ok {
			continue
		}
		require.Equal(t, test.bits, width, "%+v", test.keys)
		type word struct {
			code  uint64
			ranks []int
		}
		words := []word{{}}
		for i, k := range test.keys {
			cells, ranks := cellsOf(k)
			var longer []word
			for _, w := range words {
				for c := range cells {
					code := w.code + pieceOf(&pieces[i], cells[c])
					longer = append(longer, word{code, append(append([]int(nil), w.ranks...), ranks[c])})
				}
			}
			words = longer
		}
		for i, a := range words {
			b := words[(i*7+3)%len(words)]
			want := 0
			for k := range a.ranks {
				if want == 0 {
					want = min(1, max(-1, a.ranks[k]-b.ranks[k]))
				}
			}
			got := 0
			if a.code != b.code {
				got = map[bool]int{true: -1, false: 1}[a.code < b.code]
			}
			require.Equal(t, want, got, "%+v: %x and %x", test.keys, a, b)
			require.LessOrEqual(t, a.code, uint64(math.MaxUint64)>>(64-width))
		}
	}
	_, _, ok := wordOfKeys([]keyShape{{DeviceColumn: keyencode.DeviceColumn{Form: keyencode.FormDecimal, Width: 16, Stride: 16}}})
	require.False(t, ok)
}

func TestOpenWordOfKeys(t *testing.T) {
	id, bit := integer(8, true), keyShape{DeviceColumn: keyencode.DeviceColumn{Form: keyencode.FormBit, Width: 1}}
	id.nullable, id.nullsAtStart, id.descending = true, true, true
	pieces := openWordOfKeys([]keyShape{id, floating(8), bit})
	require.Len(t, pieces, 3)
	require.Equal(t, []uint64{1, 0, 0}, []uint64{pieces[0].nan, pieces[1].nan, pieces[2].nan})
	require.Equal(t, []uint64{math.MaxUint64, math.MaxUint64, 1}, []uint64{pieces[0].last[0], pieces[1].last[0], pieces[2].last[0]})
	for i, p := range pieces {
		require.Zero(t, p.mul)
		require.Equal(t, map[int]uint64{0: 1}[i], p.descending)
	}
	require.True(t, asOneColumn(pieces))
	require.False(t, asOneColumn(pieces[2:]))
	require.False(t, asOneColumn(make([]abiField, kernels.MostKeys+1)))
	text := keyShape{DeviceColumn: keyencode.DeviceColumn{Form: keyencode.FormBigEndian, Width: 3, Stride: 3}}
	require.Nil(t, openWordOfKeys([]keyShape{id, text}))
	require.False(t, asOneColumn(nil))
}

// TestCrowdedWord: values of all numbers stay in their order, and nulls share the number of the last one.
func TestCrowdedWord(t *testing.T) {
	for _, signed := range []bool{false, true} {
		for _, descending := range []bool{false, true} {
			k := integer(8, signed)
			k.nullable, k.descending = true, descending
			word, ok := crowdedWord(&k)
			require.True(t, ok)
			cells, _ := cellsOf(k) // in their order, the null behind all values
			for i := 1; i < len(cells)-1; i++ {
				require.Less(t, pieceOf(&word, cells[i-1]), pieceOf(&word, cells[i]))
			}
			last := len(cells) - 1
			require.True(t, cells[last].null)
			require.Equal(t, pieceOf(&word, cells[last-1]), pieceOf(&word, cells[last]))
			require.Equal(t, uint64(math.MaxUint64), word.null)
		}
	}
	first := integer(8, true)
	first.nullable, first.nullsAtStart = true, true
	for _, k := range []keyShape{first, integer(4, true), floating(8)} {
		_, ok := crowdedWord(&k)
		require.False(t, ok, "%+v", k)
	}
}
