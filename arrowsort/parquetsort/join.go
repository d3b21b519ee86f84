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
	defer m.close()
	w, err := createRun(s.ctx, s.folder.next(), s.plain, s.budget.batchRows(s.rowBytes()), &s.opts)
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
	if err = errors.Join(err, closing); err != nil {
		return run{}, err
	}
	s.spilled += r.bytes
	m.close()
	for _, done := range runs {
		err = errors.Join(err, os.Remove(done.path))
	}
	return r, err
}
