package cpu

import (
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/binsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/payload"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/scatter"
	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/tiebreak"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A binSorter sorts bins in cache: one worker's temp storage for bins of up to cap(rows) rows.
type binSorter struct {
	pool   *workers.Pool
	source keys.Source // of the rows whose ties are broken
	ties   tiebreak.Breaker
	codes  []uint64 // codes of the bin's rows, in their order of arrival
	rows   []uint32 // the result where a and b are needed again
	spare  []byte   // the rows of one mover in the bin
	order  binsort.Argsort
	tied   []tiedRecord
	owned  []byte // all of the storage
}

// newBinSorters returns temp storage for workers: for bins of up to rows rows and movers of up to width bytes.
func (s *sorter) newBinSorters(workers, rows, width int, ties bool) ([]*binSorter, error) {
	fs := make([]*binSorter, workers)
	for i := range fs {
		fs[i] = &binSorter{pool: s.pool}
		if err := fs[i].reserve(s.mem, rows, max(width, 8), ties); err != nil {
			return nil, err
		}
	}
	return fs, nil
}

// reserve cuts one allocation into the storage of a binSorter.
func (f *binSorter) reserve(mem *arena.Arena, rows, width int, ties bool) error {
	size := rows*(8+3*4+width) + binsort.Counters(rows)*4
	if ties {
		size += rows * (8 + 4)
	}
	buf, err := mem.Bytes(size)
	if err != nil {
		return err
	}
	f.owned = buf
	cut := func(n int) (part []byte) {
		part, buf = buf[:n:n], buf[n:]
		return part
	}
	f.codes = buffers.View[uint64](cut(rows * 8))
	if ties {
		f.ties.Codes = buffers.View[uint64](cut(rows * 8))
		f.ties.Rows = buffers.View[uint32](cut(rows * 4))
	}
	numbers := func(n int) []uint32 { return buffers.View[uint32](cut(n * 4)) }
	f.order = binsort.NewArgsort(numbers(rows), numbers(rows), numbers(binsort.Counters(rows)))
	f.rows = numbers(rows)
	f.spare = cut(rows * width)
	return nil
}

func (f *binSorter) release(mem *arena.Arena) { mem.Free(f.owned) }

// sortBin sorts the rows lo..hi-1 of the movers in place.
func (f *binSorter) sortBin(plan *keyencode.Plan, src keys.Source, movers []*payload.Mover, lo, hi int) {
	n := hi - lo
	if n < 2 {
		return
	}
	order := f.sortRowIndices(plan, src, lo, n)
	if order == nil {
		return
	}
	for _, l := range movers {
		f.permute(l.Out[lo*l.Width:hi*l.Width], order, l.Width)
	}
}

// sortRowIndices returns the stable order of rows base..base+n-1 of src, counted from base; nil when they are in order.
func (f *binSorter) sortRowIndices(plan *keyencode.Plan, src keys.Source, base, n int) []uint32 {
	var codes []uint64
	if c, ok := src.(storedCodes); ok {
		codes = c.words[base : base+n]
	} else {
		codes = f.codes[:n]
		keys.EncodeAll(src, codes, base)
	}
	order := f.order.Order(codes)
	if plan.Words() == 1 {
		return order
	}
	if f.findTies(plan, codes, order); len(f.ties.Runs) == 0 {
		return order
	}
	rows := f.applied(order, n)
	if c, ok := src.(storedCodes); ok && c.texts != nil && 4*rowsOf(f.ties.Runs) >= n {
		c.texts.fetch(base, base+n)
	}
	f.breakTies(src.From(base), plan, rows)
	return rows
}

// permute reorders one mover of a bin in place. The sequential copy brings it into the cache; reading it at random
// first would wait for memory row by row.
func (f *binSorter) permute(mover []byte, order []uint32, width int) {
	spare := f.spare[:copy(f.spare, mover)]
	scatter.Gather(mover, spare, order, width)
}

// applied copies an order, nil for the identity, to storage that ordering does not use.
func (f *binSorter) applied(order []uint32, n int) []uint32 {
	if order == nil {
		buffers.Series(f.rows[:n], 0)
	} else {
		copy(f.rows, order)
	}
	return f.rows[:n]
}

// breakTies orders the rows of the runs in f.ties by the words of their codes that follow. rows are rows of src; the
// runs lie within it.
func (f *binSorter) breakTies(src keys.Source, plan *keyencode.Plan, rows []uint32) {
	f.source = src
	f.ties.Break(f.pool.Ctx, plan, f, rows)
}

// EncodeRows writes one word of each of the given rows.
func (f *binSorter) EncodeRows(dst []uint64, word int, rows []uint32) {
	f.source.EncodeRows(dst, word, rows)
}

// Strings finds the strings of rows that a partition has moved with them.
func (f *binSorter) Strings(dst [][]byte, word int, rows []uint32) bool {
	moved, ok := f.source.(storedCodes)
	if ok = ok && moved.texts != nil; ok {
		moved.texts.find(dst, word, rows)
	}
	return ok
}

// SortRun orders rows by their codes, stably, and the codes with them.
func (f *binSorter) SortRun(rows []uint32, codes []uint64) {
	if order := f.order.Order(codes); order != nil {
		f.permute(buffers.Bytes(rows), order, 4)
		f.permute(buffers.Bytes(codes), order, 8)
	}
}

// rowsOf is the number of rows of some runs.
func rowsOf(runs []tiebreak.Run) (rows int) {
	for _, r := range runs {
		rows += r.Hi - r.Lo
	}
	return rows
}

// findTies finds the runs of rows with equal codes that a further word can order.
func (f *binSorter) findTies(plan *keyencode.Plan, codes []uint64, order []uint32) {
	runs := f.ties.Runs[:0]
	if order == nil {
		f.ties.Runs = tiebreak.AppendRuns(runs, plan, codes, 0, 0)
		return
	}
	for i := 1; i < len(order); i++ {
		c := codes[order[i]]
		if c != codes[order[i-1]] {
			continue
		}
		e := i + 1
		for e < len(order) && codes[order[e]] == c {
			e++
		}
		if w := plan.Next(0, c); w < plan.Words() {
			runs = append(runs, tiebreak.Run{Lo: i - 1, Hi: e, Word: w})
		}
		i = e
	}
	f.ties.Runs = runs
}
