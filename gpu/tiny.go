//go:build cuda && linux && amd64

package gpu

import (
	"math"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// tinyRows is kernels.TinyRows but for tests.
var tinyRows = kernels.TinyRows

// tiny sorts few rows by a field in one launch of one block; ok is false for more rows than it takes. in are row numbers in the order
// of the field's rows, 0 for the order of the input. classes says what null and NaN are, see kernels/tiny_rows.h.
func (b *binner) tiny(field driver.Ptr, in driver.Ptr, classes uint64) (rows driver.Ptr, ok bool) {
	kernel := "tiny"
	if b.rows <= kernels.TinyFewRows {
		kernel = "tiny_few"
	}
	if b.rows > tinyRows || !fits(b.Shared, kernel) {
		return 0, false
	}
	rows = b.alloc(4 * b.rows)
	b.launch(kernel, 1, uint64(field), uint64(b.rows), classes, uint64(in), uint64(rows))
	return rows, true
}

const (
	noClasses      = 0 // null and NaN have numbers of their own
	classesAtEnd   = 1
	classesAtStart = 2
)

// sortTiny sorts few rows by their only key, if it is one for the device: its statistics are not needed.
func (s *sorter) sortTiny() (rows driver.Ptr, ok bool) {
	if len(s.job.Keys) != 1 || s.rows == 0 || s.rows > tinyRows || s.job.Plan {
		return 0, false
	}
	key := s.job.Keys[0]
	layout, ok := s.job.Columns[key.Column].OnDevice()
	if !ok || layout.Form == keyencode.FormNone || layout.Form == keyencode.FormDecimal {
		return 0, false
	}
	classes := uint64(classesAtEnd)
	if key.Nulls == keyencode.NullsAtStart {
		classes = classesAtStart
	}
	return s.binner.tiny(put(s.task, s.wholeField(key, layout)), 0, classes)
}

// wholeField makes numbers in the order of the key of all values that its type has.
func (s *sorter) wholeField(key keyencode.Key, layout keyencode.DeviceColumn) abiField {
	p := s.place(key.Column, layout.Form)
	f := abiField{
		values: p.values, validity: p.validity, bit: p.bit, valueBit: p.valueBit,
		form: uint64(layout.Form), width: uint64(layout.Width), stride: uint64(layout.Stride), sign: layout.SignBit, infinity: layout.Infinity,
		base: [4]uint64{layout.SignBit}, mul: 1, mask: math.MaxUint64,
	}
	if key.Order == keyencode.Descending {
		f.mul, f.bias = math.MaxUint64, math.MaxUint64
	}
	return f
}
