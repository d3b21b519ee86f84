//go:build cuda && linux && amd64

package gpu

import (
	"context"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// A transfer moves bytes through a stream for one task. After the first error, which may be that of a cancelled
// context, its methods do nothing. One goroutine at a time uses it.
type transfer struct {
	*stream
	ctx     context.Context
	workers *host.Workers
	err     error
	queued  int // bytes of memory traffic queued since the last mark
	marked  int
}

// fail stores the first error.
func (m *transfer) fail(err error) {
	if m.err == nil && err != nil {
		m.err = driver.Failure(err)
	}
}

// failed reports whether there was an error, or the context has ended.
func (m *transfer) failed() bool {
	if m.err == nil {
		m.err = m.ctx.Err()
	}
	return m.err != nil
}

// record sets an event after what is queued in the stream.
func (m *transfer) record(e driver.Event) {
	if !m.failed() {
		m.fail(m.Record(e))
	}
}

// after makes what is queued from now on wait until another stream has passed an event.
func (m *transfer) after(e driver.Event) {
	if !m.failed() {
		m.fail(m.After(e))
	}
}

// moves counts bytes of memory traffic that the stream has been queued, and waits if too much is queued.
func (m *transfer) moves(bytes int) {
	if m.queued += bytes; m.queued < m.tuning.QueueBytes || m.failed() {
		return
	}
	m.queued = 0
	m.marked++
	mark := m.marks[m.marked%2]
	if m.marked > 2 {
		m.fail(m.staging.WaitFor(mark)) // the mark before the last
	}
	m.fail(m.Record(mark))
}

// wait waits for the stream, delivers what it has downloaded, and returns the first error.
func (m *transfer) wait() error {
	if !m.failed() {
		m.fail(m.staging.emptyAll(m.ahead()))
		m.idle()
	}
	return m.err
}

// ahead is how many slots of the staging memory are filled or emptied at a time, less one: one slot per thread.
func (m *transfer) ahead() int { return min(m.workers.Threads(), stagingSlots-stagingOnWay) - 1 }

// idle waits for the stream, also after an error. After it nothing reads or writes memory of the host.
func (m *transfer) idle() {
	m.fail(m.Wait())
	m.staging.settle()
}

// busCost is how much slower the bus is than the memory of the device.
const busCost = 64

// upload copies src to the device: directly if it is pinned, else through the staging memory.
func (m *transfer) upload(dst driver.Ptr, src []byte) {
	if len(src) < m.tuning.DirectBytes || !m.staging.Pinned(src) {
		m.uploadStaged(dst, src)
		return
	}
	m.inSteps(len(src), func(at, n int) error { return m.Upload(dst+driver.Ptr(at), src[at:at+n]) })
}

// inSteps calls step for parts of bytes that cross the bus, so that a cancelled context waits for no more than one.
func (m *transfer) inSteps(bytes int, step func(at, n int) error) {
	for at := 0; at < bytes && !m.failed(); at += m.tuning.CopyBytes {
		n := min(bytes-at, m.tuning.CopyBytes)
		m.fail(step(at, n))
		m.moves(n * busCost)
	}
}

// batchSize is how many of the given bytes go through the staging memory at a time: a share of each thread, rounded up
// to a multiple of stagingStride, so that no value of 1, 2, 4 or 8 bytes is split.
func (m *transfer) batchSize(bytes int) int {
	size := max(m.tuning.BatchBytes, bytes/m.workers.Threads())
	return (size + stagingStride - 1) &^ (stagingStride - 1)
}

// uploadStaged copies src to the device through the staging memory. Batches are filled while preceding ones are sent.
func (m *transfer) uploadStaged(dst driver.Ptr, src []byte) {
	var sends []func()
	size := m.batchSize(len(src))
	for len(src) > 0 && !m.failed() {
		memory, slot, err := m.staging.take(min(len(src), size), m.ahead())
		if m.fail(err); err != nil {
			break
		}
		end, to := m.workers.BeginCopy(memory, src[:len(memory)]), dst
		sends = append(sends, func() { // it waits until the batch is filled also after an error
			if m.fail(end()); !m.failed() {
				m.fail(m.Upload(to, memory))
				m.fail(m.Record(slot.event))
			}
		})
		if len(sends) > m.ahead() {
			sends[0]()
			sends = sends[1:]
		}
		dst, src = dst+driver.Ptr(len(memory)), src[len(memory):]
	}
	for _, send := range sends {
		send()
	}
}

// download copies from the device to dst, which is complete after wait.
func (m *transfer) download(dst []byte, src driver.Ptr) {
	if len(dst) < m.tuning.DirectBytes || !m.staging.Pinned(dst) {
		m.downloadInto(src, len(dst), func(at int, data []byte) func() error {
			return m.workers.BeginStream(dst[at:at+len(data)], data)
		})
		return
	}
	m.inSteps(len(dst), func(at, n int) error { return m.Download(dst[at:at+n], src+driver.Ptr(at)) })
}

// downloadInto downloads bytes into the staging memory and calls begin for each batch, until wait. at is the offset of
// the batch, a multiple of stagingStride. The function that begin returns waits for the end of its work.
func (m *transfer) downloadInto(src driver.Ptr, bytes int, begin func(at int, data []byte) (end func() error)) {
	size := m.batchSize(bytes)
	for at := 0; at < bytes && !m.failed(); {
		memory, slot, err := m.staging.take(min(bytes-at, size), m.ahead())
		if m.fail(err); err != nil {
			return
		}
		m.fail(m.Download(memory, src+driver.Ptr(at)))
		m.fail(m.Record(slot.event))
		first := at
		slot.pending = append(slot.pending, func() func() error { return begin(first, memory) })
		at += len(memory)
	}
}

// words downloads words and waits for them.
func (m *transfer) words(src driver.Ptr, n int) []uint64 {
	dst := make([]uint64, n)
	m.download(buffers.Bytes(dst), src)
	if m.wait() != nil {
		return make([]uint64, n)
	}
	return dst
}
