package main

import (
	"context"
	"errors"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// copySorted copies a Parquet file whose rows are in order already, with the order in its metadata, and reports it. It is false, and nothing
// has happened, for what has to be sorted.
func copySorted(ctx context.Context, s streams, in *jobFlags, out *outputFlags, spill *spillFlags) (done bool, err error) {
	if out.path == "" || spill.options.Keys == nil { // which only files that are read in pieces have
		return false, nil
	}
	e := external{job: startJob(s, sortName, spill.files[0], in), to: out, work: parquetsort.Copy}
	err = e.run(ctx, spill)
	if errors.Is(err, parquetsort.ErrNotCopied) {
		return false, nil
	}
	return true, err
}
