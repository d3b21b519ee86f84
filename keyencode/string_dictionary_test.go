package keyencode

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStringDictionary: the indices of several dictionaries, each of every third batch of a column's rows, stand for
// the rows' strings, and their ranks for the strings' order.
func TestStringDictionary(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, kind := range []Kind{Binary, LargeBinary, BinaryView, FixedSizeBinary} {
		for range 30 {
			n, fixed, batch := 1+rng.IntN(1500), 9+rng.IntN(9), 1+rng.IntN(200)
			cells := randomCells(rng, kind, fixed, n)
			first := rng.IntN(n + 1)
			c := build(rng, kind, fixed, rng.IntN(70), []int{first, 0, n - first}, cells)
			dictionaries := make([]*StringDictionary, 3)
			for i := range dictionaries {
				dictionaries[i] = NewStringDictionary(&c, n)
			}
			indices := make([]uint16, n)
			of := func(row int) int { return row / batch % 3 }
			for lo := 0; lo < n; lo += batch {
				require.True(t, dictionaries[of(lo)].Encode(indices[lo:min(lo+batch, n)], lo))
			}
			ranks, rows := RankStrings(dictionaries)
			rank := func(row int) uint16 { return ranks[of(row)][indices[row]] }
			var strings [][]byte
			for row, x := range cells {
				if x.null {
					require.Zero(t, rank(row), "null has no rank")
					continue
				}
				entry := cells[dictionaries[of(row)].Rows[indices[row]]]
				require.Equal(t, x.raw, entry.raw, "%v, row %d of %d", kind, row, n)
				require.False(t, entry.null)
				strings = append(strings, x.raw)
			}
			slices.SortFunc(strings, bytes.Compare)
			strings = slices.CompactFunc(strings, bytes.Equal)
			for row, x := range cells {
				if !x.null {
					require.Equal(t, x.raw, strings[rank(row)-1], "ranks are dense, and begin at 1")
					require.Equal(t, x.raw, cells[rows[rank(row)]].raw, "a row of the rank")
				}
			}
		}
	}
}

func numberedStrings(n int, text func(i int) string) Column {
	cells := make([]cell, n)
	for i := range cells {
		cells[i].raw = []byte(text(i))
	}
	return build(rand.New(rand.NewPCG(1, 1)), Binary, 0, 0, []int{n}, cells)
}

// TestStringDictionaryIsLimited: more strings than the limit end an encoding, after at most a block of rows.
func TestStringDictionaryIsLimited(t *testing.T) {
	c := numberedStrings(MaxStringDictionary+gatherRows, func(i int) string { return fmt.Sprint(i) })
	for _, limit := range []int{1, 100, 1 << 20} {
		d, rows := NewStringDictionary(&c, limit), min(limit, MaxStringDictionary-1)
		require.True(t, d.Encode(make([]uint16, rows), 0))
		require.True(t, d.Encode(make([]uint16, rows), 0), "no new ones")
		require.False(t, d.Encode(make([]uint16, gatherRows), rows))
		require.LessOrEqual(t, len(d.Rows), rows+1+gatherRows)
	}
}

func TestFewStrings(t *testing.T) {
	const n = 4096
	rows := make([]uint32, n)
	for i := range rows {
		rows[i] = uint32(i)
	}
	for _, c := range []struct {
		name string
		few  bool
		text func(i int) string
	}{
		{"all distinct", false, func(i int) string { return fmt.Sprintf("a long string %d", i) }},
		{"few", true, func(i int) string { return fmt.Sprintf("a long string %d", i%500) }},
		{"few short ones", true, func(i int) string { return fmt.Sprint(i % 1000) }},
		{"more short ones", false, func(i int) string { return fmt.Sprint(i % 1500) }},
		{"a quarter is one", true, func(i int) string { return fmt.Sprintf("a long string %d", max(i*37%n, n/4)) }},
		{"a fifth is one", false, func(i int) string { return fmt.Sprintf("a long string %d", max(i*37%n, n/5)) }},
		{"in order", false, func(i int) string { return fmt.Sprintf("a long string %04d", i/100) }},
		{"in reverse order", false, func(i int) string { return fmt.Sprintf("a long string %04d", 50-i/100) }},
		{"half of them long", true, func(i int) string { return []string{"short", "a long string"}[i%2] }},
	} {
		column := numberedStrings(n, c.text)
		require.Equal(t, c.few, FewStrings(&column, rows), c.name)
	}
	require.False(t, FewStrings(&Column{Kind: Int64}, nil))
}
