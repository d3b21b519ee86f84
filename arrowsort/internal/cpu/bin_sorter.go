package cpu

import (
	"math/bits"

	"github.com/arrowsort/arrowsort/keyencode"
)

// A finisher sorts bins in cache: one worker's temp storage for bins of up to cap(rows) rows.
type finisher struct {
	*workers
	codes   []uint64 // codes of the bin's rows, in their order of arrival
	a, b    []uint32 // 4-byte records
	rows    []uint32 // the result where a and b are needed again
	spare   []byte   // one lane of the bin
	tie     tieStorage
	counts  []uint32 // of two digits
	runs    []keyencode.Run
	further []keyencode.Run
	tied    []tiedRecord
	owned   []byte // all of the storage
}

// newFinishers returns temp storage for so many workers: for bins of up to rows rows and lanes of up to width bytes.
func (s *sorter) newFinishers(workers, rows, width int, ties bool) ([]*finisher, error) {
	fs := make([]*finisher, workers)
	for i := range fs {
		fs[i] = &finisher{workers: s.workers}
		if err := fs[i].reserve(&s.buffers, rows, max(width, 8), ties); err != nil {
			return nil, err
		}
	}
	return fs, nil
}

// reserve cuts one allocation into the storage of a finisher.
func (f *finisher) reserve(b *buffers, rows, width int, ties bool) error {
	counts := max(1<<8, 2<<((bits.Len(uint(rows))+5)/2)) // digits, as order chooses them
	size := rows*(8+3*4+width) + counts*4
	if ties {
		size += rows * (8 + 4)
	}
	buf, err := b.bytes(size)
	if err != nil {
		return err
	}
	f.owned = buf
	cut := func(n int) (part []byte) {
		part, buf = buf[:n:n], buf[n:]
		return part
	}
	f.codes = view[uint64](cut(rows * 8))
	if ties {
		f.tie.codes = view[uint64](cut(rows * 8))
		f.tie.rows = view[uint32](cut(rows * 4))
	}
	f.a, f.b, f.rows = view[uint32](cut(rows*4)), view[uint32](cut(rows*4)), view[uint32](cut(rows*4))
	f.counts = view[uint32](cut(counts * 4))
	f.spare = cut(rows * width)
	return nil
}

func (f *finisher) release(b *buffers) { b.free(f.owned) }

// finish sorts the rows lo..hi-1 of the lanes in place.
func (f *finisher) finish(plan *keyencode.Plan, src source, lanes []*lane, lo, hi int) {
	n := hi - lo
	if n < 2 {
		return
	}
	order := f.orderRows(plan, src, lo, n)
	if order == nil {
		return
	}
	for _, l := range lanes {
		f.permute(l.out[lo*l.width:hi*l.width], order, l.width)
	}
}

// orderRows returns the stable order of rows base..base+n-1 of src, counted from base; nil when they are in order.
func (f *finisher) orderRows(plan *keyencode.Plan, src source, base, n int) []uint32 {
	var codes []uint64
	if c, ok := src.(carried); ok {
		codes = c.words[base : base+n]
	} else {
		codes = f.codes[:n]
		encodeAll(src, codes, base)
	}
	order := f.order(codes)
	if plan.Words() == 1 {
		return order
	}
	runs := tiedRuns(f.runs[:0], codes, order, plan)
	if len(runs) == 0 {
		f.runs = runs
		return order
	}
	rows := f.applied(order, n)
	f.breakTies(src.from(base), plan, rows, runs)
	return rows
}

// permute reorders one lane of a bin in place. The sequential copy brings it into the cache; reading it at random first would
// wait for memory row by row.
func (f *finisher) permute(lane []byte, order []uint32, width int) {
	spare := f.spare[:copy(f.spare, lane)]
	gather(lane, spare, order, width)
}

// applied copies an order, nil for the identity, to storage that ordering does not use.
func (f *finisher) applied(order []uint32, n int) []uint32 {
	if order == nil {
		series(f.rows[:n], 0)
	} else {
		copy(f.rows, order)
	}
	return f.rows[:n]
}
