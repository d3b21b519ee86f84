package beamsort

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// A task is a part of the inputs that a step reads.
type task struct {
	Number       int64 // of the part, in the order of files and rows
	Path         string
	First, Count int64 // of parquetsort.Part
}

// tasks are the parts of the inputs.
func tasks(d *parquetsort.Division) []task {
	all := make([]task, len(d.Parts))
	for i, p := range d.Parts {
		all[i] = task{int64(i), p.Path, int64(p.First), int64(p.Count)}
	}
	return all
}

// read passes the rows of a task to use, piece by piece: some columns, or for nil all.
func (s *settings) read(ctx context.Context, t task, columns []int, opts parquetsort.Options,
	use func(piece arrow.Table) error) error {
	opts.Open = s.Options.opener(ctx, t.Path)
	part := parquetsort.Part{Path: t.Path, First: int(t.First), Count: int(t.Count)}
	return parquetsort.ReadPart(ctx, part, s.stored, columns, opts, use)
}
