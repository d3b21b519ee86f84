//go:build cuda && linux && amd64

package device

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
	Counters     driver.Ptr // a Decision, then the counts of buckets, then the counts of classes
	counterBytes int
	Cleared      bool          // the counters are zero: the kernels of a complete sort leave them so
	Report       *abi.Report   // pinned
	Selected     *abi.Selected // pinned
	Done         driver.Event  // recorded after the last kernel that writes report or selected
}

func (r *reports) open(c *driver.Context) error {
	memory, err := c.NewPinned(int(unsafe.Sizeof(abi.Report{})))
	if err != nil {
		return err
	}
	r.Report = (*abi.Report)(unsafe.Pointer(unsafe.SliceData(memory)))
	if memory, err = c.NewPinned(int(unsafe.Sizeof(abi.Selected{}))); err != nil {
		return err
	}
	r.Selected = (*abi.Selected)(unsafe.Pointer(unsafe.SliceData(memory)))
	r.Done, err = c.NewEvent()
	return err
}

// ZeroCounters provides at least the given number of bytes of counters, all zero.
func (t *Task) ZeroCounters(bytes int) {
	r := &t.Reports
	if r.counterBytes < bytes && !t.Failed() {
		if r.Counters != 0 {
			t.Fail(t.Pool.Discard(r.Counters))
			r.Counters, r.counterBytes = 0, 0
		}
		size := memory.SizeClass(bytes) // so that not every one of growing sorts allocates
		p := t.obtain(size, func() (driver.Ptr, error) { return t.Pool.Fresh(size) })
		if t.Failed() {
			return
		}
		r.Counters, r.counterBytes, r.Cleared = p, size, false
	}
	if !r.Cleared && !t.Failed() {
		t.Fail(t.Zero(r.Counters, r.counterBytes))
	}
}

// WaitForStatus polls a status word in pinned memory until a kernel has written it, and returns it: zero or more bits
// of type SortStatus (kernels/abi.h). It returns 0 when the stream has finished without writing the word, or has
// failed.
func (t *Task) WaitForStatus(word *uint64) (status uint64) {
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

// WaitForReport waits for the kernels of the last key scan and its sort, and returns their report.
func (t *Task) WaitForReport() (report abi.Report) {
	if t.Failed() {
		return report
	}
	t.Fail(t.WaitFor(t.Reports.Done))
	return *t.Reports.Report
}
