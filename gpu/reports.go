//go:build cuda && linux && amd64

package gpu

import (
	"sync/atomic"
	"unsafe"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/memory"
)

// reports is the memory through which the kernels of a session report to the host, and the counters that those kernels
// share. It lives as long as the session.
type reports struct {
	counters     driver.Ptr // a Decision, then the counts of buckets, then the counts of classes
	counterBytes int
	cleared      bool          // the counters are zero: the kernels of a complete sort leave them so
	report       *abi.Report   // pinned
	selected     *abi.Selected // pinned
	done         driver.Event  // recorded after the last kernel that writes report or selected
}

func (r *reports) open(c *driver.Context) error {
	memory, err := c.NewPinned(int(unsafe.Sizeof(abi.Report{})))
	if err != nil {
		return err
	}
	r.report = (*abi.Report)(unsafe.Pointer(unsafe.SliceData(memory)))
	if memory, err = c.NewPinned(int(unsafe.Sizeof(abi.Selected{}))); err != nil {
		return err
	}
	r.selected = (*abi.Selected)(unsafe.Pointer(unsafe.SliceData(memory)))
	r.done, err = c.NewEvent()
	return err
}

// zeroCounters provides at least the given number of bytes of counters, all zero.
func (t *task) zeroCounters(bytes int) {
	r := &t.reports
	if r.counterBytes < bytes && !t.Failed() {
		if r.counters != 0 {
			t.Fail(t.Free(r.counters))
			r.counters, r.counterBytes = 0, 0
		}
		size := memory.SizeClass(bytes) // so that not every one of growing sorts allocates
		p := t.obtain(size, func() (driver.Ptr, error) { return t.memory.Fresh(size) })
		if t.Failed() {
			return
		}
		r.counters, r.counterBytes, r.cleared = p, size, false
	}
	if !r.cleared && !t.Failed() {
		t.Fail(t.Zero(r.counters, r.counterBytes))
	}
}

// waitForStatus polls a status word in pinned memory until a kernel has written it, and returns it: zero or more bits
// of type SortStatus (kernels/abi.h). It returns 0 when the stream has finished without writing the word, or has
// failed.
func (t *task) waitForStatus(word *uint64) (status uint64) {
	for status == 0 && !t.Failed() {
		passed, err := t.Passed() // read before the word: a stream that has finished has written it
		t.Fail(err)
		status = atomic.LoadUint64(word)
		if passed {
			break
		}
	}
	if t.Failed() {
		return 0
	}
	return status
}

// waitForReport waits for the kernels of the last key scan and its sort, and returns their report.
func (t *task) waitForReport() (report abi.Report) {
	if t.Failed() {
		return report
	}
	t.Fail(t.WaitFor(t.reports.done))
	return *t.reports.report
}
