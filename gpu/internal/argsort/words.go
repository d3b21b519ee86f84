//go:build cuda && linux && amd64

package argsort

import (
	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/keys"
	"github.com/arrowsort/arrowsort/gpu/internal/onesweep"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/gpu/internal/topk"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A wordSorter sorts by the words of a plan.
type wordSorter struct {
	*argsorter
	plan     *keyencode.Plan
	limits   bool          // rows may be selected before they are sorted
	declined strategy.Kind // ways that have declined all rows
}

// sortAll sorts all rows by the words of their codes, those that the result may need first of all.
func (s *wordSorter) sortAll() driver.Ptr {
	switch {
	case s.Rows == 0:
		return 0
	case s.plan.Words() == 0 || s.plan.Sorted():
		return s.Iota(s.Rows, false)
	case s.plan.Reversed():
		return s.Iota(s.Rows, true)
	}
	if s.plan.Words() > 1 && s.limits {
		if c, ok := s.prune(); ok {
			s.declined = 0
			return s.sort(c.Rows, c.N)
		}
	}
	return s.sort(0, s.Rows)
}

// sort sorts n rows, 0 for those of the input, by the words of their codes, from the last word to the first, and frees
// them. Each sort is stable.
func (s *wordSorter) sort(rows driver.Ptr, n int) driver.Ptr {
	if rows == 0 && s.plan.Words() > 1 {
		if src, ok := s.joinWords(); ok {
			return sortCodes(s.Task, src, abi.CodeColumn(src.Codes, 8, src.Width), s.declined)
		}
	}
	for word := s.plan.Words() - 1; word >= 0; word-- {
		src, scan := WordOf(s.Columns, s.plan, word, rows, n)
		if s.plan.Words() == 1 && s.limits {
			if first, found := s.sortFirst(src); found == topk.Selected {
				return first
			}
		}
		rows = sortCodes(s.Task, src, scan, s.declined)
	}
	return s.OrIota(rows, s.Rows)
}

// joinWords encodes the first of two words by a dictionary of the few values of its leading bits, and returns one word:
// the encoded first word above the second one. ok is false where that has more than 64 bits. It is far faster than two
// sorts, because the second of these encodes codes by row number and sorts by all of their digits.
func (s *wordSorter) joinWords() (joined onesweep.Source, ok bool) {
	if s.plan.Words() != 2 || !s.HasMemory(8*s.Rows) {
		return joined, false
	}
	below := s.plan.WordBits(1)
	leading, _ := WordOf(s.Columns, s.plan, 0, 0, s.Rows)
	leading = encodeByDictionary(s.Task, leading, 64-below)
	defer s.Free(leading.Codes, leading.Column)
	if leading.Width+below > 64 {
		return joined, false
	}
	above := leading.Field
	above.Up = uint64(below)
	codes := s.EncodeFields(append(s.Fields(keys.PlanFields(s.plan, 1)), above), 0, s.Rows)
	return onesweep.OfCodes(s.Task, codes, 0, s.Rows, leading.Width+below, s.Rows), true
}

// prune selects the rows that may be in the result by the leading word of their codes, so that only they are sorted. ok
// is false where that is not faster.
func (s *wordSorter) prune() (c topk.Candidates, ok bool) {
	if _, worth := strategy.ShapeSelect(s.Tuning, s.Rows, s.Job.Out()); !worth {
		return c, false
	}
	src, _ := WordOf(s.Columns, s.plan, 0, 0, s.Rows)
	c, found := s.selects(src.Field, src.Width, false)
	s.Free(src.Codes, c.Codes)
	return c, found == topk.Selected
}

// WordOf returns a word of the codes of n rows: a column as it lies on the device if the word is only that, else
// encoded codes. The same for the key scan is nil unless the rows are in the order of the input.
func WordOf(c *keys.Columns, plan *keyencode.Plan, word int, rows driver.Ptr, n int) (
	src onesweep.Source, scan *abi.KeySource) {
	fields := keys.PlanFields(plan, word)
	width := plan.WordBits(word)
	if rows == 0 && len(fields) == 1 && keys.IsDirect(&fields[0]) {
		return onesweep.OfField(c.Task, c.Field(&fields[0]), n, width), c.ScanOfField(&fields[0])
	}
	codes := c.EncodeFields(c.Fields(fields), rows, n)
	if rows == 0 {
		scan = abi.CodeColumn(codes, 8, width)
	}
	return onesweep.OfCodes(c.Task, codes, rows, n, width, c.Rows), scan
}
