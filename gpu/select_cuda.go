//go:build cuda && linux && amd64

package gpu

import (
	"unsafe"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/kernels"
)

// candidates are the rows that may be among the first by a word of their codes, in the order of the input, and their
// codes.
type candidates struct {
	field abi.Field // of codes
	bits  int
	codes driver.Ptr
	rows  driver.Ptr
	n     int
	tied  driver.Ptr // the first rows that tie with the border and sort after all candidates
	tie   uint64     // their code: the border
}

// selectFirst selects the rows that the result needs, by a column of codes, in one read of it. With separateTies, rows
// that tie with the border are listed separately, where their order is that of the input; else they are candidates. ok
// is false where sorting all rows is as fast, where the sampled cutoff was wrong, and where too many rows tie with it.
func (s *sorter) selectFirst(field abi.Field, bits int, separateTies bool) (c candidates, ok bool) {
	shape, ok := strategy.ShapeSelect(s.tuning, s.rows, s.out)
	if !ok || s.cutoffFailed {
		return c, false
	}
	width, tile, kernel := 8, kernels.SelectWideTile, "select_rows_wide"
	if field.Width == 4 && bits <= 32 {
		width, tile, kernel = 4, kernels.SelectTile, "select_rows"
	}
	tiles := (s.rows + tile - 1) / tile
	status := s.zeros(8*tiles + int(unsafe.Sizeof(abi.Selection{})))
	sample := s.alloc(8 * kernels.SelectSample)
	c = candidates{codes: s.alloc(width * shape.Capacity), rows: s.alloc(4 * shape.Capacity), bits: bits}
	job := abi.Select{
		Field: field, Bits: uint64(bits), N: uint64(s.rows), K: uint64(s.out), Hits: uint64(shape.Hits),
		Capacity: uint64(shape.Capacity),
		Sample:   uint64(sample), Status: uint64(status), Selection: uint64(status) + uint64(8*tiles),
		Codes: uint64(c.codes), Rows: uint64(c.rows),
		Selected: uint64(uintptr(unsafe.Pointer(s.reports.selected))),
	}
	if separateTies {
		c.tied = s.alloc(4 * s.out)
		job.SeparateTies, job.Tied = 1, uint64(c.tied)
	}
	words := abi.Words([]abi.Select{job})
	blocks := (min(s.rows, kernels.SelectSample) + kernels.SelectBorderThreads - 1) / kernels.SelectBorderThreads
	s.launch("select_border", blocks, words...)
	s.launchEarly(kernel, tiles, words...)
	s.Moves(int(field.Width) * s.rows)
	s.Record(s.reports.done)
	s.prefetch() // before memory in use is freed
	s.free(status, sample)
	if !s.Failed() {
		s.Fail(s.WaitFor(s.reports.done))
	}
	found := s.reports.selected
	if s.Failed() || found.Candidates > uint64(shape.Capacity) || found.Candidates+found.Tied < uint64(s.out) {
		s.cutoffFailed = separateTies
		s.free(c.codes, c.rows, c.tied)
		return candidates{}, false
	}
	c.n, c.tie = int(found.Candidates), found.Border
	s.assertPermutation(c.rows, c.n, s.rows)
	c.field = abi.CodesField(c.codes)
	c.field.Width, c.field.Stride = uint64(width), uint64(width)
	return c, true
}

// sortCandidates sorts the candidates by their codes. It frees their rows and codes, but not the rows that tie.
func (s *sorter) sortCandidates(c candidates) (rows driver.Ptr) {
	defer s.free(c.codes)
	if c.n == 0 {
		return c.rows
	}
	b := newBinner(s.task, c.n)
	if rows, ok := b.sortSmall(c.field, c.rows, noClasses, func() {}); ok {
		s.free(c.rows)
		return rows
	}
	b.declined = true // do not ask again
	codes := abi.KeySource{Column: abi.Column{ColumnValues: c.field.ColumnValues}, Bits: c.bits}
	places := b.sort(source{field: c.field, scan: &codes}, c.bits)
	if places == 0 { // all codes are the same
		return c.rows
	}
	s.assertPermutation(places, c.n, c.n)
	rows = s.alloc(4 * c.n)
	s.launch("gather_4", s.blocks(c.n), uint64(c.rows), uint64(places), uint64(c.n), uint64(rows))
	s.free(places, c.rows)
	return rows
}

