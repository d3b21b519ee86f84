//go:build cuda && linux && amd64

// Package stream moves bytes between the host and the device, through one queue of the device at a time.
package stream

import (
	"context"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// A Copier moves bytes through a stream for one task. After the first error, which may be that of a cancelled
// context, its methods do nothing. One goroutine at a time uses it.
type Copier struct {
	*Stream
	Ctx     context.Context
	Workers *host.Workers
	Err     error
	queued  int // bytes of memory traffic queued since the last mark
	marked  int
}

// Fail stores the first error.
func (m *Copier) Fail(err error) {
	if m.Err == nil && err != nil {
		m.Err = driver.Failure(err)
	}
}

// Failed reports whether there was an error, or the context has ended.
func (m *Copier) Failed() bool {
	if m.Err == nil {
		m.Err = m.Ctx.Err()
	}
	return m.Err != nil
}

// Record sets an event after what is queued in the stream.
func (m *Copier) Record(e driver.Event) {
	if !m.Failed() {
		m.Fail(m.Stream.Record(e))
	}
}

// After makes what is queued from now on wait until another stream has passed an event.
func (m *Copier) After(e driver.Event) {
	if !m.Failed() {
		m.Fail(m.Stream.After(e))
	}
}

// Moves counts bytes of memory traffic that the stream has been queued, and waits if too much is queued.
func (m *Copier) Moves(bytes int) {
	if m.queued += bytes; m.queued < m.tuning.QueueBytes || m.Failed() {
		return
	}
	m.queued = 0
	m.marked++
	mark := m.marks[m.marked%2]
	if m.marked > 2 {
		m.Fail(m.staging.WaitFor(mark)) // the mark before the last
	}
	m.Fail(m.Stream.Record(mark))
}

// Wait waits for the stream, delivers what it has downloaded, and returns the first error.
func (m *Copier) Wait() error {
	if !m.Failed() {
		m.Fail(m.staging.emptyAll(m.ahead()))
		m.Idle()
	}
	return m.Err
}

// ahead is how many slots of the staging memory are filled or emptied at a time, less one: one slot per thread.
func (m *Copier) ahead() int { return min(m.Workers.Threads(), StagingSlots-stagingOnWay) - 1 }

// Idle waits for the stream, also after an error. After it nothing reads or writes memory of the host.
func (m *Copier) Idle() {
	m.Fail(m.Stream.Wait())
	m.staging.settle()
}

// busCost is how much slower the bus is than the memory of the device.
const busCost = 64

// Upload copies src to the device: directly if it is pinned, else through the staging memory.
func (m *Copier) Upload(dst driver.Ptr, src []byte) {
	if len(src) < m.tuning.DirectBytes || !m.staging.Pinned(src) {
		m.uploadStaged(dst, src)
		return
	}
	m.InSteps(len(src), func(at, n int) error { return m.Stream.Upload(dst+driver.Ptr(at), src[at:at+n]) })
}

// InSteps calls step for parts of bytes that cross the bus, so that a cancelled context waits for no more than one.
func (m *Copier) InSteps(bytes int, step func(at, n int) error) {
	for at := 0; at < bytes && !m.Failed(); at += m.tuning.CopyBytes {
		n := min(bytes-at, m.tuning.CopyBytes)
		m.Fail(step(at, n))
		m.Moves(n * busCost)
	}
}

// batchSize is how many of the given bytes go through the staging memory at a time: a share of each thread, rounded up
// to a multiple of StagingStride, so that no value of 1, 2, 4 or 8 bytes is split.
func (m *Copier) batchSize(bytes int) int {
	size := max(m.tuning.BatchBytes, bytes/m.Workers.Threads())
	return (size + StagingStride - 1) &^ (StagingStride - 1)
}

// uploadStaged copies src to the device through the staging memory. Batches are filled while preceding ones are sent.
func (m *Copier) uploadStaged(dst driver.Ptr, src []byte) {
	var sends []func()
	size := m.batchSize(len(src))
	for len(src) > 0 && !m.Failed() {
		memory, slot, err := m.staging.take(min(len(src), size), m.ahead())
		if m.Fail(err); err != nil {
			break
		}
		end, to := m.Workers.BeginCopy(memory, src[:len(memory)]), dst
		sends = append(sends, func() { // it waits until the batch is filled also after an error
			if m.Fail(end()); !m.Failed() {
				m.Fail(m.Stream.Upload(to, memory))
				m.Fail(m.Stream.Record(slot.event))
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

// Download copies from the device to dst, which is complete after Wait.
func (m *Copier) Download(dst []byte, src driver.Ptr) {
	if len(dst) < m.tuning.DirectBytes || !m.staging.Pinned(dst) {
		m.DownloadInto(src, len(dst), func(at int, data []byte) func() error {
			return m.Workers.BeginStream(dst[at:at+len(data)], data)
		})
		return
	}
	m.InSteps(len(dst), func(at, n int) error { return m.Stream.Download(dst[at:at+n], src+driver.Ptr(at)) })
}

// DownloadInto downloads bytes into the staging memory and calls begin for each batch, until Wait. at is the offset of
// the batch, a multiple of StagingStride. The function that begin returns waits for the end of its work.
func (m *Copier) DownloadInto(src driver.Ptr, bytes int, begin func(at int, data []byte) (end func() error)) {
	size := m.batchSize(bytes)
	for at := 0; at < bytes && !m.Failed(); {
		memory, slot, err := m.staging.take(min(bytes-at, size), m.ahead())
		if m.Fail(err); err != nil {
			return
		}
		m.Fail(m.Stream.Download(memory, src+driver.Ptr(at)))
		m.Fail(m.Stream.Record(slot.event))
		first := at
		slot.pending = append(slot.pending, func() func() error { return begin(first, memory) })
		at += len(memory)
	}
}

// Words downloads words and waits for them.
func (m *Copier) Words(src driver.Ptr, n int) []uint64 {
	dst := make([]uint64, n)
	m.Download(buffers.Bytes(dst), src)
	if m.Wait() != nil {
		return make([]uint64, n)
	}
	return dst
}

// A Stream is a queue of the device with the memory to move bytes through it: pinned memory that pageable memory is
// copied through, and events that limit how much is queued. The device computes, receives and sends at the same time,
// in one stream each.
type Stream struct {
	*driver.Stream
	tuning  *tuning.Table
	staging staging
	marks   [2]driver.Event
}

// Open opens a stream of a device.
func Open(c *driver.Context, table *tuning.Table) (s *Stream, err error) {
	s = &Stream{tuning: table, staging: staging{Context: c, tuning: table}}
	if s.Stream, err = c.NewStream(); err != nil {
		return nil, err
	}
	for i := range s.marks {
		if s.marks[i], err = c.NewEvent(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Reset discards what has not been delivered. The stream is idle.
func (s *Stream) Reset() { s.staging.reset() }
