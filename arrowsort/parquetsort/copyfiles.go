package parquetsort

import (
	"context"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/keyencode"
)

// copies says whether files that follow one another can be copied to the output, which is begun, row group by row group: it
// is to be as they are.
func (o *outputs) copies(in *inputs, files []orderedFile) bool {
	opts := in.opts
	if len(files) == 0 || opts.splits() || opts.Limit > 0 || opts.RowGroupRows > 0 || opts.PageRows > 0 || o.options.Format != tablefile.Parquet {
		return false
	}
	for _, f := range files {
		s, err := in.scan(f.path)
		if err != nil {
			return false
		}
		same := columnsEqual(in.schema, s.Schema) && o.last().Copies(s)
		s.Close()
		if !same {
			return false
		}
	}
	return true
}

// copyAll copies the row groups of files.
func (o *outputs) copyAll(ctx context.Context, in *inputs, files []orderedFile, plan *keyencode.Plan, rows int64) (*Result, error) {
	done := int64(0)
	for _, f := range files {
		s, err := in.scan(f.path)
		if err != nil {
			return nil, err
		}
		err = o.last().Copy(ctx, s)
		s.Close()
		if err != nil {
			return nil, err
		}
		done += f.rows
		in.opts.Progress(PhaseWrite, done, rows)
	}
	if err := o.finish(); err != nil {
		return nil, err
	}
	return &Result{RowsIn: rows, Rows: rows, Plan: plan.String()}, nil
}
