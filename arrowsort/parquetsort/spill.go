package parquetsort

import (
	"errors"
	"math"
	"os"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
)

// sortRun sorts the collected rows and empties the buffer for the next run. Progress may be nil.
func (s *Sorter) sortRun(progress func(done, total int)) (arrow.Table, error) {
	all := concatenate(s.decoded, s.parts)
	defer all.Release()
	s.dropParts()
	if err := s.stats.add(s.ctx, all, s.opts.Keys, s.opts.Allocator); err != nil {
		return nil, err
	}
	opts := s.opts.sorting()
	opts.Progress = progress
	if !s.opts.Unique { // a limit of each run would drop rows before equal keys are dropped
		opts.Limit = int(min(s.opts.Limit, math.MaxInt))
	}
	return arrowsort.Sort(s.ctx, all, s.opts.Keys, opts)
}

// keep starts the next run with the sorted rows of the last one, if a limit leaves few: they need no spilling.
func (s *Sorter) keep(sorted arrow.Table) bool {
	bytes := arraydata.TableBytes(sorted) + sorted.NumRows()*rowOverhead
	if s.opts.Limit == 0 || s.opts.Unique || s.folder != nil || bytes > s.run/2 {
		return false
	}
	s.parts, s.bytes = append(s.parts, sorted), bytes
	return true
}

func (s *Sorter) dropParts() {
	arraydata.Release(s.parts)
	s.parts, s.bytes = nil, 0
}

// spill sorts the run and has it spilled in the background, unless what a limit leaves of it can be kept.
func (s *Sorter) spill() error {
	if err := s.wait(); err != nil { // there is memory for one sorted run
		return err
	}
	sorted, err := s.sortRun(nil)
	if err != nil || s.keep(sorted) {
		return err
	}
	path, err := s.newRun()
	if err != nil {
		sorted.Release()
		return err
	}
	s.spills = make(chan error, 1)
	go func() {
		r, err := s.writeRun(path, &oneTable{sorted}, nil)
		s.runs = append(s.runs, r)
		s.spills <- err
	}()
	return nil
}

// wait waits until the run in the background is spilled.
func (s *Sorter) wait() error {
	if s.spills == nil {
		return nil
	}
	err := <-s.spills
	s.spills = nil
	if err == nil {
		s.spilled += s.runs[len(s.runs)-1].bytes
	}
	return err
}

// passes is the number of passes of reduce over some runs.
func (s *Sorter) passes(runs int) (passes int) {
	for ; runs > s.fan; runs = (runs + s.fan - 1) / s.fan {
		passes++
	}
	return passes
}

// startReducing begins the phase in which all rows are written to longer runs, if there are passes.
func (s *Sorter) startReducing(rows int64, passes int) {
	if passes > 0 {
		s.reducing.rows = rows * int64(passes)
		s.reducing.begin(&s.opts, PhaseMerge, s.reducing.rows)
	}
}

// reduce merges neighbouring runs until one merge can take all of them.
func (s *Sorter) reduce() error {
	for len(s.runs) > s.fan {
		var longer []run
		for first := 0; first < len(s.runs); first += s.fan {
			r, err := s.join(s.runs[first:min(first+s.fan, len(s.runs))])
			if err != nil {
				return err
			}
			longer = append(longer, r)
		}
		s.runs = longer
	}
	return nil
}

// join merges runs to one, in their place.
func (s *Sorter) join(runs []run) (run, error) {
	m, err := s.mergeRuns(runs, &s.reducing)
	if err != nil {
		return run{}, err
	}
	joined, err := s.spillAll(m)
	for _, done := range runs {
		err = errors.Join(err, os.Remove(done.path))
	}
	return joined, err
}

// spillAll writes all rows of a merger to a run, and closes the merger.
func (s *Sorter) spillAll(m *merger) (run, error) {
	path, err := s.newRun()
	if err != nil {
		m.close()
		return run{}, err
	}
	r, err := s.writeRun(path, m, &s.reducing)
	s.spilled += r.bytes
	return r, err
}
