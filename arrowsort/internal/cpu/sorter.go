package cpu

import (
	"context"
	"fmt"
	"math"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/partition"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/payload"
	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A sorter is one call of Sort.
type sorter struct {
	pool    *workers.Pool
	mem     *arena.Arena
	job     *engine.Job
	keys    *keys.Keys
	rows    int // of the input
	wanted  int // of the result
	out     int // of the movers, until cut
	columns []*payload.Column
	numbers *payload.Mover // the row numbers, when they are wanted
	moved   []*movedBytes  // of columns of strings
	thresholds
}

// thresholds choose between ways. Tests have others than the usual ones.
type thresholds struct {
	nearlySorted int  // the fewest rows that may be sorted as nearly sorted: fewer stay in the caches anyway
	movedStrings int  // the fewest rows with which bytes of strings move: those of fewer stay in the caches
	combine      bool // movers move by write combining, however few the rows are
}

var usualThresholds = thresholds{nearlySorted: 1 << 17, movedStrings: 1 << 17}

func newSorter(ctx context.Context, job *engine.Job, mem engine.Allocator) (*sorter, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if job.Rows < 0 || uint64(job.Rows) > math.MaxUint32 {
		return nil, fmt.Errorf("%w: %d, at most %d", engine.ErrRows, job.Rows, uint32(math.MaxUint32))
	}
	for i := range job.Columns {
		if err := checkColumn(job, i); err != nil {
			return nil, err
		}
	}
	return &sorter{
		pool: newPool(ctx, job), mem: arena.New(ctx, mem), job: job, keys: keys.New(job), rows: job.Rows,
		wanted: job.Out(), out: job.Out(), thresholds: usualThresholds,
	}, nil
}

// newMeasuredSorter returns a sorter whose keys have a plan. The caller releases its memory.
func newMeasuredSorter(ctx context.Context, job *engine.Job, mem engine.Allocator, t thresholds) (*sorter, error) {
	s, err := newSorter(ctx, job, mem)
	if err != nil {
		return nil, err
	}
	s.thresholds = t
	if err = s.encodeStrings(); err == nil {
		err = s.keys.Measure(s.pool, s.triesNearlySorted())
	}
	if err != nil {
		s.mem.Release()
		return nil, err
	}
	return s, nil
}

// newPool counts four steps of each row: its statistics, count, partition and sort.
func newPool(ctx context.Context, job *engine.Job) *workers.Pool {
	threads := max(1, min(workers.Count(job.Threads), job.Rows/keys.SmallRows))
	return workers.NewPool(ctx, threads, 4*job.Rows, job.Progress)
}

func checkColumn(job *engine.Job, i int) error {
	c := &job.Columns[i]
	if c.Kind > keyencode.Dictionary64 {
		return fmt.Errorf("%w: column %d is of kind %d", engine.ErrKind, i, c.Kind)
	}
	if n := c.Rows(); n != job.Rows {
		return fmt.Errorf("%w: column %d has %d rows, the job %d", engine.ErrRows, i, n, job.Rows)
	}
	return nil
}

// allocate makes the movers and the result's buffers.
func (s *sorter) allocate() error {
	if w := s.job.RowNumbers; w != 0 {
		var err error
		if s.numbers, err = payload.NewRowNumbers(w); err != nil {
			return err
		}
		if err := s.numbers.Allocate(s.mem, s.out); err != nil {
			return err
		}
	}
	for _, i := range s.job.Gather {
		if s.pool.Stopped() {
			return s.pool.Ctx.Err()
		}
		c, err := payload.NewColumn(s.pool, s.mem, s.keys, i, s.out)
		if err != nil {
			return fmt.Errorf("column %d: %w", i, err)
		}
		s.columns = append(s.columns, c)
	}
	return nil
}

// movers returns all movers of the result.
func (s *sorter) movers() []*payload.Mover {
	var ls []*payload.Mover
	if s.numbers != nil {
		ls = append(ls, s.numbers)
	}
	for _, c := range s.columns {
		ls = append(ls, c.Movers()...)
	}
	return ls
}

func (s *sorter) onlyRowNumbers() bool { return s.numbers != nil && len(s.columns) == 0 }

// cut leaves the first rows of a result that has more.
func (s *sorter) cut(rows int) (err error) {
	if s.out == rows {
		return nil
	}
	for _, l := range s.movers() {
		if l.Out, err = s.mem.Shrink(l.Out, rows*l.Width); err != nil {
			return err
		}
	}
	for _, c := range s.columns {
		if err := c.Cut(s.mem, rows); err != nil {
			return err
		}
	}
	s.out = rows
	return nil
}

// result packs what moved as bytes and words, and hands the buffers over.
func (s *sorter) result() (*engine.Result, error) {
	if err := s.cut(s.wanted); err != nil {
		return nil, err
	}
	r := &engine.Result{Rows: s.out}
	if s.job.Plan {
		r.Plan = s.keys.Described().Detach()
	}
	for _, c := range s.columns {
		col, err := s.unpack(c)
		if err != nil {
			return nil, err
		}
		r.Columns = append(r.Columns, col)
	}
	if s.numbers != nil {
		r.RowNumbers = s.numbers.Out
		s.mem.Keep(r.RowNumbers)
	}
	for _, c := range r.Columns {
		s.mem.Keep(c.Validity)
		s.mem.Keep(c.Values)
		s.mem.Keep(c.Data)
	}
	s.pool.Advance(s.pool.Total)
	return r, nil
}

// unpack turns the sorted movers of a column into the buffers of the result.
func (s *sorter) unpack(c *payload.Column) (engine.Column, error) {
	for _, moved := range s.moved {
		if c.Strings == moved.text {
			return c.Strings.Unpack(s.pool, s.mem, moved.data, func(col *engine.Column) error {
				return moved.write(s.pool, s.mem, col)
			})
		}
	}
	return c.Unpack(s.pool, s.mem)
}

// encodeStrings encodes keys of few strings by dictionaries, if more than a quarter of the rows is wanted.
func (s *sorter) encodeStrings() error {
	if s.out <= s.rows/4 {
		return nil
	}
	return s.keys.EncodeStrings(s.pool, s.mem, s.job.Gather)
}

// newPartition chooses the bins of rows 0..n-1 of a source from a sample of a word of the codes.
func (s *sorter) newPartition(src keys.Source, n int, borders []uint64, word int) *partition.Partition {
	classifier := partition.NewClassifier(s.keys.SampleOf(src, n), n, borders, word+1 < s.keys.Plan.Words())
	p := partition.New(s.pool, s.mem, src, n, classifier)
	p.AlwaysCombines = s.combine
	return p
}
