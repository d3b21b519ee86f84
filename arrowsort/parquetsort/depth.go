package parquetsort

import (
	"context"

	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/zonemap"
)

// A KeyDepth is how many row groups a reader reads for one value of the first key, before a sort and after it, by the
// bounds in the footers.
type KeyDepth struct {
	Column string      `json:"column"`
	Before LayoutDepth `json:"before"` // of the inputs
	After  LayoutDepth `json:"after"`  // of the outputs
}

// measuresDepth reports whether the depth of the first key is wanted, and inputs and outputs have bounds of it: all
// rows of Parquet files are in Parquet files again, with the column of the key, and in its order.
func (j *job) measuresDepth() bool {
	rows := j.opts.Rows
	return j.opts.Output.Depth && j.opts.Curve == 0 && j.partitions == nil && rows.Limit == 0 && rows.Tail == 0 &&
		j.files.Template != nil && !j.files.IsStream() && j.target.Write.Format == tablefile.Parquet &&
		tablefile.Replaces(j.target.Path) && j.firstKey != "" && !extsort.Derived(j.rows.Keys[0])
}

// depthBefore returns the depth of the first key in the inputs, before they can be replaced; nil where a row group has
// no bounds, or it cannot be measured, of which the sort is independent.
func (j *job) depthBefore(ctx context.Context) *KeyDepth {
	if !j.measuresDepth() {
		return nil
	}
	k := &KeyDepth{Column: j.firstKey}
	found, err := j.depthIn(ctx, j.files, k.Column, &k.Before)
	if err != nil && ctx.Err() == nil {
		j.opts.Run.Warn("how many row groups of the inputs hold a value is not known: " + err.Error())
	}
	if err != nil || !found {
		return nil
	}
	return k
}

// depthAfter returns the depth before a sort with that of its outputs; nil where a row group has no bounds, and where
// rows were left out or row groups copied.
func (j *job) depthAfter(ctx context.Context, r *Result) *KeyDepth {
	if j.before == nil || r.Copied || r.Rows != r.RowsIn || r.Rows == 0 {
		return nil
	}
	k := &KeyDepth{Column: j.before.Column, Before: j.before.Before}
	read := j.read
	read.Format = tablefile.Parquet
	found, err := j.depthIn(ctx, dataset.New(r.Outputs, nil, read), k.Column, &k.After)
	if err != nil {
		j.opts.Run.Warn("the output is complete, but how many row groups hold a value is not known: " + err.Error())
	}
	if !found {
		return nil
	}
	return k
}

// depthIn measures the depth of a leaf column in the row groups of files.
func (j *job) depthIn(ctx context.Context, d *dataset.Dataset, column string, depth *LayoutDepth) (bool, error) {
	var groups zonemap.Groups
	err := d.EachFile(ctx, func(_ int, s *tablefile.Scanner) error {
		if s.Template == nil {
			groups.Missing() // of another format
			return nil
		}
		return groups.Add(ctx, s, column, j.opts.Run.Allocator)
	})
	if err != nil {
		return false, err
	}
	found, ok := groups.Depth()
	*depth = LayoutDepth(found)
	return ok, nil
}
