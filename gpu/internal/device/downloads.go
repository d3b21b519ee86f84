//go:build cuda && linux && amd64

package device

import (
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/stream"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// Downloads are the outputs of kernels on their way to the host. While some are copied, kernels compute others.
type Downloads struct {
	*Task
	computing []delivery // computed, or being computed
	leaving   []delivery // being downloaded
}

// A delivery is the output of kernels on its way to the host.
type delivery struct {
	src      driver.Ptr
	dst      []byte
	computed driver.Event // recorded after the kernels
	brought  driver.Event // recorded after the copy to the host or to pinned memory
}

// Deliver has the output of kernels at src downloaded to dst: a small one at once, others by Flush, after which Retire
// frees src. dst is complete after Settle.
func (d *Downloads) Deliver(dst []byte, src driver.Ptr) {
	if len(dst) < d.Tuning.LateBytes {
		d.Download(dst, src)
		d.Free(src)
		return
	}
	next := delivery{src: src, dst: dst, computed: d.Event(), brought: d.Event()}
	if d.Record(next.computed); !d.Failed() {
		d.computing = append(d.computing, next)
	}
}

// Ready is the number of deliveries for Flush.
func (d *Downloads) Ready() int { return len(d.computing) }

// Flush queues the downloads of the first n ready deliveries.
func (d *Downloads) Flush(n int) {
	for _, next := range d.computing[:n] {
		if d.Failed() {
			break
		}
		d.Down.After(next.computed)
		d.Down.Download(next.dst, next.src)
		d.Down.Record(next.brought)
		d.Fail(d.Down.Err)
		d.leaving = append(d.leaving, next)
	}
	d.computing = d.computing[n:]
}

// Retire frees the device memory of all but the newest deliveries, and reports whether there were any. Kernels that use
// the memory again wait for the downloads.
func (d *Downloads) Retire(newest int) (any bool) {
	for ; len(d.leaving) > newest; any = true {
		d.After(d.leaving[0].brought)
		d.Free(d.leaving[0].src)
		d.leaving = d.leaving[1:]
	}
	return any
}

// Settle waits for all downloads.
func (d *Downloads) Settle() error {
	d.Flush(d.Ready())
	d.Fail(d.Down.Wait())
	d.Retire(0)
	return d.Wait()
}

// Numbers downloads row numbers of 4 bytes after the kernels launched so far.
func (d *Downloads) Numbers(dst []byte, rows driver.Ptr) {
	m := d.afterKernels(len(dst))
	m.Download(dst, rows)
	d.Fail(m.Err)
}

// Widened does the same, as 8 bytes each.
func (d *Downloads) Widened(dst []uint64, rows driver.Ptr) {
	m := d.afterKernels(4 * len(dst))
	m.DownloadInto(rows, 4*len(dst), func(at int, data []byte) func() error {
		return m.Workers.BeginWiden(dst[at/4:], buffers.View[uint32](data))
	})
	d.Fail(m.Err)
}

// afterKernels returns the copier for a download of the given bytes after the kernels launched so far.
func (d *Downloads) afterKernels(bytes int) *stream.Copier {
	if bytes < d.Tuning.LateBytes {
		return &d.Copier
	}
	e := d.Event()
	if d.Record(e); !d.Failed() {
		d.Down.After(e)
	}
	return &d.Down
}
