package main

import (
	"context"
	"errors"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// checkBudget is the memory for a look at the keys of a file.
const checkBudget = 64 << 20

// copySorted copies a Parquet file whose rows are in order already, with the order in its metadata, and reports it. It is false, and nothing
// has happened, for all others: those whose statistics do not claim an order, whose rows are not in it, or of which something else is
// wanted than a copy.
func copySorted(ctx context.Context, s streams, in *jobFlags, out *outputFlags, spill *spillFlags) (done bool, err error) {
	order := orderOf(spill.options.Keys)
	if !isCopy(in, out, spill) || order == nil || !tablefile.ClaimsOrder(spill.files[0], order) {
		return false, nil
	}
	if err := tablefile.CheckTarget(out.path); err != nil {
		return false, err
	}
	j := startJob(s, sortName, spill.files[0], in)
	r := &j.report
	err = j.phase("copying", displayName(r.Input, ""), &r.WriteSeconds, func(told func(done, total int)) (err error) {
		opts := tablefile.WriteOptions{Sorting: order, Threads: in.threads, Progress: told}
		r.BytesOut, done, err = tablefile.CopySorted(ctx, r.Input, out.path, opts, func(ctx context.Context) error { return j.checkOrder(ctx, spill) })
		return err
	})
	switch {
	case errors.Is(err, tablefile.ErrNotSorted), errors.Is(err, tablefile.ErrCorrupt):
		return false, nil // whoever reads all of it says what is wrong
	case err != nil || !done:
		return false, err
	}
	r.Output, r.Plan = out.path, "the rows are in order already: copied"
	return true, j.finish(false)
}

// checkOrder looks at the keys of the input.
func (j *job) checkOrder(ctx context.Context, spill *spillFlags) error {
	opts := parquetsort.Options{Keys: spill.options.Keys, Memory: checkBudget, InputFormat: j.flags.format, Threads: j.flags.threads}
	found, err := parquetsort.Check(ctx, spill.files, opts)
	switch {
	case err != nil:
		return err
	case found.Violation != nil:
		return tablefile.ErrNotSorted
	}
	r := &j.report
	r.Rows, r.RowsOut, r.Columns, r.BytesIn = found.Rows, found.Rows, int64(found.Columns), found.Bytes
	return nil
}

// isCopy says whether the output is the input but for its order.
func isCopy(in *jobFlags, out *outputFlags, spill *spillFlags) bool {
	if len(spill.files) != 1 || in.limit > 0 || out.preview > 0 || spill.splits() || out.compression != "" || out.rowGroupRows != 0 || out.pageRows != 0 {
		return false
	}
	from, err := in.inFormat.Resolve(spill.files[0])
	if err != nil || from != tablefile.Parquet || out.path == "" || out.path == tablefile.Pipe {
		return false
	}
	to, err := out.options.Format.Resolve(out.path)
	return err == nil && to == tablefile.Parquet
}

// orderOf is the order of keys for the metadata of a file; nil when they are not all named.
func orderOf(keys []arrowsort.Key) []tablefile.SortingColumn {
	var order []tablefile.SortingColumn
	for _, k := range keys {
		if k.Path == "" {
			return nil
		}
		order = append(order, tablefile.SortingColumn{Path: k.Path, Descending: k.Order == arrowsort.Descending, NullsFirst: k.Nulls == arrowsort.NullsAtStart})
	}
	return order
}
