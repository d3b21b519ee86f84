package multigpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/keyencode"
)

// cutRow is a row with the words of its code.
type cutRow struct {
	device int
	words  []uint64
}

// cutByRows finds cuts as the devices do, on rows in memory: stably by one digit of a segment after the other.
func cutByRows(c *cuts, devices [][]cutRow) {
	sizes := make([]int, len(devices))
	for d := range devices {
		sizes[d] = len(devices[d])
	}
	whole := c.start(sizes)
	whole.cuts = c.inside(&whole)
	for open := []segment{whole}; len(open) > 0; {
		s := open[0]
		open = open[1:]
		if len(s.cuts) == 0 {
			continue
		}
		digit := c.digit(&s)
		bin := func(r cutRow) int { return int(r.words[s.word] >> digit.Shift & (1<<digit.Bits - 1)) }
		counts := make([][]int, len(devices))
		for d := range devices {
			counts[d] = make([]int, 1<<digit.Bits)
			rows := devices[d][s.begin[d]:s.end[d]]
			slices.SortStableFunc(rows, func(a, b cutRow) int { return bin(a) - bin(b) })
			for _, r := range rows {
				counts[d][bin(r)]++
			}
		}
		open = append(open, c.divided(&s, counts)...)
	}
}

// TestCuts cuts random rows: all rows between two cuts sort before those after the second, equal rows by device, and
// there are as many of them as the targets say, or up to half of exact more or less.
func TestCuts(t *testing.T) {
	seeds := uint64(1000)
	if !testrun.Long() {
		seeds = 200
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 9))
		wordBits := make([]int, r.IntN(3))
		for i := range wordBits {
			wordBits[i] = 1 + r.IntN(64)
		}
		devices, total := make([][]cutRow, 1+r.IntN(9)), 0
		values := 1 + r.IntN(1+r.IntN(200))
		for d := range devices {
			for range r.IntN(70) {
				row := cutRow{device: d}
				draw := rand.New(rand.NewPCG(uint64(r.IntN(values)), seed)) // few values: many equal rows
				for _, bits := range wordBits {
					row.words = append(row.words, draw.Uint64()>>draw.IntN(64)&(1<<bits-1))
				}
				devices[d] = append(devices[d], row)
				total++
			}
		}
		c := &cuts{digitBits: 1 + r.IntN(8), limit: -1, wordBits: wordBits, exact: r.IntN(1 + r.IntN(40))}
		for range 1 + r.IntN(8) {
			c.targets = append(c.targets, r.IntN(total+1))
		}
		slices.Sort(c.targets)
		if r.IntN(3) == 0 {
			c.limit = c.targets[len(c.targets)-1]
		}
		cutByRows(c, devices)
		requireCuts(t, c, devices, fmt.Sprintf("seed %d: %+v", seed, c))
	}
}

func requireCuts(t *testing.T, c *cuts, devices [][]cutRow, name string) {
	before := make([]int, len(devices))
	for i, places := range append(slices.Clone(c.places), nil) {
		if places == nil { // the last range
			for d := range devices {
				places = append(places, len(devices[d]))
			}
		} else {
			rows := 0
			for _, n := range places {
				rows += n
			}
			require.LessOrEqual(t, max(rows-c.targets[i], c.targets[i]-rows), max(c.exact, 0), name)
			if c.targets[i] == c.limit {
				require.GreaterOrEqual(t, rows, c.limit, name)
			}
		}
		for d := range devices {
			require.LessOrEqual(t, before[d], places[d], name)
			for e := range devices {
				for _, a := range devices[d][:before[d]] {
					for _, b := range devices[e][before[e]:] {
						order := slices.Compare(a.words, b.words)
						require.False(t, order > 0 || order == 0 && d > e, name)
					}
				}
			}
		}
		before = places
	}
}

func TestDivide(t *testing.T) {
	const enough = 1 << 40
	for _, c := range []struct {
		rows       int
		most, want []int
	}{
		{0, []int{enough, enough}, []int{0, 0}},
		{1, []int{enough, enough}, []int{1, 0}},
		{10, []int{enough}, []int{10}},
		{10, []int{enough, enough, enough}, []int{4, 3, 3}},
		{90, []int{enough, 10, enough}, []int{40, 10, 40}},
		{90, []int{70, 10, 15}, []int{65, 10, 15}},
		{100, []int{70, 10, 15}, []int{72, 11, 17}}, // too many for all: 5 more
		{7, []int{-5, 0}, []int{3, 4}},
	} {
		got := divide(c.rows, c.most)
		sum := 0
		for _, n := range got {
			sum += n
		}
		require.Equal(t, c.rows, sum)
		require.Equal(t, c.want, got, "%d rows, at most %v", c.rows, c.most)
	}
	require.Equal(t, []int{4, 4, 2, 0}, fill(10, 4, []int{9, 9, 9, 9}))
	require.Equal(t, []int{4, 0, 3, 3}, fill(10, 4, []int{9, -1, 3, 9}))
	require.Nil(t, fill(10, 4, []int{9, 1, 3, 1}))
	require.Equal(t, []int{0, 64, 128, 250}, bordersOf([]int{100, 50, 100}, shareStep))
	require.Equal(t, []int{0, 0, 0, 3}, bordersOf([]int{1, 1, 1}, shareStep))
	require.Equal(t, 40, shortest([]int{0, 64, 64, 104, 300}))
	require.Equal(t, 0, shortest([]int{0, 0, 0}))
}

func TestRowsOf(t *testing.T) {
	c := keyencode.Column{Kind: keyencode.FixedSizeBinary, Width: 3, Chunks: []keyencode.Chunk{
		{Rows: 5, Offset: 2}, {}, {Rows: 1, Offset: 9}, {Rows: 4},
	}}
	part := rowsOf(&c, 3, 8)
	require.Equal(t, keyencode.Column{Kind: keyencode.FixedSizeBinary, Width: 3, Chunks: []keyencode.Chunk{
		{Rows: 2, Offset: 5}, {Rows: 1, Offset: 9}, {Rows: 2},
	}}, part)
	for lo := range 11 {
		for hi := lo; hi <= 10; hi++ {
			part := rowsOf(&c, lo, hi)
			require.Equal(t, hi-lo, part.Rows())
		}
	}
}
