//go:build cuda && linux && amd64

package gpu

import (
	"math"
	"unsafe"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// sortFew sorts few rows by a field in one launch; ok is false for more rows than the device takes, and where a grid
// has found that they are not spread well. in are row numbers in the order of the field's rows, 0 for the order of the
// input. classes says what null and NaN are, see kernels/few_rows.h. Meanwhile is called when all is launched: other
// streams must not have the memory that is free from then on.
func (b *binner) sortFew(field abiField, in driver.Ptr, classes uint64, meanwhile func()) (rows driver.Ptr, ok bool) {
	kernel, blocks, ok := b.fewKernel(b.rows)
	if !ok || b.declined {
		return 0, false
	}
	rows = b.alloc(4 * b.rows)
	few := abiFew{field: field, classes: classes, n: uint64(b.rows), in: uint64(in), out: uint64(rows)}
	if !kernels.All[kernelNumbers[kernel]].Together() {
		b.launch(kernel, blocks, abiWords([]abiFew{few})...)
		return rows, true
	}
	numbers, tags, totals := b.alloc(8*b.rows), b.alloc(4*b.rows), b.alloc(4*blocks)
	told := &b.lookout.report.plan
	*told = 0
	many := abiMany{
		few: few, meeting: uint64(b.meeting), numbers: uint64(numbers), tags: uint64(tags), totals: uint64(totals),
		told: uint64(uintptr(unsafe.Pointer(told))),
	}
	b.launch(kernel, blocks, abiWords([]abiMany{many})...)
	if ok = b.hear(told) == saysYes; ok {
		b.moves(52 * b.rows)
		meanwhile()
	} else {
		b.free(rows)
		rows = 0
	}
	b.free(numbers, tags, totals)
	return rows, ok
}

// fewKernel is the kernel that sorts so few rows on this device.
func (t *task) fewKernel(rows int) (name string, blocks int, ok bool) {
	return fewKernel(rows, t.Multiprocessors, func(name string) bool { return t.Fits(kernelNumbers[name]) })
}

const (
	noClasses      = 0 // null and NaN have numbers of their own
	classesAtEnd   = 1
	classesAtStart = 2
)

// sortFew sorts few rows by their only key, if it is one for the device: its statistics are not needed. Where that
// fails there is no use in trying the key's codes.
func (s *sorter) sortFew() (rows driver.Ptr, ok bool) {
	if _, _, few := s.fewKernel(s.rows); !few || len(s.job.Keys) != 1 || s.rows == 0 || s.job.Plan {
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
	rows, ok = s.binner.sortFew(s.wholeField(key, layout), 0, classes, s.prefetch)
	s.binner.declined = !ok
	return rows, ok
}

// wholeField makes numbers in the order of the key of all values that its type has.
func (s *sorter) wholeField(key keyencode.Key, layout keyencode.DeviceColumn) abiField {
	p := s.place(key.Column, layout.Form)
	f := abiField{
		values: p.values, validity: p.validity, bit: p.bit, valueBit: p.valueBit,
		form: uint64(layout.Form), width: uint64(layout.Width), stride: uint64(layout.Stride), sign: layout.SignBit,
		infinity: layout.Infinity,
		base:     [4]uint64{layout.SignBit}, mul: 1, mask: math.MaxUint64,
	}
	if key.Order == keyencode.Descending {
		f.mul, f.bias = math.MaxUint64, math.MaxUint64
	}
	return f
}
