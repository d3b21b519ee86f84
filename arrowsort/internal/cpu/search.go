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
// Temp storage of each worker, unless the rows to search are few: 128 KiB, and 16 bytes for each row that it searches
// together, 24 where the codes have several words. That is 1/16 as many rows as there are before, but 2^17 to 2^22.
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

// search writes the place of each row from rows on.
func (s *sorter) search(places []uint64, rows int, right bool) error {
	if s.plan.Words() == 0 || len(places) <= rows>>7 {
		return s.tiles(len(places), boundsBatch, func(_, lo, hi int) {
			s.searchBounds(places[lo:hi], rows, rows+lo, right)
		})
	}
	w, err := s.newWordSearch(rows, len(places))
	if err != nil {
		return err
	}
	return s.tiles(len(places), w.batch, func(worker, lo, hi int) {
		t := &w.workers[worker]
		if s.plan.Words() == 1 {
			w.place(t, places[lo:hi], rows+lo, right)
			return
		}
		left := t.left[:hi-lo]
		w.place(t, left, rows+lo, false)
		w.place(t, places[lo:hi], rows+lo, true)
		s.searchTies(places[lo:hi], left, rows+lo, right)
	})
}

// searchBounds places few rows from row first on by codes that are made as they are needed.
func (s *sorter) searchBounds(places []uint64, rows, first int, right bool) {
	var buffer [boundsBatch]bound
	bounds := buffer[:len(places)]
	for i := range bounds {
		bounds[i] = bound{row: uint32(first + i), hi: uint32(rows)}
	}
	s.place(s.plan, s.source(), bounds)
	for i := range bounds {
		places[i] = bounds[i].side(right)
	}
}

// searchTies places rows from row first on, whose leading words tie with rows left to places-1, by their further words.
func (s *sorter) searchTies(places, left []uint64, first int, right bool) {
	var values [blockRows]uint64
	var bounds [blockRows]bound
	for lo := 0; lo < len(places) && !s.stopped(); lo += blockRows {
		n := min(blockRows, len(places)-lo)
		s.source().encode(values[:n], first+lo)
		for i := range n {
			bounds[i] = bound{row: uint32(first + lo + i), lo: uint32(left[lo+i]), hi: uint32(places[lo+i]),
				word: s.plan.Next(0, values[i])}
		}
		s.place(s.plan, s.source(), bounds[:n])
		for i := range n {
			places[lo+i] = bounds[i].side(right)
		}
	}
}