// sortFirst sorts the rows that the result needs by a word that is their whole code. It frees the source if ok.
func (s *sorter) sortFirst(src source, bits int) (rows driver.Ptr, ok bool) {
	c, ok := s.selectFirst(src.field, bits, true)
	if !ok {
		return 0, false
	}
	s.free(src.codes)
	return s.sortSelected(c), true
}

// sortSelected sorts the candidates and appends the rows that tie with the border.
func (s *sorter) sortSelected(c candidates) (order driver.Ptr) {
	rows := s.sortCandidates(c)
	if c.n >= s.out {
		s.free(c.tied)
		return rows
	}
	order = s.alloc(4 * s.out)
	s.copy(order, rows, 4*c.n)
	s.copy(order+driver.Ptr(4*c.n), c.tied, 4*(s.out-c.n))
	s.free(rows, c.tied)
	return order
}

// sortFirstByTypes sorts the rows that the result needs without statistics of the keys. It returns false if the types
// of the keys have more values than fit one word.
func (s *sorter) sortFirstByTypes() bool {
	if _, ok := strategy.ShapeSelect(s.tuning, s.rows, s.out); !ok || len(s.job.Keys) == 0 || s.job.Plan {
		return false
	}
	fields, bits, ok := typeWord(s.job.Columns, s.job.Keys)
	if !ok {
		return s.sortFirstWithNulls()
	}
	deviceFields := s.fields(fields)
	number := isNumber(fields[0].layout)
	if len(deviceFields) > 1 && number {
		if s.order, ok = s.sortFirstByLeadingKey(deviceFields, bits); ok {
			return true
		}
	}
	src := source{field: deviceFields[0]}
	if len(deviceFields) > 1 || !number {
		src.codes = s.encodeFields(deviceFields, 0, s.rows)
		src.field = abi.CodesField(src.codes)
	}
	if s.order, ok = s.sortFirst(src, bits); !ok {
		s.free(src.codes)
	}
	return ok
}

// sortFirstWithNulls does the same for a single key whose nulls share a number with its greatest value. It returns
// false if the result includes either.
func (s *sorter) sortFirstWithNulls() bool {
	word, ok := typeWordWithNulls(s.job.Columns, s.job.Keys[0])
	if !ok || len(s.job.Keys) > 1 {
		return false
	}
	c, ok := s.selectFirst(s.field(&word), 64, true)
	if !ok || c.tie == word.Null {
		s.free(c.codes, c.rows, c.tied)
		return false
	}
	s.order = s.sortSelected(c)
	return true
}

// sortFirstByLeadingKey selects by the first of several keys alone, which reads less than all of them. Only candidates
// are encoded: deviceFields are the fields of their word, which has the given bits.
func (s *sorter) sortFirstByLeadingKey(deviceFields []abi.Field, bits int) (rows driver.Ptr, ok bool) {
	leading, leadingBits, _ := typeWord(s.job.Columns, s.job.Keys[:1]) // which a longer word includes
	c, ok := s.selectFirst(s.field(&leading[0]), leadingBits, false)
	if !ok {
		return 0, false
	}
	s.free(c.codes)
	c.codes, c.bits = s.encodeFields(deviceFields, c.rows, c.n), bits
	c.field = abi.CodesField(c.codes)
	return s.sortCandidates(c), true
}

// narrow selects the rows that may be in the result by the leading word of their codes, so that only they are sorted.
// rows is 0, for all rows, where that is not faster.
func (s *sorter) narrow() (rows driver.Ptr) {
	if _, ok := strategy.ShapeSelect(s.tuning, s.rows, s.out); !ok || s.cutoffFailed {
		return 0
	}
	src := s.source(0, 0)
	c, ok := s.selectFirst(src.field, s.plan.WordBits(0), false)
	s.free(src.codes)
	if !ok {
		return 0
	}
	s.free(c.codes)
	s.binner = newBinner(s.task, c.n)
	s.binner.rowBits = strategy.RowBits(s.tuning, s.rows)
	return c.rows
}

// sortLeading sorts by the leading word of the codes. The first n of the rows are those that may be in the result, or
// precede one that is.
func (s *sorter) sortLeading() (rows driver.Ptr, n int) {
	src, bits := s.source(0, 0), s.plan.WordBits(0)
	if c, ok := s.selectFirst(src.field, bits, false); ok {
		s.free(src.codes)
		return s.sortCandidates(c), c.n
	}
	if rows = s.binner.sort(src, bits); rows == 0 {
		rows = s.iota(s.rows, false)
	}
	return rows, s.rows
}
