package binsort

import (
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/payload"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/scatter"
	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/tiebreak"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A Sorter sorts bins in cache. It is the temp storage of one worker for bins of up to cap(Rows) rows.
type Sorter struct {
	pool    *workers.Pool
	source  keys.Source // of the rows whose ties are broken
	ties    tiebreak.Breaker
	Codes   []uint64 // codes of the bin's rows, in their order of arrival
	Rows    []uint32 // an order where the storage of Argsort is needed again
	Scratch []byte   // the rows of one mover in the bin
	Argsort Argsort
	Tied    bool // a further word decides between some rows of the last Order
	tied    []tiedRecord
	owned   []byte // all of the storage
}

// A tiedRecord is a place whose record has the same code bits as the one before.
type tiedRecord struct {
	at   int
	code uint64
}

// movedRows are a keys.Source of rows that have moved with what orders them.
type movedRows interface {
	// Words are the leading words of the codes of rows lo..hi-1.
	Words(lo, hi int) []uint64
	// Strings finds the strings that a word of the given rows holds bytes of; it reports false where there are none.
	Strings(dst [][]byte, word int, rows []uint32) bool
}

// NewSorters returns count sorters for bins of up to rows rows and movers of up to width bytes. ties says whether
// codes may have further words.
func NewSorters(pool *workers.Pool, mem *arena.Arena, count, rows, width int, ties bool) ([]*Sorter, error) {
	fs := make([]*Sorter, count)
	for i := range fs {
		fs[i] = &Sorter{pool: pool}
		if err := fs[i].reserve(mem, rows, max(width, 8), ties); err != nil {
			return nil, err
		}
	}
	return fs, nil
}

// reserve cuts one allocation into the storage of a Sorter.
func (f *Sorter) reserve(mem *arena.Arena, rows, width int, ties bool) error {
	size := rows*(8+3*4+width) + Counters(rows)*4
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
	f.Codes = buffers.View[uint64](cut(rows * 8))
	if ties {
		f.ties.Codes = buffers.View[uint64](cut(rows * 8))
		f.ties.Rows = buffers.View[uint32](cut(rows * 4))
	}
	numbers := func(n int) []uint32 { return buffers.View[uint32](cut(n * 4)) }
	f.Argsort = NewArgsort(numbers(rows), numbers(rows), numbers(Counters(rows)))
	f.Rows = numbers(rows)
	f.Scratch = cut(rows * width)
	return nil
}

// Release gives the storage back.
func (f *Sorter) Release(mem *arena.Arena) { mem.Free(f.owned) }

// SortBin sorts the rows lo..hi-1 of the movers in place.
func (f *Sorter) SortBin(plan *keyencode.Plan, src keys.Source, movers []*payload.Mover, lo, hi int) {
	n := hi - lo
	if n < 2 {
		return
	}
	order := f.Order(plan, src, lo, n)
	if order == nil {
		return
	}
	for _, l := range movers {
		f.permute(l.Out[lo*l.Width:hi*l.Width], order, l.Width)
	}
}

// Order returns the stable order of rows base..base+n-1 of src, counted from base; nil when they are in order.
func (f *Sorter) Order(plan *keyencode.Plan, src keys.Source, base, n int) []uint32 {
	var codes []uint64
	if stored, ok := src.(movedRows); ok {
		codes = stored.Words(base, base+n)
	} else {
		codes = f.Codes[:n]
		keys.EncodeAll(src, codes, base)
	}
	order := f.Argsort.Order(codes)
	if f.Tied = false; plan.Words() == 1 {
		return order
	}
	f.findTies(plan, codes, order)
	if f.Tied = len(f.ties.Runs) > 0; !f.Tied {
		return order
	}
	rows := f.Own(order, n)
	f.breakTies(src.From(base), plan, rows)
	return rows
}

// permute reorders one mover of a bin in place. The sequential copy brings it into the cache; reading it at random
// first would wait for memory row by row.
func (f *Sorter) permute(mover []byte, order []uint32, width int) {
	copied := f.Scratch[:copy(f.Scratch, mover)]
	scatter.Gather(mover, copied, order, width)
}

// Own copies an order, nil for the identity, to storage that ordering does not use.
func (f *Sorter) Own(order []uint32, n int) []uint32 {
	if order == nil {
		buffers.Series(f.Rows[:n], 0)
	} else {
		copy(f.Rows, order)
	}
	return f.Rows[:n]
}

// breakTies orders the rows of the runs in f.ties by the words of their codes that follow. rows are rows of src; the
// runs lie within it.
func (f *Sorter) breakTies(src keys.Source, plan *keyencode.Plan, rows []uint32) {
	f.source = src
	f.ties.Break(f.pool.Ctx, plan, f, rows)
}

// EncodeRows writes one word of each of the given rows.
func (f *Sorter) EncodeRows(dst []uint64, word int, rows []uint32) {
	f.source.EncodeRows(dst, word, rows)
}

// Strings finds the strings of rows that a partition has moved with them.
func (f *Sorter) Strings(dst [][]byte, word int, rows []uint32) bool {
	stored, ok := f.source.(movedRows)
	return ok && stored.Strings(dst, word, rows)
}

// SortRun orders rows by their codes, stably, and the codes with them.
func (f *Sorter) SortRun(rows []uint32, codes []uint64) {
	if order := f.Argsort.Order(codes); order != nil {
		f.permute(buffers.Bytes(rows), order, 4)
		f.permute(buffers.Bytes(codes), order, 8)
	}
}

// findTies finds the runs of rows with equal codes that a further word can order.
func (f *Sorter) findTies(plan *keyencode.Plan, codes []uint64, order []uint32) {
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

// SortList sorts the listed rows of a source in place by the words from word on.
func (f *Sorter) SortList(plan *keyencode.Plan, src keys.Source, rows []uint32, word int) {
	if len(rows) < 2 {
		return
	}
	codes := f.Codes[:len(rows)]
	src.EncodeRows(codes, word, f.ties.Rows[:copy(f.ties.Rows, rows)])
	f.SortRun(rows, codes)
	f.ties.Runs = tiebreak.AppendRuns(f.ties.Runs[:0], plan, codes, word, 0)
	f.breakTies(src, plan, rows)
}
