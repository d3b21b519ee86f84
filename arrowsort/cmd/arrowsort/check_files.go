package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// streamed are the files of check when they are read piece by piece: all that can be, but for the first rows of one.
func streamed(ctx context.Context, args []string, in *jobFlags) (files []string, ok bool, err error) {
	if files, err = parquetsort.Expand(args); err != nil {
		return nil, false, err
	}
	if len(files) == 1 && readWhole(files[0], in) != "" {
		if len(in.keys) == 0 {
			return nil, false, in.claimedKeys(ctx, files)
		}
		return files, false, nil
	}
	for _, file := range files {
		if why := readWhole(file, in); why != "" {
			return nil, false, usagef("several inputs: %s", why)
		}
	}
	if in.limit > 0 && len(files) > 1 {
		return nil, false, usagef("several inputs: --limit is for one")
	}
	if len(in.keys) == 0 {
		if err := in.claimedKeys(ctx, files); err != nil {
			return nil, false, err
		}
	}
	return files, in.limit == 0, nil
}

func runCheckFiles(ctx context.Context, s streams, files []string, in *jobFlags) error {
	j := startJob(s, checkName, files[0], in)
	keys, err := resolveIn(ctx, files[0], in)
	if err != nil {
		return err
	}
	opts := parquetsort.Options{Keys: keys, InputFormat: in.format, Threads: in.threads}
	claims := claimCheck{keys: keys, options: opts}
	var got *parquetsort.Checked
	err = j.phase("checking", filesText(files), &j.report.SortSeconds, func(told func(done, total int)) (err error) {
		if told != nil {
			opts.Progress = func(_ string, done, total int64) { told(int(done), int(total)) }
		}
		if got, err = parquetsort.Check(ctx, files, opts); err != nil {
			return err
		}
		if v := got.Violation; v != nil && v.Row == 0 {
			return nil // between files, of which footers say nothing
		}
		return claims.run(ctx, files, got.Violation)
	})
	if err != nil {
		return err
	}
	j.report.Rows, j.report.Columns, j.report.BytesIn, j.report.Footers = got.Rows, int64(got.Columns), got.Bytes, claims.footers
	if len(files) > 1 {
		j.report.Inputs = got.Files
	}
	var lines []string
	if v := got.Violation; v != nil {
		lines = append(lines, "not sorted: "+violationText(v, len(files) > 1)+" (rows count from 0)")
		j.badRow(v, files)
	} else if claims.wrong != nil {
		j.badRow(claims.wrong, files)
	}
	return j.verdict(got.Violation == nil && claims.wrong == nil, append(lines, claims.lines()...))
}

// badRow reports the first row that is not in order.
func (j *job) badRow(v *parquetsort.Violation, files []string) {
	j.report.BadRow = &v.Row
	if len(files) > 1 {
		j.report.BadFile = v.File
	}
}

func violationText(v *parquetsort.Violation, named bool) string {
	if named {
		return fmt.Sprintf("%s: row %d sorts before the row above it", v.File, v.Row)
	}
	return fmt.Sprintf("row %d sorts before row %d", v.Row, v.Row-1)
}

func listed(keys []string) string { return strings.Join(keys, ", ") }
