package keyencode

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStrings finds the strings of a column chunk by chunk, and those of rows from anywhere in it.
func TestStrings(t *testing.T) {
	for _, kind := range []Kind{Binary, LargeBinary, BinaryView, FixedSizeBinary} {
		rng := rand.New(rand.NewPCG(1, uint64(kind)))
		cells := randomCells(rng, kind, 12, 500)
		c := build(rng, kind, 12, 10, []int{100, 0, 300}, cells)
		require.True(t, c.HasStrings())
		want := func(row int, got []byte) {
			name := fmt.Sprintf("kind %d, row %d", kind, row)
			require.Equal(t, cells[row].null, got == nil, name)
			require.Equal(t, cells[row].null || string(cells[row].raw) == string(got), true, name)
			if kind == FixedSizeBinary { // a word of its end must not read the next row, which may be moving
				require.Equal(t, len(got), cap(got), name)
			}
		}
		row := 0
		for i := range c.Chunks {
			for at := 0; at < c.Chunks[i].Rows; at += 70 {
				strings := make([][]byte, min(70, c.Chunks[i].Rows-at))
				c.Strings(strings, &c.Chunks[i], at)
				for k, s := range strings {
					want(row+at+k, s)
				}
			}
			row += c.Chunks[i].Rows
		}
		rows, strings := make([]uint32, 200), make([][]byte, 200)
		for i := range rows {
			rows[i] = rng.Uint32N(500)
		}
		c.StringsAt(strings, rows)
		for i, s := range strings {
			want(int(rows[i]), s)
		}
	}
	require.False(t, (&Column{Kind: FixedSizeBinary, Width: 8}).HasStrings(), "a word")
}
