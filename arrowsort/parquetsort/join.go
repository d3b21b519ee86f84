package parquetsort

import (
	"errors"
	"io"
	"os"

	"github.com/apache/arrow/go/v15/arrow"
)

// join merges runs to one, in their place.
func (s *Sorter) join(runs []run) (run, error) {
	m, err := s.mergeRuns(runs)
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
	defer m.close()
	if err := s.makeFolder(); err != nil {
		return run{}, err
	}
	w, err := createRun(s.ctx, s.folder.next(".arrows"), s.decoded, s.budget.batchRows(s.rowBytes()), &s.opts)
	if err != nil {
		return run{}, err
	}
	for err == nil {
		var piece arrow.Table
		if piece, err = m.next(s.ctx); err == nil {
			err = w.write(piece)
			piece.Release()
		}
	}
	if err == io.EOF {
		err = nil
	}
	r, closing := w.finish()
	if err == nil {
		err = closing
	}
	s.spilled += r.bytes
	return r, err
}

// makeFolder makes sure that there is a folder for runs.
func (s *Sorter) makeFolder() (err error) {
	if s.folder == nil {
		s.folder, err = newLockedFolder(s.opts.SpillDir, spillPrefix)
	}
	return err
}
