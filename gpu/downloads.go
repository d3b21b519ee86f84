//go:build cuda && linux && amd64

package gpu

import (
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/stream"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// downloads are the outputs of kernels on their way to the host. While some are copied, kernels compute others.
type downloads struct {
	*task
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

// deliver makes flush download the output of kernels at src to dst and free src. dst is complete after settle.
func (d *downloads) deliver(dst []byte, src driver.Ptr) {
	if len(dst) < d.tuning.LateBytes {
		d.Download(dst, src)
		d.free(src)
		return
	}
	next := delivery{src: src, dst: dst, computed: d.event(), brought: d.event()}
	if d.Record(next.computed); !d.Failed() {
		d.computing = append(d.computing, next)
	}
}

// ready is the number of deliveries for flush.
func (d *downloads) ready() int { return len(d.computing) }

// flush queues the downloads of the first n ready deliveries.
func (d *downloads) flush(n int) {
	for _, next := range d.computing[:n] {
		if d.Failed() {
			break
		}
		d.down.After(next.computed)
		d.down.Download(next.dst, next.src)
		d.down.Record(next.brought)
		d.Fail(d.down.Err)
		d.leaving = append(d.leaving, next)
	}
	d.computing = d.computing[n:]
}

// retire frees the device memory of all but the newest deliveries, and reports whether there were any. Kernels that use
// the memory again wait for the downloads.
func (d *downloads) retire(newest int) (any bool) {
	for ; len(d.leaving) > newest; any = true {
		d.After(d.leaving[0].brought)
		d.free(d.leaving[0].src)
		d.leaving = d.leaving[1:]
	}
	return any
}

// settle waits for all downloads.
func (d *downloads) settle() error {
	d.flush(d.ready())
	d.Fail(d.down.Wait())
	d.retire(0)
	return d.Wait()
}

// numbers downloads row numbers of 4 bytes after the kernels launched so far.
func (d *downloads) numbers(dst []byte, rows driver.Ptr) {
	m := d.afterKernels(len(dst))
	m.Download(dst, rows)
	d.Fail(m.Err)
}

// widened does the same, as 8 bytes each.
func (d *downloads) widened(dst []uint64, rows driver.Ptr) {
	m := d.afterKernels(4 * len(dst))
	m.DownloadInto(rows, 4*len(dst), func(at int, data []byte) func() error {
		return m.Workers.BeginWiden(dst[at/4:], buffers.View[uint32](data))
	})
	d.Fail(m.Err)
}

// afterKernels returns the copier for a download of the given bytes after the kernels launched so far.
func (d *downloads) afterKernels(bytes int) *stream.Copier {
	if bytes < d.tuning.LateBytes {
		return &d.Copier
	}
	e := d.event()
	if d.Record(e); !d.Failed() {
		d.down.After(e)
	}
	return &d.down
}
