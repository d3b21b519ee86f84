//go:build cuda && linux && amd64

package argsort

import (
	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/incore"
	"github.com/arrowsort/arrowsort/gpu/internal/keys"
	"github.com/arrowsort/arrowsort/gpu/internal/onesweep"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/gpu/internal/topk"
)

// sortFirstByTypes sorts the rows that the result needs by one number of the types of the keys, without statistics.
func (s *argsorter) sortFirstByTypes() (rows driver.Ptr, found topk.Outcome) {
	fields, bits, ok := keys.TypeWord(s.Job.Columns, s.Job.Keys)
	if !ok {
		return s.sortFirstWithNulls()
	}
	deviceFields := s.Fields(fields)
	number := keys.IsNumber(fields[0].Layout)
	if len(fields) > 1 && number {
		if rows = s.sortFirstByLeadingKey(deviceFields, bits); rows != 0 {
			return rows, topk.Selected
		}
	}
	src := onesweep.Source{Field: deviceFields[0], Width: bits}
	if len(fields) > 1 || !number {
		src.Codes = s.EncodeFields(deviceFields, 0, s.Rows)
		src.Field = abi.Integers(src.Codes, 8)
	}
	if rows, found = s.sortFirst(src); found != topk.Selected {
		s.Free(src.Codes)
	}
	return rows, found
}

// sortFirstWithNulls does the same for a single key whose nulls share a number with its greatest value. It selects
// nothing if the result includes either.
func (s *argsorter) sortFirstWithNulls() (driver.Ptr, topk.Outcome) {
	word, _ := keys.TypeWordWithNulls(s.Job.Columns, s.Job.Keys[0])
	c, found := s.selects(s.Field(&word), 64, true)
	if found != topk.Selected {
		return 0, found
	}
	if c.Tie == word.Null {
		s.Free(c.Codes, c.Rows, c.Tied)
		return 0, topk.NotWorth
	}
	return s.sortSelected(c), topk.Selected
}

// sortFirstByLeadingKey selects by the first of several keys alone, which reads less than all of them. Only candidates
// are encoded: deviceFields are the fields of their word, which has the given bits. It returns 0 if none are selected.
func (s *argsorter) sortFirstByLeadingKey(deviceFields []abi.Field, bits int) driver.Ptr {
	leading, leadingBits, _ := keys.TypeWord(s.Job.Columns, s.Job.Keys[:1]) // which a longer word includes
	c, found := s.selects(s.Field(&leading[0]), leadingBits, false)
	if found != topk.Selected {
		return 0
	}
	s.Free(c.Codes)
	c.Codes, c.Bits = s.EncodeFields(deviceFields, c.Rows, c.N), bits
	c.Field = abi.Integers(c.Codes, 8)
	return s.sortCandidates(c)
}

// sortFirst sorts the rows that the result needs by a word that is their whole code: 0 unless they are selected. Then
// it frees the codes of the source.
func (s *argsorter) sortFirst(src onesweep.Source) (driver.Ptr, topk.Outcome) {
	c, found := s.selects(src.Field, src.Width, true)
	if found != topk.Selected {
		return 0, found
	}
	s.Free(src.Codes)
	return s.sortSelected(c), topk.Selected
}

// selects selects the rows that the result needs.
func (s *argsorter) selects(field abi.Field, bits int, separateTies bool) (topk.Candidates, topk.Outcome) {
	return topk.Select(s.Task, field, bits, s.Rows, s.Job.Out(), separateTies, s.Prefetch)
}

// sortSelected sorts the candidates and appends the rows that tie with the border.
func (s *argsorter) sortSelected(c topk.Candidates) (order driver.Ptr) {
	rows := s.sortCandidates(c)
	if c.N >= s.Job.Out() {
		s.Free(c.Tied)
		return rows
	}
	order = s.Alloc(4 * s.Job.Out())
	s.Copy(order, rows, 4*c.N)
	s.Copy(order+driver.Ptr(4*c.N), c.Tied, 4*(s.Job.Out()-c.N))
	s.Free(rows, c.Tied)
	return order
}

// sortCandidates sorts the candidates by their codes. It frees their rows and codes, but not the rows that tie.
func (s *argsorter) sortCandidates(c topk.Candidates) (rows driver.Ptr) {
	defer s.Free(c.Codes)
	if c.N == 0 {
		return c.Rows
	}
	few := incore.Job{Source: onesweep.Source{N: c.N, Rows: c.Rows}, Whole: c.Field}
	if rows, ok := incore.Sort(s.Task, few, func() {}); ok {
		return rows
	}
	src := onesweep.OfField(s.Task, c.Field, c.N, c.Bits)
	scan := abi.KeySource{Column: abi.Column{ColumnValues: c.Field.ColumnValues}, Bits: c.Bits}
	places := sortCodes(s.Task, src, &scan, strategy.Grid)
	if places == 0 { // all codes are the same
		return c.Rows
	}
	s.AssertPermutation(places, c.N, c.N)
	rows = s.Alloc(4 * c.N)
	s.Launch("gather_4", s.Blocks(c.N), uint64(c.Rows), uint64(places), uint64(c.N), uint64(rows))
	s.Free(places, c.Rows)
	return rows
}
