//go:build cuda && linux && amd64

package gpu

import (
	"math"
	"unsafe"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// sortSmall sorts by a field in a single launch. ok is false for more rows than such a kernel sorts, and where a
// cooperative launch has declined because a bucket has too many rows that are not equal. in are the row numbers of the
// field's rows, 0 for 0, 1, 2 and so on. classes is noClasses, classesAtEnd or classesAtStart. meanwhile is called when
// the kernel is launched: other streams must not use the memory that is freed from then on.
func (b *binner) sortSmall(field abi.Field, in driver.Ptr, classes uint64, meanwhile func()) (
	rows driver.Ptr, ok bool) {
	kernel, blocks, ok := b.smallSortKernel(b.rows)
	if !ok || b.declined {
		return 0, false
	}
	rows = b.alloc(4 * b.rows)
	small := abi.SmallSort{Field: field, Classes: classes, N: uint64(b.rows), In: uint64(in), Out: uint64(rows)}
	if !kernels.All[strategy.KernelNumbers[kernel]].Cooperative() {
		b.launch(kernel, blocks, abi.Words([]abi.SmallSort{small})...)
		return rows, true
	}
	numbers, tags, totals := b.alloc(8*b.rows), b.alloc(4*b.rows), b.alloc(4*(1+kernels.CooperativeFull)*blocks)
	status := &b.reports.report.Plan
	*status = 0
	cooperative := abi.CooperativeSort{
		Small: small, State: uint64(b.cooperativeState), Numbers: uint64(numbers), Tags: uint64(tags),
		Totals: uint64(totals), Status: uint64(uintptr(unsafe.Pointer(status))),
	}
	b.launch(kernel, blocks, abi.Words([]abi.CooperativeSort{cooperative})...)
	if ok = b.waitForStatus(status) == abi.StatusAccepted; ok {
		b.Moves(52 * b.rows)
		meanwhile()
	} else {
		b.free(rows)
		rows = 0
	}
	b.free(numbers, tags, totals)
	return rows, ok
}

// strategy.SingleLaunch returns the kernel that sorts the given number of rows on this device in a single launch.
func (t *task) smallSortKernel(rows int) (name string, blocks int, ok bool) {
	return strategy.SingleLaunch(t.tuning, rows, t.Multiprocessors,
		func(name string) bool { return t.Fits(strategy.KernelNumbers[name]) })
}

// How null and NaN sort: the enumeration Classes of kernels/small_sort.h.
const (
	noClasses      = 0 // by the numbers that the field has for them
	classesAtEnd   = 1
	classesAtStart = 2
)

// sortSmall sorts by the only key in a single launch, without statistics. ok is false for more rows, several keys, and
// keys that the device does not read. If the device declines, it is not asked again for the codes of the key.
func (s *sorter) sortSmall() (rows driver.Ptr, ok bool) {
	if _, _, small := s.smallSortKernel(s.rows); !small || len(s.job.Keys) != 1 || s.rows == 0 || s.job.Plan {
		return 0, false
	}
	key := s.job.Keys[0]
	layout, ok := layoutOf(&s.job.Columns[key.Column])
	if !ok || layout.form == abi.FormNone || layout.form == abi.FormDecimal {
		return 0, false
	}
	classes := uint64(classesAtEnd)
	if key.Nulls == keyencode.NullsAtStart {
		classes = classesAtStart
	}
	rows, ok = s.binner.sortSmall(s.wholeField(key, layout), 0, classes, s.prefetch)
	s.binner.declined = !ok
	return rows, ok
}

// wholeField returns a Field that maps every value of the key's type to a number. The numbers order as the key does.
func (s *sorter) wholeField(key keyencode.Key, layout keyLayout) abi.Field {
	in := s.keyInput(key, layout)
	f := in.Field()
	if key.Order == keyencode.Descending {
		f.Bias = math.MaxUint64 // numbers have 64 bits
	}
	return f
}
