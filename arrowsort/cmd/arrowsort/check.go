package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// checkName is the command whose exit code reports the result.
const checkName = "check"

func newCheck(s streams) *cobra.Command {
	j := &job{streams: s, jobFlags: jobFlags{keysOptional: true}}
	cmd := &cobra.Command{
		Use:   "check [-k COLUMN] INPUT...",
		Short: "Check whether files are sorted",
		Long: `Check whether a file is sorted by the keys, or several files one after the other: files, patterns in
quotes or folders. They may be larger than memory. The first row that sorts before the row above it
is printed, counted from 0.

The footer of a Parquet file can name the order of its rows, as those do that arrowsort writes. Without -k that order
is checked, which must be the same in all files. With -k it is checked too: a file that is not in the order that its
footer names is not sorted.

` + keysHelp + "\n\n" + csvHelp + "\n\n" + exitCheckHelp,
		Example: `  arrowsort check sorted.parquet
  arrowsort check -k delay:desc -k date 'sorted-*.parquet'`,
		Args: someInputs,
	}
	j.does(cmd, j.check)
	j.addMemory(cmd)
	j.add(cmd, "check the first `N` rows only; 0 for all")
	return cmd
}

func (j *job) check(ctx context.Context, _ []string) error {
	var got *parquetsort.CheckResult
	var footers []parquetsort.Footer
	err := j.run(func() (err error) {
		if got, err = parquetsort.Check(ctx, j.files, j.options); err != nil {
			return err
		}
		if v := got.Violation; j.piped || j.options.Limit > 0 || v != nil && v.Row == 0 {
			return nil // no footers, or a violation between two files
		}
		footers, err = parquetsort.CheckFooters(ctx, got, j.options)
		return err
	})
	if err != nil {
		return err
	}
	r, violation := &j.report, got.Violation
	r.Rows, r.Columns, r.BytesIn = &got.Rows, int64(got.Columns), got.Bytes
	remarks, wrong := r.reportFooters(footers)
	var lines []string
	switch {
	case violation != nil:
		lines = []string{"not sorted: " + violation.String()}
		if len(j.files) > 1 {
			lines[0] = "not sorted: " + violation.File + ": " + violation.String()
		}
		if violation.Reason != "" {
			lines = append(lines, violation.Reason)
		}
	case wrong != nil:
		violation = wrong
	case j.declared:
		lines = []string{"sorted by " + strings.Join(r.Keys, ", ") + ", as the footer says"}
	default:
		lines = []string{"sorted"}
	}
	if violation != nil {
		r.BadRow = &violation.Row
		if len(j.files) > 1 {
			r.BadFile = violation.File
		}
	}
	return j.answer(violation == nil, append(lines, remarks...))
}

// answer prints whether the input is sorted.
func (j *job) answer(sorted bool, lines []string) error {
	switch {
	case j.json:
		j.report.Sorted = &sorted
		if err := j.report.writeJSON(j.out); err != nil {
			return err
		}
	case !j.quiet:
		for _, line := range lines {
			if _, err := fmt.Fprintln(j.out, printable(line)); err != nil {
				return err
			}
		}
	}
	if !sorted {
		return errNotSorted
	}
	return nil
}
