package keys

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/arrowsort/arrowsort/internal/workers"
)

// FirstUnsorted returns the first of rows 0..n-1 of a source that sorts before its predecessor, -1 when there is none.
// In the latter case it sets the bits of row 0 and of the rows that differ from their predecessors in starts, which has
// a bit for each row, or is nil.
func (k *Keys) FirstUnsorted(pool *workers.Pool, src Source, n int, starts []uint64) (int, error) {
	var first atomic.Int64
	first.Store(math.MaxInt64)
	err := pool.Tiles(n, TileRows, func(_, lo, hi int) {
		if int64(lo) > first.Load() {
			return
		}
		row := k.FirstUnsortedIn(pool, src, lo, hi, starts)
		for f := first.Load(); row >= 0 && int64(row) < f && !first.CompareAndSwap(f, int64(row)); {
			f = first.Load()
		}
	})
	if row := first.Load(); row < math.MaxInt64 {
		return int(row), err
	}
	return -1, err
}

// FirstUnsortedIn is FirstUnsorted for rows lo..hi-1 on one worker. lo is a multiple of 64.
func (k *Keys) FirstUnsortedIn(pool *workers.Pool, src Source, lo, hi int, starts []uint64) int {
	codes, ties := blocksOfCodes.Get(), blocksOfTies.Get()
	defer blocksOfCodes.Put(codes)
	defer blocksOfTies.Put(ties)
	tied := ties[:0]
	if lo > 0 {
		src.Encode(codes[:1], lo-1)
	}
	for last := codes[0]; lo < hi && !pool.Stopped(); lo += BlockRows {
		block := codes[:min(BlockRows, hi-lo)]
		src.Encode(block, lo)
		unsorted := -1
		tied = tied[:0]
		for i := 0; i < len(block) && unsorted < 0; i += 64 {
			part := block[i:min(i+64, len(block))]
			differ, falls := compareNeighbors(part, last)
			last = part[len(part)-1]
			if lo+i == 0 { // row 0 has no predecessor
				differ, falls = differ|1, falls&^1
			}
			if starts != nil {
				starts[(lo+i)/64] = differ
			}
			if falls != 0 {
				unsorted = lo + i + bits.TrailingZeros64(falls)
			}
			if k.Plan.Words() > 1 {
				tied = k.appendTies(tied, part, ^differ, lo+i)
			}
		}
		if len(tied) > 0 {
			if row := k.firstUnsortedTie(src, tied, starts); row >= 0 && (unsorted < 0 || row < unsorted) {
				unsorted = row
			}
		}
		if unsorted >= 0 {
			return unsorted
		}
	}
	return -1
}

// compareNeighbors compares up to 64 codes with their predecessors, the first one with last: a bit is set where they
// differ, and where a code falls below its predecessor.
func compareNeighbors(codes []uint64, last uint64) (differ, falls uint64) {
	for i, c := range codes {
		_, below := bits.Sub64(c, last, 0)
		_, above := bits.Sub64(last, c, 0)
		falls |= below << (i & 63)
		differ |= (below | above) << (i & 63)
		last = c
	}
	return differ, falls
}

// A tie is a row that ties with its predecessor in all words before word.
type tie struct {
	row  uint32
	word int
}

// tiedRows are tied rows and their predecessors, and a word of each.
type tiedRows struct {
	rows  [2 * BlockRows]uint32
	codes [2 * BlockRows]uint64
}

var (
	blocksOfTies     workers.Reused[[BlockRows]tie]
	blocksOfTiedRows workers.Reused[tiedRows]
)

// appendTies appends the rows whose bits are set and whose codes have a further word. The first code is that of row lo.
func (k *Keys) appendTies(tied []tie, codes []uint64, equal uint64, lo int) []tie {
	equal &= 1<<len(codes) - 1 // all bits for 64 codes
	for ; equal != 0; equal &= equal - 1 {
		i := bits.TrailingZeros64(equal)
		if w := k.Plan.Next(0, codes[i]); w < k.Plan.Words() {
			tied = append(tied, tie{uint32(lo + i), w})
		}
	}
	return tied
}

// firstUnsortedTie compares tied rows with their predecessors, one word of all of them at a time, and marks those that
// differ in starts. It overwrites tied.
func (k *Keys) firstUnsortedTie(src Source, tied []tie, starts []uint64) int {
	first := -1
	block := blocksOfTiedRows.Get()
	defer blocksOfTiedRows.Put(block)
	rows, codes := &block.rows, &block.codes
	for len(tied) > 0 {
		word := slices.MinFunc(tied, func(a, b tie) int { return a.word - b.word }).word
		n := 0
		for _, t := range tied {
			if t.word == word {
				rows[n], rows[n+1] = t.row-1, t.row
				n += 2
			}
		}
		src.EncodeRows(codes[:n], word, rows[:n])
		still, n := tied[:0], 0
		for _, t := range tied {
			if t.word != word {
				still = append(still, t)
				continue
			}
			before, code := codes[n], codes[n+1]
			n += 2
			if code < before && (first < 0 || int(t.row) < first) {
				first = int(t.row)
			}
			if code != before && starts != nil {
				starts[t.row/64] |= 1 << (t.row % 64)
			}
			if t.word = k.Plan.Next(word, code); code == before && t.word < k.Plan.Words() {
				still = append(still, t)
			}
		}
		tied = still
	}
	return first
}

// An UnsortedError reports the first row of a run that sorts before its predecessor.
type UnsortedError struct {
	Run int // of Merge
	Row int // from the run's first row
}

func (e *UnsortedError) Error() string {
	return fmt.Sprintf("row %d of run %d sorts before its predecessor", e.Row, e.Run)
}

// CheckRun returns an UnsortedError unless rows lo..hi-1 are in order.
func (k *Keys) CheckRun(pool *workers.Pool, run, lo, hi int) error {
	if k.Plan.Words() == 0 || k.Plan.Sorted() {
		return nil
	}
	row, err := k.FirstUnsorted(pool, k.Source().From(lo), hi-lo, nil)
	if err == nil && row >= 0 {
		err = &UnsortedError{run, row}
	}
	return err
}
