package cpu

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A sorter is one call of Sort.
type sorter struct {
	pool    *workers.Pool
	mem     *arena.Arena
	job     *engine.Job
	plan    *keyencode.Plan
	rows    int // of the input
	out     int // of the result, until cut
	columns []*column
	numbers *mover              // the row numbers, when they are wanted
	few     map[int]*fewStrings // the columns of keys that are encoded by dictionaries

	sample         []uint64        // see sampled
	described      *keyencode.Plan // of keys as they are, where strings are encoded; nil: plan
	unmeasured     bool            // the plan has no statistics, which ways for rows that are not nearly sorted need
	nearlyRows     int             // more rows may be sorted as nearly sorted; 0: none
	stringRows     int             // rows from which on strings may be carried: those of fewer stay in the caches
	alwaysCombines bool            // movers move by write combining, however few the rows are
}

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
		pool: newPool(ctx, job), mem: arena.New(ctx, mem), job: job, rows: job.Rows, out: job.Out(),
		stringRows: stringRows,
	}, nil
}

// newPool counts four steps of each row: its statistics, count, partition and sort.
func newPool(ctx context.Context, job *engine.Job) *workers.Pool {
	threads := max(1, min(workers.Count(job.Threads), job.Rows/smallRows))
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

// stringRows is the number of rows from which on strings may be carried.
const stringRows = 1 << 17

// measureRows is the number of rows that one worker measures before it looks at the context again.
const measureRows = 1 << 15

// measure makes the plan: from statistics, for which it reads the keys once, unless a sample shows that they would not
// shorten the codes, or that the rows may be nearly sorted, which needs no short ones.
func (s *sorter) measure() error {
	if s.rows > smallRows && len(s.job.Keys) == 1 && !s.job.Plan {
		key := s.job.Keys[0]
		if plan, ok := keyencode.NewWordPlan(s.job.Columns, key); ok && s.job.Columns[key.Column].ValueBytes() == 8 {
			s.setPlan(plan)
			if wide(s.sampled()) {
				return nil
			}
			// statistics find rows that are in order
			s.unmeasured = s.triesNearlySorted() && s.fallsSeldom() && !slices.IsSorted(s.sampled())
			if s.unmeasured {
				return nil
			}
		}
	}
	return s.measureAll()
}

func (s *sorter) setPlan(p *keyencode.Plan) { s.plan, s.sample = p, nil }

// measureAll makes the plan from statistics.
func (s *sorter) measureAll() error {
	stats := make([]keyencode.Statistics, len(s.job.Keys))
	for k, key := range s.job.Keys {
		c := &s.job.Columns[key.Column]
		if s.rows <= smallRows {
			stats[k] = keyencode.Measure(c, key, 0, s.rows)
			continue
		}
		parts := make([]keyencode.Statistics, (s.rows+measureRows-1)/measureRows)
		err := s.pool.Tiles(s.rows, measureRows, func(_, lo, hi int) {
			parts[lo/measureRows] = keyencode.Measure(c, key, lo, hi)
			s.pool.Advance((hi - lo) / len(stats))
		})
		if err != nil {
			return err
		}
		stats[k] = parts[0]
		for i := range parts[1:] {
			stats[k].Merge(&parts[i+1])
		}
	}
	plan, err := keyencode.NewPlan(s.job.Columns, s.job.Keys, stats)
	s.setPlan(plan)
	return err
}

// source are the rows of the input.
func (s *sorter) source() source { return planned{plan: s.plan} }

// allocate makes the movers and the result's buffers.
func (s *sorter) allocate() error {
	if w := s.job.RowNumbers; w != 0 {
		var err error
		if s.numbers, err = newRowMover(w); err != nil {
			return err
		}
		if err := s.provide(s.numbers, s.out); err != nil {
			return err
		}
	}
	for _, i := range s.job.Gather {
		if s.pool.Stopped() {
			return s.pool.Ctx.Err()
		}
		c, err := s.newColumn(i)
		if err != nil {
			return fmt.Errorf("column %d: %w", i, err)
		}
		s.columns = append(s.columns, c)
	}
	return nil
}

// provide allocates a mover's sorted rows.
func (s *sorter) provide(l *mover, rows int) (err error) {
	if rows > math.MaxInt/l.width {
		return fmt.Errorf("%w: %d rows of %d bytes", engine.ErrMemory, rows, l.width)
	}
	l.out, err = s.mem.Bytes(rows * l.width)
	return err
}

// movers are all movers of the result.
func (s *sorter) movers() []*mover {
	var ls []*mover
	if s.numbers != nil {
		ls = append(ls, s.numbers)
	}
	for _, c := range s.columns {
		ls = append(ls, c.movers()...)
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
		if l.out, err = s.mem.Shrink(l.out, rows*l.width); err != nil {
			return err
		}
	}
	for _, c := range s.columns {
		if err := c.cutNulls(s, rows); err != nil {
			return err
		}
	}
	s.out = rows
	return nil
}

// result packs what moved as bytes and words, and hands the buffers over.
func (s *sorter) result() (*engine.Result, error) {
	if err := s.cut(s.job.Out()); err != nil {
		return nil, err
	}
	r := &engine.Result{Rows: s.out}
	if s.job.Plan {
		r.Plan = cmp.Or(s.described, s.plan).Detach()
	}
	for _, c := range s.columns {
		col, err := c.unpack(s)
		if err != nil {
			return nil, err
		}
		r.Columns = append(r.Columns, col)
	}
	if s.numbers != nil {
		r.RowNumbers = s.numbers.out
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

// wide reports whether the codes of a sample vary in nearly all of 64 bits and are in no order.
func wide(codes []uint64) bool {
	return slices.Max(codes)-slices.Min(codes) > 1<<62 && !slices.IsSorted(codes) && !strictlyDescending(codes)
}
