//go:build cuda && linux && amd64

package gpu

import (
	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/keys"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
)

// sortFirstByTypes sorts the rows that the result needs by one number of the types of the keys, without statistics.
func (s *argsorter) sortFirstByTypes() (rows driver.Ptr, found outcome) {
	fields, bits, ok := keys.TypeWord(s.Job.Columns, s.Job.Keys)
	if !ok {
		return s.sortFirstWithNulls()
	}
	deviceFields := s.Fields(fields)
	number := keys.IsNumber(fields[0].Layout)
	if len(fields) > 1 && number {
		if rows = s.sortFirstByLeadingKey(deviceFields, bits); rows != 0 {
			return rows, selected
		}
	}
	src := source{field: deviceFields[0], width: bits}
	if len(fields) > 1 || !number {
		src.codes = s.EncodeFields(deviceFields, 0, s.Rows)
		src.field = abi.CodesField(src.codes)
	}
	if rows, found = s.sortFirst(src); found != selected {
		s.Free(src.codes)
	}
	return rows, found
}

// sortFirstWithNulls does the same for a single key whose nulls share a number with its greatest value. It selects
// nothing if the result includes either.
func (s *argsorter) sortFirstWithNulls() (driver.Ptr, outcome) {
	word, _ := keys.TypeWordWithNulls(s.Job.Columns, s.Job.Keys[0])
	c, found := s.selects(s.Field(&word), 64, true)
	if found != selected {
		return 0, found
	}
	if c.tie == word.Null {
		s.Free(c.codes, c.rows, c.tied)
		return 0, notWorth
	}
	return s.sortSelected(c), selected
}

// sortFirstByLeadingKey selects by the first of several keys alone, which reads less than all of them. Only candidates
// are encoded: deviceFields are the fields of their word, which has the given bits. It returns 0 if none are selected.
func (s *argsorter) sortFirstByLeadingKey(deviceFields []abi.Field, bits int) driver.Ptr {
	leading, leadingBits, _ := keys.TypeWord(s.Job.Columns, s.Job.Keys[:1]) // which a longer word includes
	c, found := s.selects(s.Field(&leading[0]), leadingBits, false)
	if found != selected {
		return 0
	}
	s.Free(c.codes)
	c.codes, c.bits = s.EncodeFields(deviceFields, c.rows, c.n), bits
	c.field = abi.CodesField(c.codes)
	return s.sortCandidates(c)
}

// sortFirst sorts the rows that the result needs by a word that is their whole code: 0 unless they are selected. Then it
// frees the codes of the source.
func (s *argsorter) sortFirst(src source) (driver.Ptr, outcome) {
	c, found := s.selects(src.field, src.width, true)
	if found != selected {
		return 0, found
	}
	s.Free(src.codes)
	return s.sortSelected(c), selected
}

// selects selects the rows that the result needs.
func (s *argsorter) selects(field abi.Field, bits int, separateTies bool) (candidates, outcome) {
	return selectFirst(s.Task, field, bits, s.Rows, s.out, separateTies, s.Prefetch)
}

// sortSelected sorts the candidates and appends the rows that tie with the border.
func (s *argsorter) sortSelected(c candidates) (order driver.Ptr) {
	rows := s.sortCandidates(c)
	if c.n >= s.out {
		s.Free(c.tied)
		return rows
	}
	order = s.Alloc(4 * s.out)
	s.Copy(order, rows, 4*c.n)
	s.Copy(order+driver.Ptr(4*c.n), c.tied, 4*(s.out-c.n))
	s.Free(rows, c.tied)
	return order
}

// sortCandidates sorts the candidates by their codes. It frees their rows and codes, but not the rows that tie.
func (s *argsorter) sortCandidates(c candidates) (rows driver.Ptr) {
	defer s.Free(c.codes)
	if c.n == 0 {
		return c.rows
	}
	if rows, ok := singleLaunch(s.Task, c.field, c.rows, c.n, noClasses, func() {}); ok {
		s.Free(c.rows)
		return rows
	}
	src := source{field: c.field, width: c.bits, n: c.n, rowBits: strategy.RowBits(s.Tuning, c.n)}
	scan := abi.KeySource{Column: abi.Column{ColumnValues: c.field.ColumnValues}, Bits: c.bits}
	places := sortCodes(s.Task, src, &scan, strategy.Grid)
	if places == 0 { // all codes are the same
		return c.rows
	}
	s.AssertPermutation(places, c.n, c.n)
	rows = s.Alloc(4 * c.n)
	s.Launch("gather_4", s.Blocks(c.n), uint64(c.rows), uint64(places), uint64(c.n), uint64(rows))
	s.Free(places, c.rows)
	return rows
}
