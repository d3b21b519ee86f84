//go:build cuda && linux && amd64

// Package table sorts a table: its row numbers by its keys, then all columns by these.
package table

import (
	"fmt"
	"math"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/argsort"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/gather"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/gpu/internal/keys"
	"github.com/arrowsort/arrowsort/gpu/internal/valuesort"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A sorter is one job on a device.
type sorter struct {
	*device.Task
	Output
	columns   *keys.Columns
	downloads device.Downloads
	*gather.Gatherer
	ones gather.Ones
}

// stages are those of which a sort on one device reports its progress.
const stages = 4

// Sort runs a job: it sorts the row numbers by the keys, and gathers all columns by them.
func Sort(t *device.Task, job *engine.Job, mem engine.Allocator) (*engine.Result, error) {
	s := &sorter{Task: t, Output: NewOutput(t.Ctx, job, stages, t.Workers, mem),
		downloads: device.Downloads{Task: t}, ones: gather.Ones{Task: t, Columns: len(job.Gather)}}
	onDevice := *job // without the columns that the host gathers
	onDevice.Gather = nil
	for _, at := range job.Gather {
		s.OnHost[at] = s.IsForHost(at, func(c *keyencode.Column) bool { return gather.TextFits(t, c, job.Rows) })
		if !s.OnHost[at] {
			onDevice.Gather = append(onDevice.Gather, at)
		}
	}
	s.columns = keys.NewColumns(t, &onDevice, s.Buffers, s.Payload())
	defer s.Buffers.Release()
	defer t.Idle() // before the buffers are released
	defer s.columns.Helpers.Wait()
	defer s.Helpers.Wait()
	s.Prepare(t.Tuning.HelperRows)
	if s.sortsValues() {
		return s.sortValues()
	}
	order, plan := argsort.Run(s.columns, func() { s.Progress(1) })
	if s.Failed() {
		return nil, s.Err
	}
	s.AssertPermutation(order, job.Out(), job.Rows)
	s.columns.ReleaseKeys()
	s.Progress(2)
	s.Gatherer = gather.New(t, order, job.Rows, job.Out())
	t.OnPressure(func() bool { return s.downloads.Retire(0) })
	s.writeRowNumbers()
	s.gatherAll()
	if err := s.downloads.Settle(); err != nil {
		return nil, err
	}
	s.Progress(3)
	if ones := s.ones.Read(); ones != nil {
		s.SetNulls(ones)
	}
	if s.Failed() {
		return nil, s.Err
	}
	return s.Complete(plan)
}

// sortsValues reports whether the values of the job's only column are sorted without row numbers.
func (s *sorter) sortsValues() bool {
	if !valuesort.Applies(s.Job) {
		return false
	}
	column := &s.Job.Columns[s.Job.Gather[0]]
	return s.Facts.SortsValues(s.Tuning, s.Job.Rows, host.Nullable(column))
}

// sortValues sorts the only column of the job: values and a run of nulls.
func (s *sorter) sortValues() (*engine.Result, error) {
	values, nulls := valuesort.Sort(s.columns)
	s.Progress(2)
	s.prepared(1)
	if s.Failed() {
		return nil, s.Err
	}
	column, valid := &s.Result.Columns[0], s.Result.Rows-nulls
	s.downloads.Deliver(column.Values, values)
	s.downloads.Flush(s.downloads.Ready())
	if column.Validity != nil {
		first := 0
		if s.Job.Keys[0].Nulls == keyencode.NullsAtStart {
			first = nulls
		}
		s.Fail(s.Workers.SetRun(column.Validity, first, first+valid))
		s.SetNulls([]uint64{uint64(valid)})
	}
	if err := s.downloads.Settle(); err != nil {
		return nil, err
	}
	s.Progress(3)
	return s.Complete(nil)
}

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
