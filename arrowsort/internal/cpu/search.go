package cpu

import (
	"context"
	"fmt"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
)

// An UnsortedError reports the first row of a run that sorts before its predecessor.
type UnsortedError struct {
	Run int // of Merge
	Row int // from the run's first row
}

func (e *UnsortedError) Error() string {
	return fmt.Sprintf("row %d of run %d sorts before its predecessor", e.Row, e.Run)
}

// Search returns, for each row of a job from row number rows on, its place among the rows before that, which are in
// order: the first place that keeps them so, or with right the last one. The result is row numbers of 8 bytes.
//
// Temp storage, unless the rows to search are few: 10 bytes for each row that is searched together with others, as many
// as there are rows in order, but at least 2^24 of them; and 640 KiB for each worker, or for all when the rows in order
// are few.
func Search(
	ctx context.Context, job *engine.Job, rows int, right bool, mem engine.Allocator,
) (*engine.Result, error) {
	s, err := newSorter(ctx, job, mem)
	if err != nil {
		return nil, err
	}
	defer s.release()
	if err := s.measure(); err != nil {
		return nil, err
	}
	if err := s.checkRun(0, 0, rows); err != nil {
		return nil, err
	}
	out, err := s.bytes(8 * (s.rows - rows))
	if err != nil {
		return nil, err
	}
	if err := s.search(view[uint64](out), rows, right); err != nil {
		return nil, err
	}
	s.keep(out)
	return &engine.Result{Rows: s.rows - rows, RowNumbers: out}, nil
}

// checkRun returns an UnsortedError unless rows lo..hi-1 are in order.
func (s *sorter) checkRun(run, lo, hi int) error {
	if s.plan.Words() == 0 || s.plan.Sorted() {
		return nil
	}
	row, err := s.firstUnsorted(s.source().from(lo), hi-lo, nil)
	if err == nil && row >= 0 {
		err = &UnsortedError{run, row}
	}
	return err
}

var blocksOfBounds reused[[blockRows]bound]

// sides are what is asked for of a value among rows in order: for each of them the place after the rows below it or,
// where it is true, after the rows not above it. Of two sides, the first one is in the upper 32 bits of a word.
type sides []bool

// search writes the place of each row from rows on.
func (s *sorter) search(places []uint64, rows int, right bool) error {
	asked := sides{right}
	if s.plan.Words() > 1 {
		asked = sides{false, true}
	}
	switch {
	case s.plan.Words() == 0 || len(places) <= rows>>7:
		return s.tiles(len(places), boundsBatch, func(_, lo, hi int) {
			s.searchBounds(places[lo:hi], rows, rows+lo, right)
		})
	case rows <= stripRows:
		if err := s.searchStrip(places, rows, asked); err != nil {
			return err
		}
	default:
		for lo, step := 0, max(rows, searchTogether); lo < len(places); lo += step {
			if err := s.searchBins(places[lo:min(lo+step, len(places))], rows, rows+lo, asked); err != nil {
				return err
			}
		}
	}
	if s.plan.Words() == 1 {
		return nil
	}
	return s.tiles(len(places), placeRows, func(_, lo, hi int) {
		for ; lo < hi && !s.stopped(); lo += blockRows {
			s.searchTies(places[lo:min(lo+blockRows, hi)], rows+lo, right)
		}
	})
}

// searchBounds places few rows from row first on by codes that are made as they are needed.
func (s *sorter) searchBounds(places []uint64, rows, first int, right bool) {
	block := blocksOfBounds.get()
	defer blocksOfBounds.put(block)
	bounds := block[:len(places)]
	for i := range bounds {
		bounds[i] = bound{row: uint32(first + i), hi: uint32(rows)}
	}
	s.place(s.plan, s.source(), bounds)
	for i := range bounds {
		places[i] = bounds[i].side(right)
	}
}

// searchStrip writes what is asked for of each row from rows on, among so few rows that the cache holds all of them.
func (s *sorter) searchStrip(places []uint64, rows int, asked sides) error {
	t, err := s.newStrip(rows)
	if err != nil {
		return err
	}
	defer t.release(&s.buffers)
	t.fill(s.source(), 0, rows)
	return s.tiles(len(places), placeRows, func(_, lo, hi int) {
		for ; lo < hi && !s.stopped(); lo += blockRows {
			block := places[lo:min(lo+blockRows, hi)]
			s.source().encode(block, rows+lo)
			t.search(block, asked)
		}
	})
}

// searchTies places rows from row first on, whose leading words tie with those of the rows between two places, by their
// further words.
func (s *sorter) searchTies(places []uint64, first int, right bool) {
	values, bounds := blocksOfCodes.get(), blocksOfBounds.get()
	defer blocksOfCodes.put(values)
	defer blocksOfBounds.put(bounds)
	s.source().encode(values[:len(places)], first)
	for i, both := range places {
		bounds[i] = bound{
			row: uint32(first + i), lo: uint32(both >> 32), hi: uint32(both), word: s.plan.Next(0, values[i]),
		}
	}
	s.place(s.plan, s.source(), bounds[:len(places)])
	for i := range places {
		places[i] = bounds[i].side(right)
	}
}
