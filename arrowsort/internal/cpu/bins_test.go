package cpu

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/binsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/keyencode"
)

// longTies is a job whose rows are strings of a length that differ in the last 4 bytes, too many for a dictionary;
// row 0 is empty, so that the plan finds no head that all rows share.
func longTies(n, length int) (job engine.Job, want []uint32) {
	data := make([][]byte, n/32)
	for i := range data {
		data[i] = fmt.Appendf(bytes.Repeat([]byte{'a'}, length-4), "%04d", i)
	}
	pick := func(i int) int {
		if i == 0 {
			return -1
		}
		return i * 7919 % len(data)
	}
	job = engine.Job{
		Rows: n, Columns: []keyencode.Column{viewColumn(n, data, pick)}, Keys: []keyencode.Key{{}}, RowNumbers: 4,
		Threads: 2,
	}
	return job, stable(allRows(n), func(a, b uint32) int { return cmp.Compare(pick(int(a)), pick(int(b))) })
}

// TestLongTiesTakeLittleMemory sorts strings that tie in one word after another: bins stay too long for one worker, and
// the temp storage of one recursion has to be back before the next.
func TestLongTiesTakeLittleMemory(t *testing.T) {
	const n = 150_000
	for _, gather := range [][]int{nil, {0}} {
		temps := map[int]int{}
		for _, length := range []int{15, 300} {
			job, want := longTies(n, length)
			job.Gather = gather
			res, temp := mustSort(t, &job)
			requireSame(t, want, buffers.View[uint32](res.RowNumbers), "%d bytes, gather %v", length, gather)
			temps[length] = temp
		}
		require.LessOrEqual(t, temps[300], temps[15]+1<<16, "gather %v: temp memory by length: %v", gather, temps)
		require.LessOrEqual(t, temps[300], 2*n*32+2<<20, "gather %v: temp memory: %v", gather, temps)
	}
}

// TestSortRows sorts a part of the rows, listed in no order, by two words: rows that tie keep the order of the list.
func TestSortRows(t *testing.T) {
	const n = 100_000
	r := rand.New(rand.NewPCG(5, 5))
	listed := make([]uint32, n)
	for i, row := range r.Perm(n) {
		listed[i] = uint32(row)
	}
	second := drawn(2, n, func(r *rand.Rand, _, i int) uint64 { return r.Uint64() * uint64(i%2) }) // half of them are 0
	for name, shape := range shapes {
		first := drawn(1, n, shape)
		job := engine.Job{
			Rows: n, Columns: []keyencode.Column{uint64Column(first), uint64Column(second)},
			Keys: []keyencode.Key{{}, {Column: 1}}, Threads: 2,
		}
		for _, part := range []int{0, 1, 1000, binsort.MaxRows, n} {
			if part > 1000 && !testrun.Share(3, name, part) {
				continue
			}
			s, mem := newMeteredSorter(t, &job)
			rows := slices.Clone(listed[:part])
			want := stable(rows, func(a, b uint32) int {
				return cmp.Or(cmp.Compare(first[a], first[b]), cmp.Compare(second[a], second[b]))
			})
			require.NoError(t, s.sortList(s.keys.Source(), rows, 0))
			requireSame(t, want, rows, "%s, %d of %d rows", name, part, n)
			require.Zero(t, mem.CurrentAlloc(), "%s, %d rows: temp storage that is not back", name, part)
		}
	}
}

// unseen are n codes that a sample misjudges again and again: the rows that it sees are spread over the whole range,
// all others most in the lowest bin of it, and so do those within that bin when it is sampled again, for some
// levels.
func unseen(n, levels int, most func(r *rand.Rand) uint64) []uint64 {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	codes := make([]uint64, n)
	left := allRows(n)
	width := 64
	for range levels {
		places := make([]uint64, len(left))
		buffers.Series(places, 0)
		seen := map[uint64]bool{}
		for _, at := range keys.Sample(movedRows{words: places}, len(left)) {
			seen[at] = true
		}
		hidden := left[:0]
		for i, row := range left {
			if seen[uint64(i)] {
				codes[row] = r.Uint64() >> (64 - width)
			} else {
				hidden = append(hidden, row)
			}
		}
		left = hidden
		width -= 16
	}
	for _, row := range left {
		codes[row] = most(r) >> (64 - width)
	}
	return codes
}

