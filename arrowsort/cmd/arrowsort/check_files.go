package main

import (
	"context"
	"fmt"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// streamed are the files of check when they are read piece by piece: several, or one that does not fit in memory.
func streamed(ctx context.Context, args []string, in *jobFlags) (files []string, ok bool, err error) {
	if len(args) == 1 && readWhole(args[0], in) != "" {
		return args, false, nil
	}
	if files, err = parquetsort.Expand(args); err != nil {
		return nil, false, err
	}
	for _, file := range files {
		if why := readWhole(file, in); why != "" {
			return nil, false, usagef("several inputs: %s", why)
		}
	}
	if in.limit > 0 && len(files) > 1 {
		return nil, false, usagef("several inputs: --limit is for one")
	}
	if len(files) > 1 {
		return files, true, nil
	}
	keys, err := resolveIn(ctx, files[0], in)
	if err != nil || in.limit > 0 {
		return files, false, nil // an error is told when the file is read
	}
	fits, err := parquetsort.FitsInMemory(ctx, files, parquetsort.Options{Keys: keys, InputFormat: in.format})
	return files, !fits, err
}

func runCheckFiles(ctx context.Context, s streams, files []string, in *jobFlags) error {
	j := startJob(s, checkName, files[0], in)
	keys, err := resolveIn(ctx, files[0], in)
	if err != nil {
		return err
	}
	opts := parquetsort.Options{Keys: keys, InputFormat: in.format, Threads: in.threads}
	var got *parquetsort.Checked
	err = j.phase("checking", displayName(files[0], ""), &j.report.SortSeconds, func(told func(done, total int)) (err error) {
		if told != nil {
			opts.Progress = func(_ string, done, total int64) { told(int(done), int(total)) }
		}
		got, err = parquetsort.Check(ctx, files, opts)
		return err
	})
	if err != nil {
		return err
	}
	j.report.Rows, j.report.Columns, j.report.BytesIn = got.Rows, int64(got.Columns), got.Bytes
	if len(files) > 1 {
		j.report.Inputs = got.Files
	}
	v := got.Violation
	if v == nil {
		return j.verdict(true, -1, "")
	}
	if len(files) > 1 {
		j.report.BadFile = v.File
		return j.verdict(false, v.Row, fmt.Sprintf("%s: row %d sorts before the row above it", v.File, v.Row))
	}
	return j.verdict(false, v.Row, fmt.Sprintf("row %d sorts before row %d", v.Row, v.Row-1))
}
