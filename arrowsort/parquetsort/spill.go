package parquetsort

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
)

// sortRun sorts what was collected and begins the next run.
func (s *Sorter) sortRun() (arrow.Table, error) {
	all := concatenate(s.decoded, s.parts)
	defer all.Release()
	s.dropParts()
	if err := s.stats.add(s.ctx, all, s.opts.Keys, s.opts.Allocator); err != nil {
		return nil, err
	}
	opts := s.opts.sorting()
	if !s.opts.Unique { // else rows of a run that are left out make place for others
		opts.Limit = int(s.opts.Limit)
	}
	return arrowsort.Sort(s.ctx, all, s.opts.Keys, opts)
}

// keep begins the next run with the rows that are left of the last one, if a limit has left few: they need no spilling.
func (s *Sorter) keep(sorted arrow.Table) bool {
	bytes := arraydata.TableBytes(sorted) + sorted.NumRows()*rowOverhead
	if s.opts.Limit == 0 || s.opts.Unique || s.folder != nil || bytes > s.budget.run()/2 {
		return false
	}
	s.parts, s.bytes = append(s.parts, sorted), bytes
	return true
}

func (s *Sorter) dropParts() {
	for _, p := range s.parts {
		p.Release()
	}
	s.parts, s.bytes = nil, 0
}

// spill sorts the run and has it spilled in the background, unless what a limit leaves of it can be kept.
func (s *Sorter) spill() error {
	if err := s.wait(); err != nil { // there is memory for one sorted run
		return err
	}
	sorted, err := s.sortRun()
	if err != nil || s.keep(sorted) {
		return err
	}
	if err := s.makeFolder(); err != nil {
		sorted.Release()
		return err
	}
	w, err := createRun(s.ctx, s.folder.next(".arrows"), s.decoded, s.budget.batchRows(s.rowBytes()), &s.opts)
	if err != nil {
		sorted.Release()
		return err
	}
	s.spills = make(chan error, 1)
	go func() {
		err := w.write(sorted)
		sorted.Release()
		r, closing := w.finish()
		s.runs = append(s.runs, r)
		if err == nil {
			err = closing
		}
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
