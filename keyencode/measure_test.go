package keyencode

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/internal/buffers"
)

var fixedWidths = []int{0, 1, 3, 8, 9, 16, 20}

// TestMergeEqualsMeasure splits columns anywhere: the merged statistics are those of one read.
func TestMergeEqualsMeasure(t *testing.T) {
	for _, kind := range allKinds {
		for seed := range uint64(30) {
			rng := rand.New(rand.NewPCG(seed, uint64(kind)))
			fixed := fixedWidths[rng.IntN(len(fixedWidths))]
			n := rng.IntN([]int{20, 200, 3000}[rng.IntN(3)])
			k := Key{Order: Order(rng.IntN(2)), Nulls: NullPlacement(rng.IntN(2))}
			cells := randomCells(rng, kind, fixed, n)
			arrange(rng, kind, k, cells)
			c := build(rng, kind, fixed, 9, []int{rng.IntN(40)}, cells)
			var merged Statistics
			for lo, hi := 0, 0; lo < n; lo = hi {
				hi = min(n, lo+rng.IntN(n+90))
				s := Measure(&c, k, lo, hi)
				merged.Merge(&s)
			}
			if n > 0 {
				require.Equal(
					t, Measure(&c, k, 0, n), merged, "kind %d, width %d, seed %d, key %v", kind, fixed, seed, k,
				)
			}
		}
	}
}

// TestMeasure compares statistics with what the cells say.
func TestMeasure(t *testing.T) {
	for _, kind := range allKinds {
		for seed := range uint64(40) {
			rng := rand.New(rand.NewPCG(seed, uint64(kind)))
			fixed := fixedWidths[rng.IntN(len(fixedWidths))]
			n := 1 + rng.IntN([]int{20, 200, 3000}[rng.IntN(3)])
			k := Key{Order: Order(rng.IntN(2)), Nulls: NullPlacement(rng.IntN(2))}
			cells := randomCells(rng, kind, fixed, n)
			arrange(rng, kind, k, cells)
			c := build(rng, kind, fixed, 1, []int{rng.IntN(40), 3}, cells)
			s := Measure(&c, k, 0, n)

			count := map[Class]int{}
			sorted, rising, reversed := true, true, true
			for i, x := range cells {
				count[x.class(kind)]++
				if i > 0 {
					step := compareCells(kind, k, x, cells[i-1])
					sorted, rising, reversed = sorted && step >= 0, rising && step > 0, reversed && step < 0
				}
			}
			where := []any{"kind %d, width %d, seed %d, key %v, %d rows", kind, fixed, seed, k, n}
			require.Equal(
				t,
				[]int{n, count[ClassNull], count[ClassNaN], count[ClassValue]},
				[]int{s.Rows, s.Nulls, s.NaNs, s.Values()},
				where...)
			require.Equal(t, []bool{sorted, rising, reversed}, []bool{s.Sorted, s.Rising, s.Reversed}, where...)
			p, err := NewPlan([]Column{c}, []Key{k}, []Statistics{s})
			require.NoError(t, err)
			require.Equal(t, []bool{sorted, reversed}, []bool{p.Sorted(), p.Reversed()}, where...)
			rows := make([]int, n)
			for i := range rows {
				rows[i] = i
			}
			slices.SortFunc(rows, func(a, b int) int { return compareCells(kind, k, cells[a], cells[b]) })
			codes := codesOf(p, n)
			for i := range n - 1 {
				a, b := rows[i], rows[i+1]
				if want, got := sign(compareCells(kind, k, cells[a], cells[b])), compareCodes(p, codes, a,
					b); want != got {
					t.Fatalf("kind %d, width %d, seed %d, plan %v: rows %d %v and %d %v compare %d, their codes %d",
						kind, fixed, seed, p, a, cells[a], b, cells[b], want, got)
				}
			}
		}
	}
}

// arrange sorts the cells, reverses them, or leaves them as they are.
func arrange(rng *rand.Rand, kind Kind, k Key, cells []cell) {
	way := rng.IntN(4)
	if way < 2 {
		sortCells(kind, k, cells)
	}
	if way == 1 {
		for i, j := 0, len(cells)-1; i < j; i, j = i+1, j-1 {
			cells[i], cells[j] = cells[j], cells[i]
		}
	}
}

// TestSameBytes compares what is known of shared bytes with all strings: it is exact in the words that all of them
// have.
func TestSameBytes(t *testing.T) {
	shared := 0
	for _, kind := range []Kind{Binary, LargeBinary, BinaryView, FixedSizeBinary} {
		for seed := range uint64(200) {
			rng := rand.New(rand.NewPCG(seed, uint64(kind)))
			cells := randomCells(rng, kind, 40, 1+rng.IntN(300))
			c := build(rng, kind, 40, 3, []int{rng.IntN(len(cells))}, cells)
			var first []byte
			shortest, differ := 1<<20, uint64(0)
			for _, x := range cells {
				if x.null {
					continue
				}
				if first == nil {
					first = append([]byte{}, x.raw...)
				}
				shortest = min(shortest, len(x.raw))
				differ |= differingBytes(string(first), string(x.raw))
			}
			want := uint64(0)
			if first != nil && shortest >= 8 {
				want = ^differ & (^uint64(0) >> (64 - min(shortest/8*8, 64)))
			}
			s := Measure(&c, Key{}, 0, len(cells))
			require.Equal(t, want, s.CommonBytes, "kind %d, seed %d", kind, seed)
			if want&^buffers.LowBits(commonPrefix(s.MinBytes, s.MaxBytes)) != 0 {
				shared++
			}
		}
	}
	require.Greater(t, shared, 50, "columns that share bytes after others")
}

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