// TestSampleThatSeesNothing sorts codes that the sample misses: nearly all rows are in one bin, at several
// levels.
func TestSampleThatSeesNothing(t *testing.T) {
	const n = 150_000
	for name, most := range map[string]func(r *rand.Rand) uint64{
		"constant": func(*rand.Rand) uint64 { return 5 << 50 },
		"two":      func(r *rand.Rand) uint64 { return r.Uint64N(2) << 63 },
		"uniform":  func(r *rand.Rand) uint64 { return r.Uint64() },
	} {
		for levels := range 4 {
			keys := unseen(n, levels, most)
			want := stable(allRows(n), func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
			for _, gather := range [][]int{nil, {0, 1}} {
				for _, limit := range []int{0, n / 5} {
					job := engine.Job{
						Rows: n, Columns: []keyencode.Column{uint64Column(keys), uint64Column(keys)},
						Keys: []keyencode.Key{{}}, RowNumbers: 4, Gather: gather, Limit: limit, Threads: 2,
					}
					res, temp := mustSort(t, &job)
					name := fmt.Sprintf("%s, %d levels, gather %v, limit %d", name, levels, gather, limit)
					requireSame(t, want[:res.Rows], buffers.View[uint32](res.RowNumbers), "%s", name)
					require.LessOrEqual(t, temp, n*40+8<<20, "%s: temp memory", name)
				}
			}
		}
	}
}

// TestTied: whether codes are all equal, wherever the odd one is.
func TestTied(t *testing.T) {
	const n = tileRows + 5000
	s := newTestSorter(t, &engine.Job{Rows: n, Threads: 2})
	for _, odd := range []int{-1, 0, 1, blockRows, tileRows - 1, tileRows, n - 1} {
		codes := drawn(1, n, shapes["constant"])
		if odd >= 0 {
			codes[odd] = 6
		}
		code, tied, err := s.allEqual(movedRows{words: codes}, n)
		require.NoError(t, err)
		require.Equal(t, odd < 0, tied, "row %d is odd", odd)
		require.Equal(t, codes[0], code)
	}
}

// TestFewDistinctStrings sorts strings of which many are equal, or equal but for their ends, null or empty, and by a
// second key behind them.
func TestFewDistinctStrings(t *testing.T) {
	const n, distinct = 30_000, 14
	r := rand.New(rand.NewPCG(6, 6))
	data := make([][]byte, distinct)
	for i := range data {
		data[i] = append(bytes.Repeat([]byte{byte('a' + i%3)}, 13+9*(i%3)), byte(i), 0)
	}
	slices.SortFunc(data, bytes.Compare)
	picks, second := make([]int, n), make([]uint64, n)
	validity := make([]byte, n/8)
	for i := range picks {
		picks[i], second[i] = r.IntN(distinct+2)-2, r.Uint64N(4)
		if picks[i] > -2 {
			validity[i/8] |= 1 << (i % 8)
		}
	}
	texts := viewColumn(n, data, func(i int) int { return max(picks[i], -1) })
	texts.Chunks[0].Validity = validity
	columns := []keyencode.Column{texts, uint64Column(second)}
	for _, order := range []keyencode.Order{keyencode.Ascending, keyencode.Descending} {
		for _, keys := range [][]keyencode.Key{{{Order: order}}, {{Order: order}, {Column: 1, Order: order}}} {
			job := engine.Job{Rows: n, Columns: columns, Keys: keys, RowNumbers: 4, Gather: []int{0, 1}, Threads: 2}
			res, _ := mustSort(t, &job)
			want := stable(allRows(n), func(a, b uint32) int {
				nullA, nullB := picks[a] < -1, picks[b] < -1
				if nullA || nullB { // last in both orders
					return cmp.Or(cmp.Compare(bit(nullA), bit(nullB)), compareSecond(keys, second, a, b))
				}
				first := cmp.Compare(picks[a], picks[b])
				if order == keyencode.Descending {
					first = -first
				}
				return cmp.Or(first, compareSecond(keys, second, a, b))
			})
			requireSame(t, want, buffers.View[uint32](res.RowNumbers), "%v", keys)
		}
	}
}

func compareSecond(keys []keyencode.Key, second []uint64, a, b uint32) int {
	switch {
	case len(keys) == 1:
		return 0
	case keys[1].Order == keyencode.Descending:
		return cmp.Compare(second[b], second[a])
	}
	return cmp.Compare(second[a], second[b])
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
