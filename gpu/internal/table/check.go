//go:build cuda && linux && amd64

package table

import (
	"fmt"
	"math"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// Check refuses a job that no engine can do.
func Check(job *engine.Job) error {
	if job.Rows < 0 || uint64(job.Rows) > math.MaxUint32 {
		return fmt.Errorf("%w: %d, at most %d", engine.ErrRows, job.Rows, uint32(math.MaxUint32))
	}
	if w := job.RowNumbers; w != 0 && w != 4 && w != 8 {
		return fmt.Errorf("gpu: row numbers of %d bytes: 4 and 8 are possible", w)
	}
	for i := range job.Columns {
		c := &job.Columns[i]
		if c.Kind > keyencode.Dictionary64 {
			return fmt.Errorf("%w: column %d is of kind %d", engine.ErrKind, i, c.Kind)
		}
		if n := c.Rows(); n != job.Rows {
			return fmt.Errorf("%w: column %d has %d rows, the job %d", engine.ErrRows, i, n, job.Rows)
		}
	}
	for _, key := range job.Keys {
		if key.Column < 0 || key.Column >= len(job.Columns) {
			return fmt.Errorf("%w: key %q is column %d of %d", keyencode.ErrColumn, key.Name, key.Column,
				len(job.Columns))
		}
	}
	for _, i := range job.Gather {
		if i < 0 || i >= len(job.Columns) {
			return fmt.Errorf("%w: column %d of %d is to be gathered", keyencode.ErrColumn, i, len(job.Columns))
		}
	}
	return nil
}
