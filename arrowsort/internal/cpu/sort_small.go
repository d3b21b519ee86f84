package cpu

import (
	"context"
	"slices"
	"sync"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/binsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// sortSmall sorts a few thousand rows on one worker, without a partition.
func (s *sorter) sortSmall() error {
	fs, err := binsort.NewSorters(s.pool, s.mem, 1, s.rows, 8, s.keys.Plan.Words() > 1)
	if err != nil {
		return err
	}
	rows := fs[0].Order(s.keys.Plan, s.keys.Source(), 0, s.rows)
	if rows == nil {
		return s.copy(false)
	}
	return s.take(rows[:s.out])
}

// take fills the movers with the given rows of the input.
func (s *sorter) take(rows []uint32) error {
	movers := s.movers()
	return s.pool.Tiles(len(rows), keys.TileRows, func(_, lo, hi int) {
		for _, l := range movers {
			for a := lo; a < hi && !s.pool.Stopped(); a += l.StepRows() {
				b := min(hi, a+l.StepRows())
				l.Take(l.Out[a*l.Width:b*l.Width], rows[a:b])
			}
		}
	})
}

// tinyRows is the largest number of rows whose statistics and plan would cost more than they save.
const tinyRows = 1 << 10

// A tinySorter is the temp storage of sortTiny, which is kept between calls: its size is fixed.
type tinySorter struct {
	order   binsort.Argsort
	words   [tinyRows]uint64
	a, b    [tinyRows]uint32
	inOrder [tinyRows]uint32
	counts  [1 << 10]uint32 // counters(tinyRows) are enough
}

var tinySorters = sync.Pool{New: func() any {
	t := &tinySorter{}
	t.order = binsort.NewArgsort(t.a[:], t.b[:], t.counts[:])
	return t
}}

// fitsTiny reports whether sortTiny handles a job: row numbers of at most 1024 integers or floats without nulls.
func fitsTiny(job *engine.Job) bool {
	if job.Rows == 0 || job.Rows > tinyRows || len(job.Keys) != 1 || job.RowNumbers != 4 && job.RowNumbers != 8 ||
		len(job.Columns) != 1 ||
		job.Plan ||
		job.Progress != nil {
		return false
	}
	c := &job.Columns[0]
	return len(job.Gather) == 0 && job.Keys[0].Column == 0 && keyencode.EncodeWords(nil, c, job.Keys[0], 0) &&
		c.Chunks[0].Rows == job.Rows
}

// sortTiny sorts by words that compare as the keys do, without statistics, plan, partition or goroutine.
func sortTiny(ctx context.Context, job *engine.Job, mem engine.Allocator) (*engine.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t := tinySorters.Get().(*tinySorter)
	defer tinySorters.Put(t)
	words := t.words[:job.Rows]
	keyencode.EncodeWords(words, &job.Columns[0], job.Keys[0], 0)
	order := t.order.Order(words)
	if order == nil {
		order = t.inOrder[:job.Rows]
		buffers.Series(order, 0)
	}
	n := job.Out()
	out, err := engine.Allocate(mem, n*job.RowNumbers)
	if err != nil {
		return nil, err
	}
	if job.RowNumbers == 4 {
		copy(buffers.View[uint32](out), order)
	} else {
		buffers.Widen(buffers.View[uint64](out), order)
	}
	return &engine.Result{Rows: n, RowNumbers: out}, nil
}

// sortedInput reports whether the rows are in order already, or strictly descend: then one copy, as they are or
// reversed, sorts them. Statistics prove it for one key; for several a sample decides whether all rows are compared.
func (s *sorter) sortedInput() (inOrder, reversed bool, err error) {
	if s.keys.Plan.Words() == 0 || s.keys.Plan.Sorted() {
		return true, false, nil
	}
	if s.keys.Plan.Reversed() {
		return false, true, nil
	}
	if s.rows <= keys.SmallRows || len(s.keys.Keys) == 1 || !slices.IsSorted(s.keys.Sample()) {
		return false, false, nil
	}
	row, err := s.keys.FirstUnsorted(s.pool, s.keys.Source(), s.rows, nil)
	return row < 0, false, err
}

// copy copies the leading rows of the result, or the last rows in reverse.
func (s *sorter) copy(reverse bool) error {
	movers := s.movers()
	size := 0
	for _, l := range movers {
		size = max(size, l.Width*min(keys.BlockRows, l.StepRows()))
	}
	var scratch []byte
	if reverse {
		var err error
		if scratch, err = s.mem.Bytes(s.pool.Threads * size); err != nil {
			return err
		}
	}
	return s.pool.Tiles(s.out, keys.TileRows, func(worker, lo, hi int) {
		for _, l := range movers {
			step := min(keys.BlockRows, l.StepRows())
			for a := lo; a < hi && !s.pool.Stopped(); a += step {
				b := min(hi, a+step)
				dst := l.Out[a*l.Width : b*l.Width]
				if reverse {
					reverseInto(dst, l.Block(s.rows-b, b-a, scratch[worker*size:][:size]), l.Width)
				} else if src := l.Block(a, b-a, dst); &src[0] != &dst[0] {
					copy(dst, src)
				}
			}
		}
		s.pool.Advance(3 * (hi - lo))
	})
}

func reverseInto(dst, src []byte, width int) {
	switch width {
	case 8:
		d, s := buffers.View[uint64](dst), buffers.View[uint64](src)
		for i := range d {
			d[i] = s[len(s)-1-i]
		}
	default:
		for i := 0; i < len(src); i += width {
			copy(dst[len(dst)-i-width:], src[i:i+width])
		}
	}
}
