package keyencode

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// canonical returns what a cell decodes to.
func canonical(kind Kind, c cell) []byte {
	v := slices.Clone(c.raw)
	switch {
	case c.class(kind) == ClassNaN:
		return map[Kind][]byte{
			Float16: {0, 0x7e}, Float32: {0, 0, 0xc0, 0x7f}, Float64: {0, 0, 0, 0, 0, 0, 0xf8, 0x7f},
		}[kind]
	case kind.isFloat() && compareCells(kind, Key{}, c, cell{raw: make([]byte, len(v))}) == 0:
		clear(v)
	case kind.isDictionary():
		for i := range v { // from the rank to the entry of Ranks
			if v[i]++; v[i] != 0 {
				break
			}
		}
	}
	return v
}

func TestDecodeInvertsEncode(t *testing.T) {
	for _, kind := range allKinds {
		if kind == Binary || kind == LargeBinary || kind == BinaryView {
			continue
		}
		for seed := range uint64(60) {
			rng := rand.New(rand.NewPCG(seed, uint64(kind)))
			fixed := []int{0, 1, 3, 8, 9, 16, 20, 33}[rng.IntN(8)]
			cells := randomCells(rng, kind, fixed, 1+rng.IntN(90))
			other := randomCells(rng, Int64, 0, len(cells))
			columns := []Column{build(rng, kind, fixed, 7, []int{5}, cells), build(rng, Int64, 0, 0, nil, other)}
			for mode := range 4 {
				k := Key{Order: Order(mode & 1), Nulls: NullPlacement(mode >> 1)}
				p := planOf(t, columns, []Key{{Column: 1}, k, {Column: 1}})
				value := make([]byte, widthOf(kind, fixed))
				words := make([]uint64, p.Words())
				for i, c := range cells {
					for w := range words {
						p.EncodeRows(words[w:w+1], w, []uint32{uint32(i)})
					}
					class := p.Decode(1, words, value)
					require.Equal(
						t, c.class(kind), class, "kind %d, width %d, seed %d, %v, row %d %v", kind, fixed, seed, k, i,
						c,
					)
					if class != ClassNull {
						require.Equal(
							t, canonical(kind, c), slices.Clone(value), "kind %d, width %d, seed %d, %v, row %d %v",
							kind, fixed, seed, k, i, c,
						)
					}
				}
			}
		}
	}
}
