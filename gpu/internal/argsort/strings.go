//go:build cuda && linux && amd64

package argsort

import (
	"slices"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/gpu/internal/keys"
	"github.com/arrowsort/arrowsort/gpu/internal/onesweep"
	"github.com/arrowsort/arrowsort/gpu/internal/topk"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/tiebreak"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A Permutation is the row numbers of a result in sorted order.
type Permutation struct {
	Rows   driver.Ptr
	OnHost []uint32 // the same, where the host has made them
}

// isTextual reports whether a word of the codes holds bytes of strings, which only the host reads.
func isTextual(plan *keyencode.Plan) bool {
	for word := range plan.Words() {
		if _, ok := keys.PlanFields(plan, word); !ok {
			return true
		}
	}
	return false
}

// sortStrings sorts by the leading word, and then each run of rows that tie in it by what follows in their codes, as
// far as the result reaches: long runs on the device, short ones on the host, where the strings are.
func (s *wordSorter) sortStrings() (p Permutation) {
	if s.plan.Words() == 1 {
		return Permutation{Rows: s.sort()}
	}
	rows, n := s.sortLeading()
	if s.Failed() {
		return Permutation{}
	}
	numbers, err := host.Words[uint32](s.buffers, n)
	s.Fail(err)
	codes, err := host.Words[uint64](s.buffers, n)
	s.Fail(err)
	s.Download(buffers.Bytes(numbers), rows)
	if s.Wait() != nil || s.sortedCodes(numbers, codes, 0) != nil {
		return Permutation{}
	}
	if s.breakTies(numbers, codes) {
		s.Upload(rows, buffers.Bytes(numbers))
	}
	if !s.Failed() { // else a copy may still read pinned memory: it is freed when the streams are idle
		s.buffers.Free(buffers.Bytes(codes))
	}
	return Permutation{rows, numbers[:s.out]}
}

// sortLeading sorts by the leading word of the codes. The first n of the rows are those that may be in the result, or
// precede one that is.
func (s *wordSorter) sortLeading() (rows driver.Ptr, n int) {
	src, scan := s.source(0, 0, s.Rows)
	if s.limits {
		if c, found := s.selects(src.Field, src.Width, false); found == topk.Selected {
			s.Free(src.Codes)
			return s.sortCandidates(c), c.N
		}
	}
	if rows = sortCodes(s.Task, src, scan, s.declined); rows == 0 {
		rows = s.Iota(s.Rows, false)
	}
	return rows, s.Rows
}

// sortedCodes are the codes of a word of rows, made on the host.
func (s *wordSorter) sortedCodes(rows []uint32, codes []uint64, word int) error {
	s.Fail(s.Workers.Tiles(len(rows), s.Tuning.EncodeRows, func(lo, hi int) {
		s.plan.EncodeRows(codes[lo:hi], word, rows[lo:hi])
	}))
	return s.Err
}

// breakTies orders the rows that tie in the leading word, whose codes are given, and reports whether there were any.
func (s *wordSorter) breakTies(rows []uint32, codes []uint64) (any bool) {
	runs := tiebreak.AppendRuns(nil, s.plan, codes, 0, 0)
	runs = slices.DeleteFunc(runs, func(r tiebreak.Run) bool { return r.Lo >= s.out })
	any = len(runs) > 0
	least := s.Tuning.LongRunRows
	for long := takeLong(&runs, least); len(long) > 0 && !s.Failed(); long = takeLong(&runs, least) {
		for _, r := range long {
			runs = append(runs, s.sortRun(r, rows[r.Lo:r.Hi], codes[r.Lo:r.Hi])...)
		}
	}
	if !s.Failed() {
		s.Fail(s.Workers.BreakTies(s.plan, rows, runs))
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
func (s *wordSorter) sortRun(r tiebreak.Run, rows []uint32, codes []uint64) []tiebreak.Run {
	if s.sortedCodes(rows, codes, r.Word) != nil {
		return nil
	}
	n := len(rows)
	src := onesweep.Codes(s.Task, s.Alloc(8*n), s.Alloc(4*n), n, s.plan.WordBits(r.Word), s.Rows)
	s.Upload(src.Codes, buffers.Bytes(codes))
	s.Upload(src.Rows, buffers.Bytes(rows))
	sorted := sortCodes(s.Task, src, nil, 0)
	s.Download(buffers.Bytes(rows), sorted)
	s.Free(sorted)
	if s.Wait() != nil || s.sortedCodes(rows, codes, r.Word) != nil {
		return nil
	}
	return tiebreak.AppendRuns(nil, s.plan, codes, r.Word, r.Lo)
}
