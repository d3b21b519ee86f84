//go:build cuda && linux && amd64

package gpu

import (
	"slices"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/tiebreak"
)

// textual reports whether a word of the codes holds bytes of strings, which only the host reads.
func (s *sorter) textual() bool {
	for word := range s.plan.Words() {
		if _, ok := planFields(s.plan, word); !ok {
			return true
		}
	}
	return false
}

// sortStrings sorts by the leading word, and then each run of rows that tie in it by what follows in their codes, as
// far as the result reaches: long runs on the device, short ones on the host, where the strings are.
func (s *sorter) sortStrings() driver.Ptr {
	if s.plan.Words() == 1 {
		return s.sortWords()
	}
	rows, n := s.sortLeading()
	if s.Failed() {
		return 0
	}
	s.prepared(len(s.job.Gather))
	numbers, err := host.Words[uint32](&s.buffers, n)
	s.Fail(err)
	codes, err := host.Words[uint64](&s.buffers, n)
	s.Fail(err)
	s.Download(buffers.Bytes(numbers), rows)
	if s.Wait() != nil || s.sortedCodes(numbers, codes, 0) != nil {
		return 0
	}
	if s.breakTies(numbers, codes) {
		s.Upload(rows, buffers.Bytes(numbers))
	}
	s.buffers.Free(buffers.Bytes(codes))
	s.numbers = numbers[:s.out]
	return rows
}

// sortedCodes are the codes of a word of rows, made on the host.
func (s *sorter) sortedCodes(rows []uint32, codes []uint64, word int) error {
	s.Fail(s.workers.Tiles(len(rows), s.tuning.EncodeRows, func(lo, hi int) {
		s.plan.EncodeRows(codes[lo:hi], word, rows[lo:hi])
	}))
	return s.Err
}

// breakTies orders the rows that tie in the leading word, whose codes are given, and reports whether there were any.
func (s *sorter) breakTies(rows []uint32, codes []uint64) (any bool) {
	runs := tiebreak.AppendRuns(nil, s.plan, codes, 0, 0)
	runs = slices.DeleteFunc(runs, func(r tiebreak.Run) bool { return r.Lo >= s.out })
	any = len(runs) > 0
	least := s.tuning.LongRunRows
	for long := takeLong(&runs, least); len(long) > 0 && !s.Failed(); long = takeLong(&runs, least) {
		for _, r := range long {
			runs = append(runs, s.sortRun(r, rows[r.Lo:r.Hi], codes[r.Lo:r.Hi])...)
		}
	}
	if !s.Failed() {
		s.Fail(s.workers.BreakTies(s.plan, rows, runs))
	}
	return any
}

// takeLong removes the long runs from a list and returns them.
func takeLong(runs *[]tiebreak.Run, least int) (long []tiebreak.Run) {
	*runs = slices.DeleteFunc(*runs, func(r tiebreak.Run) bool {
		if r.Hi-r.Lo < least {
			return false
		}
		long = append(long, r)
		return true
	})
	return long
}

// sortRun sorts the rows of a long run by its next word and returns the runs that still tie. The host encodes, the
// device sorts.
func (s *sorter) sortRun(r tiebreak.Run, rows []uint32, codes []uint64) []tiebreak.Run {
	if s.sortedCodes(rows, codes, r.Word) != nil {
		return nil
	}
	n := len(rows)
	src := source{codes: s.alloc(8 * n), rows: s.alloc(4 * n)}
	src.field = abi.CodesField(src.codes)
	s.Upload(src.codes, buffers.Bytes(codes))
	s.Upload(src.rows, buffers.Bytes(rows))
	b := newBinner(s.task, n)
	b.rowBits = strategy.RowBits(s.tuning, s.rows)
	sorted := b.sort(src, s.plan.WordBits(r.Word))
	s.Download(buffers.Bytes(rows), sorted)
	s.free(sorted)
	if s.Wait() != nil || s.sortedCodes(rows, codes, r.Word) != nil {
		return nil
	}
	return tiebreak.AppendRuns(nil, s.plan, codes, r.Word, r.Lo)
}
