package cpu

import (
	"math"
	"slices"
	"sync/atomic"
)

// sortedInput reports whether the rows are in order already, or strictly descend: then one copy, as they are or
// reversed, sorts them. Statistics prove it for one key; for several a sample decides whether all rows are compared.
func (s *sorter) sortedInput() (inOrder, reversed bool, err error) {
	if s.plan.Words() == 0 || s.plan.Sorted() {
		return true, false, nil
	}
	if s.plan.Reversed() {
		return false, true, nil
	}
	if s.rows <= smallRows || len(s.job.Keys) == 1 || !slices.IsSorted(sample(s.source(), s.rows)) {
		return false, false, nil
	}
	row, err := s.firstUnsorted(s.source(), s.rows)
	return row < 0, false, err
}

// strictlyDescending reports whether every code is below its predecessor.
func strictlyDescending(codes []uint64) bool {
	for i := 1; i < len(codes); i++ {
		if codes[i] >= codes[i-1] {
			return false
		}
	}
	return true
}

// firstUnsorted returns the first of rows 0..n-1 of a source that sorts before its predecessor, -1 when there is none.
func (s *sorter) firstUnsorted(src source, n int) (int, error) {
	var first atomic.Int64
	first.Store(math.MaxInt64)
	err := s.tiles(n, placeRows, func(_, lo, hi int) {
		if int64(lo) > first.Load() {
			return
		}
		row := s.firstUnsortedIn(src, max(lo, 1), hi)
		for f := first.Load(); row >= 0 && int64(row) < f && !first.CompareAndSwap(f, int64(row)); {
			f = first.Load()
		}
	})
	if row := first.Load(); row < math.MaxInt64 {
		return int(row), err
	}
	return -1, err
}

// firstUnsortedIn is firstUnsorted for rows lo..hi-1, lo above 0, on one worker.
func (s *sorter) firstUnsortedIn(src source, lo, hi int) int {
	var codes [blockRows]uint64
	var tied []tie
	for lo < hi && !s.stopped() {
		block := codes[:min(blockRows, hi-lo+1)]
		src.encode(block, lo-1)
		tied = tied[:0]
		unsorted := -1
		for i := 1; i < len(block); i++ {
			if block[i] < block[i-1] {
				unsorted = lo + i - 1
				break
			}
			if block[i] == block[i-1] {
				if w := s.plan.Next(0, block[i]); w < s.plan.Words() {
					tied = append(tied, tie{uint32(lo + i - 1), w})
				}
			}
		}
		if len(tied) > 0 {
			if row := s.firstUnsortedTie(src, tied); row >= 0 {
				return row
			}
		}
		if unsorted >= 0 {
			return unsorted
		}
		lo += len(block) - 1
	}
	return -1
}

// A tie is a row that ties with its predecessor in all words before word.
type tie struct {
	row  uint32
	word int
}

// firstUnsortedTie compares tied rows with their predecessors, one word of all of them at a time. It overwrites tied.
func (s *sorter) firstUnsortedTie(src source, tied []tie) int {
	first := -1
	var rows [2 * blockRows]uint32
	var codes [2 * blockRows]uint64
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
			if t.word = s.plan.Next(word, code); code == before && t.word < s.plan.Words() {
				still = append(still, t)
			}
		}
		tied = still
	}
	return first
}

// copy copies the leading rows of the result, or the last rows in reverse.
func (s *sorter) copy(reverse bool) error {
	movers := s.movers()
	size := 0
	for _, l := range movers {
		size = max(size, l.width*min(blockRows, l.stepRows()))
	}
	var scratch []byte
	if reverse {
		var err error
		if scratch, err = s.bytes(s.threads * size); err != nil {
			return err
		}
	}
	return s.tiles(s.out, placeRows, func(worker, lo, hi int) {
		for _, l := range movers {
			step := min(blockRows, l.stepRows())
			for a := lo; a < hi && !s.stopped(); a += step {
				b := min(hi, a+step)
				dst := l.out[a*l.width : b*l.width]
				if reverse {
					reverseInto(dst, l.block(s.rows-b, b-a, scratch[worker*size:][:size]), l.width)
				} else if src := l.block(a, b-a, dst); &src[0] != &dst[0] {
					copy(dst, src)
				}
			}
		}
		s.advance(3 * (hi - lo))
	})
}

func reverseInto(dst, src []byte, width int) {
	switch width {
	case 8:
		d, s := view[uint64](dst), view[uint64](src)
		for i := range d {
			d[i] = s[len(s)-1-i]
		}
	default:
		for i := 0; i < len(src); i += width {
			copy(dst[len(dst)-i-width:], src[i:i+width])
		}
	}
}
