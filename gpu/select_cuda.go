//go:build cuda && linux && amd64

package gpu

import (
	"unsafe"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// candidates are the rows that are among the first by a word of their codes, in the order of the input, and their
// codes.
type candidates struct {
	field abiField // of codes
	bits  int
	codes driver.Ptr
	rows  driver.Ptr
	n     int
	tied  driver.Ptr // rows behind all of these, as many as may be wanted: they tie
	tie   uint64     // their code
}

// selectFirst selects the rows that the result wants, by a column of codes of so many bits, in one read of it. Rows
// that tie with the last of them are apart, where their order is that of the input, or candidates. ok is false when
// there are too few rows, or too many are wanted, for this to be quicker than to sort them all, and when a sample of
// the rows has misled, as it will again, or too many rows tie.
func (s *sorter) selectFirst(field abiField, bits int, apart bool) (c candidates, ok bool) {
	shape, ok := shapeSelect(s.rows, s.out)
	if !ok || s.misled {
		return c, false
	}
	width, tile, kernel := 8, kernels.SelectWideTile, "select_rows_wide"
	if field.width == 4 && bits <= 32 {
		width, tile, kernel = 4, kernels.SelectTile, "select_rows"
	}
	tiles := (s.rows + tile - 1) / tile
	status := s.zeros(8*tiles + int(unsafe.Sizeof(abiSelection{})))
	sample := s.alloc(8 * kernels.SelectSample)
	c = candidates{codes: s.alloc(width * shape.room), rows: s.alloc(4 * shape.room), bits: bits}
	job := abiSelect{
		field: field, bits: uint64(bits), n: uint64(s.rows), k: uint64(s.out), hits: uint64(shape.hits),
		room:   uint64(shape.room),
		sample: uint64(sample), status: uint64(status), selection: uint64(status) + uint64(8*tiles),
		codes: uint64(c.codes), rows: uint64(c.rows),
		selected: uint64(uintptr(unsafe.Pointer(s.lookout.selected))),
	}
	if apart {
		c.tied = s.alloc(4 * s.out)
		job.apart, job.tied = 1, uint64(c.tied)
	}
	words := abiWords([]abiSelect{job})
	blocks := (min(s.rows, kernels.SelectSample) + kernels.SelectBorderThreads - 1) / kernels.SelectBorderThreads
	s.launch("select_border", blocks, words...)
	s.launchEarly(kernel, tiles, words...)
	s.moves(int(field.width) * s.rows)
	if !s.failed() {
		s.fail(s.Record(s.lookout.told))
	}
	s.prefetch() // before memory that is in use is free
	s.free(status, sample)
	if !s.failed() {
		s.fail(s.WaitFor(s.lookout.told))
	}
	found := s.lookout.selected
	if s.failed() || found.candidates > uint64(shape.room) || found.candidates+found.tied < uint64(s.out) {
		s.misled = apart
		s.free(c.codes, c.rows, c.tied)
		return candidates{}, false
	}
	c.n, c.tie = int(found.candidates), found.border
	s.assertPermutation(c.rows, c.n, s.rows)
	c.field = codesField(c.codes)
	c.field.width, c.field.stride = uint64(width), uint64(width)
	return c, true
}

// sortCandidates sorts the candidates by their codes; what they were is freed, but for the rows that tie.
func (s *sorter) sortCandidates(c candidates) (rows driver.Ptr) {
	defer s.free(c.codes)
	if c.n == 0 {
		return c.rows
	}
	b := newBinner(s.task, c.n)
	if rows, ok := b.sortFew(c.field, c.rows, noClasses, func() {}); ok {
		s.free(c.rows)
		return rows
	}
	b.declined = true // it need not be asked again
	codes := view{abiColumn{values: uint64(c.codes), form: c.field.form, width: c.field.width, stride: c.field.stride},
		c.bits, false}
	places := b.sort(source{field: c.field, look: &codes}, c.bits)
	if places == 0 { // all codes are the same
		return c.rows
	}
	s.assertPermutation(places, c.n, c.n)
	rows = s.alloc(4 * c.n)
	s.launch("gather_4", s.blocks(c.n), uint64(c.rows), uint64(places), uint64(c.n), uint64(rows))
	s.free(places, c.rows)
	return rows
}

// sortFirst sorts the rows that the result wants by a word that is all of their codes. It takes the source over, if ok.
func (s *sorter) sortFirst(src source, bits int) (rows driver.Ptr, ok bool) {
	c, ok := s.selectFirst(src.field, bits, true)
	if !ok {
		return 0, false
	}
	s.free(src.codes)
	return s.sortSelected(c), true
}

// sortSelected sorts the candidates, and has the rows that tie follow them.
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

// sortFirstByTypes sorts the rows that the result wants, where that can be done without statistics of the keys: they
// make one word with room for all values of their types.
func (s *sorter) sortFirstByTypes() bool {
	if _, ok := shapeSelect(s.rows, s.out); !ok || len(s.job.Keys) == 0 || s.job.Plan {
		return false
	}
	fields, bits, ok := keyencode.TypeWord(s.job.Columns, s.job.Keys)
	if !ok {
		return s.sortFirstCrowded()
	}
	pieces := s.fields(fields)
	number := isNumber(fields[0].DeviceColumn)
	if len(pieces) > 1 && number {
		if s.order, ok = s.sortFirstByLeadingKey(pieces, bits); ok {
			return true
		}
	}
	src := source{field: pieces[0]}
	if len(pieces) > 1 || !number {
		src.codes = s.encodeFields(pieces, 0, s.rows)
		src.field = codesField(src.codes)
	}
	if s.order, ok = s.sortFirst(src, bits); !ok {
		s.free(src.codes)
	}
	return ok
}

// sortFirstCrowded is the same for an only key whose nulls share a number with its greatest value, if the result
// reaches to neither.
func (s *sorter) sortFirstCrowded() bool {
	word, ok := keyencode.TypeWordWithNulls(s.job.Columns, s.job.Keys[0])
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

// sortFirstByLeadingKey selects by the first of several keys alone, which is less to read than all of them. Only
// candidates get a word of their keys: it has so many bits, and these pieces.
func (s *sorter) sortFirstByLeadingKey(pieces []abiField, bits int) (rows driver.Ptr, ok bool) {
	leading, leadingBits, _ := keyencode.TypeWord(s.job.Columns, s.job.Keys[:1]) // which a longer word includes
	c, ok := s.selectFirst(s.field(&leading[0]), leadingBits, false)
	if !ok {
		return 0, false
	}
	s.free(c.codes)
	c.codes, c.bits = s.encodeFields(pieces, c.rows, c.n), bits
	c.field = codesField(c.codes)
	return s.sortCandidates(c), true
}

// narrow selects the rows that the result may have by the leading word of their codes: they alone are sorted then. rows
// is 0, for all of them, where that does not pay.
func (s *sorter) narrow() (rows driver.Ptr) {
	if _, ok := shapeSelect(s.rows, s.out); !ok || s.misled {
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
	s.binner.rowBits = rowBitsOf(s.rows)
	return c.rows
}

// sortLeading sorts by the leading word of the codes and returns how many rows may be in the result, or in front of one
// that is.
func (s *sorter) sortLeading() (rows driver.Ptr, n int) {
	src, bits := s.source(0, 0), s.plan.WordBits(0)
	if c, ok := s.selectFirst(src.field, bits, false); ok {
		s.free(src.codes)
		return s.sortCandidates(c), c.n
	}
	if rows = s.binner.sort(src, bits); rows == 0 {
		rows = s.iota(false)
	}
	return rows, s.rows
}
