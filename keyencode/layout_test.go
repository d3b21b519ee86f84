package keyencode

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// randomTable returns a table of n rows and some random keys on its columns.
func randomTable(rng *rand.Rand, n int) ([]Column, []Key, [][]cell) {
	var columns []Column
	var keys []Key
	var cells [][]cell
	for i := range 1 + rng.IntN(5) {
		kind := allKinds[rng.IntN(len(allKinds))]
		fixed := fixedWidths[rng.IntN(len(fixedWidths))]
		cells = append(cells, randomCells(rng, kind, fixed, n))
		columns = append(columns, build(rng, kind, fixed, rng.IntN(70), []int{rng.IntN(n + 1), 0}, cells[i]))
		keys = append(keys, Key{Column: i, Order: Order(rng.IntN(2)), Nulls: NullPlacement(rng.IntN(2))})
	}
	return columns, keys, cells
}

// TestSeveralKeys compares the codes of whole keys, of one word or many, on all pairs, and checks the promises on
// words.
func TestSeveralKeys(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 7))
		n := 1 + rng.IntN(60)
		columns, keys, cells := randomTable(rng, n)
		p := planOf(t, columns, keys)
		codes := codesOf(p, n)
		for i := range n {
			for j := range n {
				want := 0
				for k := 0; k < len(keys) && want == 0; k++ {
					want = sign(compareCells(columns[k].Kind, keys[k], cells[k][i], cells[k][j]))
				}
				if got := compareCodes(p, codes, i, j); got != want {
					t.Fatalf("seed %d, plan %v: rows %d and %d compare %d, their codes %d", seed, p, i, j, want, got)
				}
			}
		}
		for word := range codes {
			for i, c := range codes[word] {
				require.LessOrEqual(
					t, bits.Len64(c), p.WordBits(word), "seed %d, plan %v, word %d, row %d", seed, p, word, i,
				)
			}
		}
		if p.Reversed() && p.Words() > 0 {
			for i := range n - 1 {
				require.Equal(t, 1, compareCodes(p, codes, i, i+1), "seed %d, plan %v, row %d", seed, p, i)
			}
		}
		checkBorders(t, p, columns, cells, codes, seed)
	}
}

// checkBorders checks that the borders separate the classes of the leading key.
func checkBorders(t *testing.T, p *Plan, columns []Column, cells [][]cell, codes [][]uint64, seed uint64) {
	borders := p.Borders()
	if len(borders) == 0 {
		return
	}
	require.True(t, slices.IsSorted(borders), "seed %d", seed)
	lead := 0
	for p.constant(lead) {
		lead++
	}
	classes := map[int]Class{}
	for i, c := range codes[0] {
		part := 0
		for part < len(borders) && c > borders[part] {
			part++
		}
		class := cells[lead][i].class(columns[lead].Kind)
		if was, ok := classes[part]; ok {
			require.Equal(t, was, class, "seed %d, plan %v, row %d", seed, p, i)
		}
		classes[part] = class
	}
	require.Len(t, classes, len(borders)+1, "seed %d, plan %v: a border without rows", seed, p)
}

func TestBorders(t *testing.T) {
	cells := withNulls(float64Cells(1, math.NaN(), 3, 0, 2), 3) // codes 0, 2, 3 in steps of 2^51
	for _, c := range []struct {
		nulls NullPlacement
		want  []uint64
	}{{NullsAtEnd, []uint64{3, 4}}, {NullsAtStart, []uint64{0, 1}}} {
		p, _ := planOfCells(t, testKey{Key{Nulls: c.nulls}, Float64, cells})
		require.Equal(t, c.want, p.Borders())
	}
	p, _ := planOfCells(t, testKey{Key{}, Float64, float64Cells(1, 2)})
	require.Empty(t, p.Borders())
}

func TestNextSkipsTheRestOfShortStrings(t *testing.T) {
	long := string(make([]byte, 1<<20))
	for _, order := range []Order{Ascending, Descending} {
		p, _ := planOfCells(
			t,
			testKey{
				Key{Order: order}, LargeBinary,
				withNulls(stringCells("a", long, "abcdefghijkl", "abcdefghijkl", ""), 4),
			},
			testKey{
				Key{},
				Int32,
				[]cell{
					{raw: []byte{1, 0, 0, 0}}, {raw: []byte{2, 0, 0, 0}}, {raw: []byte{3, 0, 0, 0}},
					{raw: []byte{4, 0, 0, 0}}, {raw: []byte{5, 0, 0, 0}},
				},
			},
		)
		require.Greater(t, p.Words(), 100_000)
		var code [1]uint64
		for _, row := range []uint32{0, 2, 3, 4} {
			p.EncodeRows(code[:], 1, []uint32{row})
			require.Equal(t, p.Words()-1, p.Next(1, code[0]), "row %d", row)
		}
		p.EncodeRows(code[:], 1, []uint32{1})
		require.Equal(t, 2, p.Next(1, code[0]))
		require.Equal(t, p.Words(), p.Next(p.Words()-1, 0))
	}
}

// TestSharedBytesTakeNoCode: of addresses the numbers of hosts and the first letters of pages are in the leading word.
func TestSharedBytesTakeNoCode(t *testing.T) {
	var texts []string
	for i := range 200 {
		page := []string{"articles", "images/large", "users"}[i%3]
		texts = append(texts, fmt.Sprintf("https://www.host%05d.example/%s/%d", i*i*7%90_000, page, i))
	}
	p, _ := planOfCells(t, testKey{Key{}, Binary, stringCells(texts...)})
	codes := make([]uint64, len(texts))
	p.Encode(codes, 0)
	for i, a := range texts {
		for j, b := range texts {
			require.Equal(t, a[16:21]+a[30:33] < b[16:21]+b[30:33], codes[i] < codes[j], "%s, %s", a, b)
		}
	}
	longest := len("https://www.host00000.example/images/large/199")
	require.Equal(t, 1+(longest-33+stringWordBytes-1)/stringWordBytes, p.Words())
}
