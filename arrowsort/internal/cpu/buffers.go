package cpu

import (
	"context"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/machine"
	"github.com/arrowsort/arrowsort/internal/workers"
)

// buffers allocates memory of the caller's allocator and lists it, so that one release frees everything that did
// not become part of a result.
type buffers struct {
	call context.Context // of the call: nothing is allocated after its end
	mem  engine.Allocator
	live [][]byte
}

// bytes returns n bytes of undefined content, nil for none, unless the context has ended.
func (b *buffers) bytes(n int) ([]byte, error) {
	if err := b.call.Err(); err != nil {
		return nil, err
	}
	buf, err := engine.Allocate(b.mem, n)
	if buf == nil {
		return nil, err
	}
	machine.AdviseHuge(buf, machine.HugeBytes)
	b.live = append(b.live, buf)
	return buf, nil
}

// shrink frees the end of a buffer.
func (b *buffers) shrink(buf []byte, n int) (short []byte, err error) {
	i := b.find(buf)
	if i < 0 || n == len(buf) {
		return buf, nil
	}
	if err := b.call.Err(); err != nil {
		return nil, err
	}
	defer func() {
		if r := recover(); r != nil {
			short, err = nil, fmt.Errorf("%w: shrinking to %d bytes: %v", engine.ErrMemory, n, r)
		}
	}()
	if short = b.mem.Reallocate(n, buf); short != nil {
		b.live[i] = short
	}
	if len(short) < n {
		return nil, fmt.Errorf("%w: the allocator returned %d of %d bytes", engine.ErrMemory, len(short), n)
	}
	return short[:n], nil
}

// keep makes a buffer part of the result: release spares it.
func (b *buffers) keep(buf []byte) {
	if i := b.find(buf); i >= 0 {
		b.forget(i)
	}
}

// free frees one buffer before the others.
func (b *buffers) free(buf []byte) {
	if i := b.find(buf); i >= 0 {
		b.forget(i)
		b.mem.Free(buf)
	}
}

// forget takes a buffer off the list, which moves those on its shorter side. The columns of a result are kept in the
// order of their buffers, so that each of many is near the start.
func (b *buffers) forget(i int) {
	if i >= len(b.live)/2 {
		b.live = slices.Delete(b.live, i, i+1)
		return
	}
	copy(b.live[1:i+1], b.live[:i])
	b.live[0], b.live = nil, b.live[1:]
}

func (b *buffers) find(buf []byte) int {
	return slices.IndexFunc(b.live, func(l []byte) bool { return unsafe.SliceData(l) == unsafe.SliceData(buf) })
}

// release frees what is neither kept nor freed.
func (b *buffers) release() {
	for _, buf := range b.live {
		b.mem.Free(buf)
	}
	b.live = nil
}

// words returns temp storage for n values of a type without pointers.
func allocate[T uint16 | uint32 | uint64](b *buffers, n int) ([]T, error) {
	var zero T
	if n > math.MaxInt/int(unsafe.Sizeof(zero)) {
		return nil, fmt.Errorf("%w: %d values of %d bytes", engine.ErrMemory, n, unsafe.Sizeof(zero))
	}
	buf, err := b.bytes(n * int(unsafe.Sizeof(zero)))
	return view[T](buf), err
}

// view sees bytes as values of a fixed size. Allocators align to 64 bytes as Arrow asks; where one does not, the
// processor must load and store unaligned words, as amd64 and arm64 do.
func view[T any](b []byte) []T {
	if len(b) == 0 {
		return nil
	}
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/int(unsafe.Sizeof(zero)))
}

// bytesOf sees values of a fixed size as bytes.
func bytesOf[T uint16 | uint32 | uint64](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(zero)))
}

// A pool runs the phases of one sort.
type pool struct {
	ctx     context.Context
	threads int
	total   int            // steps of all phases: statistics, count, partition and sort of each row
	advance func(rows int) // reports steps done
}

func newPool(ctx context.Context, job *engine.Job) pool {
	total := 4 * job.Rows
	return pool{
		ctx: ctx, threads: max(1, min(workers.Count(job.Threads), job.Rows/smallRows)), total: total,
		advance: workers.Progress(job.Progress, total),
	}
}

// run is workers.Run for tasks without errors.
func (p *pool) run(items int, f func(worker, item int)) error {
	return workers.Run(p.ctx, items, p.threads, func(worker, item int) error {
		f(worker, item)
		return nil
	})
}

// tiles runs f over rows 0..n-1 in tiles of the given number of rows.
func (p *pool) tiles(n, rows int, f func(worker, lo, hi int)) error {
	return p.run((n+rows-1)/rows, func(worker, item int) { f(worker, item*rows, min(n, (item+1)*rows)) })
}

// stopped reports to the long loops of an item whether the context is cancelled.
func (p *pool) stopped() bool { return p.ctx.Err() != nil }
