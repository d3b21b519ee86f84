package keyencode

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// codesOf returns all words of all rows' codes.
func codesOf(p *Plan, rows int) [][]uint64 {
	codes := make([][]uint64, p.Words())
	for word := range codes {
		codes[word] = make([]uint64, rows)
		p.encodeWord(codes[word], word, 0)
	}
	return codes
}

// compareCodes compares two rows word by word as an engine does.
func compareCodes(p *Plan, codes [][]uint64, a, b int) int {
	for word := 0; word < p.Words(); word = p.Next(word, codes[word][a]) {
		if x, y := codes[word][a], codes[word][b]; x < y {
			return -1
		} else if x > y {
			return 1
		}
	}
	return 0
}

func planOf(t testing.TB, columns []Column, keys []Key) *Plan {
	stats := make([]Statistics, len(keys))
	for i, k := range keys {
		stats[i] = Measure(&columns[k.Column], k, 0, columns[k.Column].Rows())
	}
	p, err := NewPlan(columns, keys, stats)
	require.NoError(t, err)
	return p
}

func TestEncodeOrdersAsValues(t *testing.T) {
	for _, kind := range allKinds {
		for seed := range uint64(40) {
			rng := rand.New(rand.NewPCG(seed, uint64(kind)))
			fixed := fixedWidths[rng.IntN(len(fixedWidths))]
			offset := []int{0, 1, 7, 31, 63, 64}[rng.IntN(6)]
			cells := randomCells(rng, kind, fixed, 1+rng.IntN(50))
			c := build(rng, kind, fixed, offset, []int{rng.IntN(20), 0, rng.IntN(30)}, cells)
			for mode := range 4 {
				k := Key{Order: Order(mode & 1), Nulls: NullPlacement(mode >> 1)}
				p := planOf(t, []Column{c}, []Key{k})
				where := fmt.Sprintf("kind %d, width %d, seed %d, key %v, plan %v", kind, fixed, seed, k, p)
				codes := codesOf(p, len(cells))
				for i := range cells {
					for j := range cells {
						require.Equal(t, sign(compareCells(kind, k, cells[i], cells[j])), compareCodes(p, codes, i, j),
							"%s: rows %d %v and %d %v", where, i, cells[i], j, cells[j])
					}
				}
			}
		}
	}
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

func TestEncodeEqualsEncodeRows(t *testing.T) {
	for _, kind := range allKinds {
		for seed := range uint64(12) {
			rng := rand.New(rand.NewPCG(seed, uint64(kind)))
			n := []int{1, 100, 255, 1025, 3000}[rng.IntN(5)]
			fixed := 1 + rng.IntN(20)
			columns := []Column{
				build(rng, kind, fixed, 7, []int{rng.IntN(n + 1), 1}, randomCells(rng, kind, fixed, n)),
				build(rng, Int32, 0, 31, nil, randomCells(rng, Int32, 0, n)),
			}
			p := planOf(t, columns, []Key{{Column: 0, Order: Order(seed & 1)}, {Column: 1, Nulls: NullsAtStart}})
			lo := rng.IntN(n)
			hi := lo + rng.IntN(n-lo+1)
			rows, got, codes := make([]uint32, hi-lo), make([]uint64, hi-lo), make([]uint64, hi-lo)
			want := make([]uint64, hi-lo)
			for i := range rows {
				rows[i] = uint32(lo + rng.IntN(hi-lo))
			}
			for word := range p.Words() {
				p.encodeWord(codes, word, lo)
				for i, row := range rows {
					want[i] = codes[int(row)-lo]
				}
				p.EncodeRows(got, word, rows)
				require.Equal(t, want, got, "kind %d, seed %d, rows %d..%d of %d, word %d", kind, seed, lo, hi, n, word)
			}
		}
	}
}

// TestEncodeConcurrently has several goroutines encode with one plan.
func TestEncodeConcurrently(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 5000
	columns := []Column{
		build(rng, Int64, 0, 1, []int{1000}, randomCells(rng, Int64, 0, n)),
		build(rng, Binary, 0, 1, []int{7, 2000}, randomCells(rng, Binary, 0, n)),
		build(rng, Decimal128, 0, 1, nil, randomCells(rng, Decimal128, 0, n)),
	}
	p := planOf(t, columns, []Key{{Column: 0}, {Column: 1}, {Column: 2}})
	want := make([]uint64, n)
	p.Encode(want, 0)
	got := make([]uint64, n)
	var wg sync.WaitGroup
	for lo := 0; lo < n; lo += 500 {
		wg.Go(func() { p.Encode(got[lo:lo+500], lo) })
	}
	wg.Wait()
	require.Equal(t, want, got)
}

func TestStride(t *testing.T) {
	const minute = 60_000_000
	for _, c := range []struct {
		values []int64
		want   uint64
	}{
		{[]int64{5, 5, 5}, 0}, {[]int64{minute, 3 * minute, -7 * minute}, 2 * minute},
		{[]int64{1 + minute, 1 + 4*minute, 1 - minute}, minute}, {[]int64{-1 << 63, 1<<63 - 1}, 1<<64 - 1},
		{[]int64{-1 << 63, 1<<63 - 1, 14}, 1}, {[]int64{0, 15, 10}, 5}, {[]int64{10, 15, 0}, 5},
		{[]int64{-1 << 63, -1<<63 + 12, -1<<63 + 4}, 4},
	} {
		cells := make([]cell, len(c.values))
		for i, v := range c.values {
			cells[i].raw = make([]byte, 8)
			putWord(cells[i].raw, 8, uint64(v))
		}
		column := build(rand.New(rand.NewPCG(1, 2)), Int64, 0, 0, nil, cells)
		s := Measure(&column, Key{}, 0, len(cells))
		require.Equal(t, c.want, s.Stride, "%v", c.values)
	}
}
