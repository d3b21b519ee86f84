package keyencode

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// tiedTexts are rows whose strings are at hand, or not.
type tiedTexts struct {
	*Plan
	texts  [][]byte
	atHand bool
	asked  int
}

func (t *tiedTexts) Strings(dst [][]byte, _ int, rows []uint32) bool {
	for i, r := range rows[:len(dst)] {
		dst[i] = t.texts[r]
	}
	t.asked += len(dst)
	return t.atHand
}

func (t *tiedTexts) SortRun(rows []uint32, codes []uint64) {
	for i := range rows {
		for j := i; j > 0 && codes[j] < codes[j-1]; j-- {
			rows[j], rows[j-1], codes[j], codes[j-1] = rows[j-1], rows[j], codes[j-1], codes[j]
		}
	}
}

// TestTiesSkipSharedBytes breaks ties of strings that share many bytes, are prefixes of one another, or differ in zero
// bytes at their ends, with a number behind them.
func TestTiesSkipSharedBytes(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		n := 2 + rng.IntN(200)
		texts := make([][]byte, n)
		shared := bytes.Repeat([]byte{'s', 0}, rng.IntN(30))
		for i := range texts {
			texts[i] = append([]byte("8 bytes "), shared[:len(shared)-min(len(shared), rng.IntN(20)/19*7)]...)
			texts[i] = append(texts[i], randomString(rng, rng.IntN(5))...)
		}
		texts[0] = []byte("another beginning")
		cells, numbers := make([]cell, n), make([]cell, n)
		for i := range cells {
			cells[i].raw, numbers[i].raw = texts[i], []byte{byte(rng.IntN(3))}
		}
		if rng.IntN(3) == 0 {
			cells[n-1], texts[n-1] = cell{null: true}, nil
		}
		key := Key{Order: Order(rng.IntN(2)), Nulls: NullPlacement(rng.IntN(2))}
		p, _ := planOfCells(t, testKey{key, LargeBinary, cells}, testKey{Key{}, Uint8, numbers})
		for _, atHand := range []bool{true, false} {
			rows, codes := make([]uint32, n), make([]uint64, n)
			for i := range rows {
				rows[i] = uint32(i)
			}
			tied := &tiedTexts{p, texts, atHand, 0}
			p.Encode(codes, 0)
			tied.SortRun(rows, codes)
			b := TieBreaker{Runs: p.AppendRuns(nil, codes, 0, 0), Rows: make([]uint32, n), Codes: make([]uint64, n)}
			b.Break(t.Context(), p, tied, rows)
			for i := 1; i < n; i++ {
				x, y := rows[i-1], rows[i]
				order := compareCells(LargeBinary, key, cells[x], cells[y])
				if order == 0 {
					order = compareCells(Uint8, Key{}, numbers[x], numbers[y])
				}
				inOrder := order < 0 || order == 0 && x < y
				require.True(t, inOrder, "seed %d, %v: %q before %q", seed, atHand, texts[x], texts[y])
			}
		}
	}
}

// TestLongSharedBytesAreSkippedAtOnce: rows that share a thousand bytes are not sorted once for every seven.
func TestLongSharedBytesAreSkippedAtOnce(t *testing.T) {
	texts := [][]byte{[]byte("another")}
	cells := stringCells("another")
	for i := range 100 {
		texts = append(texts, fmt.Appendf(nil, "%01000d", i))
		cells = append(cells, cell{raw: texts[i+1]})
	}
	p, _ := planOfCells(t, testKey{Key{}, Binary, cells})
	rows := make([]uint32, len(texts)-1)
	for i := range rows {
		rows[i] = uint32(len(texts) - 1 - i)
	}
	tied := &tiedTexts{p, texts, true, 0}
	b := TieBreaker{
		Runs: []Run{{Hi: len(rows), Word: 1}}, Rows: make([]uint32, len(rows)), Codes: make([]uint64, len(rows)),
	}
	b.Break(t.Context(), p, tied, rows)
	for i, r := range rows {
		require.EqualValues(t, i+1, r)
	}
	require.Less(t, tied.asked, 100*(1000/8+3))
}

func TestAppendRuns(t *testing.T) {
	p := &Plan{words: 3, segments: []segment{{words: 3, bits: 64}}}
	before := []Run{{Hi: 2, Word: 1}}
	require.Equal(t, before, p.AppendRuns(before, nil, 0, 0))
	require.Equal(t, before, p.AppendRuns(before, []uint64{1, 2, 3}, 0, 0), "no row ties")
	after := append(before, Run{Lo: 100, Hi: 102, Word: 1}, Run{Lo: 103, Hi: 106, Word: 1})
	require.Equal(t, after, p.AppendRuns(before, []uint64{7, 7, 8, 9, 9, 9}, 0, 100))
	require.Equal(t, []Run{{Hi: 2, Word: 2}}, p.AppendRuns(nil, []uint64{7, 7}, 1, 0))
	require.Empty(t, p.AppendRuns(nil, []uint64{7, 7}, 2, 0), "no word is left that differs")
}
