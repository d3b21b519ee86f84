package keyencode

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
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
