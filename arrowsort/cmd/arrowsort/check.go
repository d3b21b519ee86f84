package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort/internal/flagtext"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// checkName names the command whose exit code is its result.
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
		if v := got.Violation; j.piped || j.options.Rows.Limit > 0 || v != nil && v.Row == 0 {
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

// declaredKeys sets the keys to the order that the footers of all files declare.
func (f *jobFlags) declaredKeys(ctx context.Context) error {
	without := func(format string, args ...any) error {
		return usagef("give at least one key: -k COLUMN; "+format, args...)
	}
	if f.piped {
		return without("the order that a footer names is found for Parquet files with a name only")
	}
	orders, err := parquetsort.DeclaredOrders(ctx, f.files, f.options)
	if err != nil {
		return err
	}
	first := orders[max(slices.IndexFunc(orders, func(o parquetsort.DeclaredOrder) bool { return !o.Empty }), 0)]
	for _, o := range orders {
		switch {
		case o.Empty && !first.Empty:
		case o.Empty:
			return without("%s has no rows, and names no order", o.File)
		case o.Mixed:
			return without("row groups of %s name different orders", o.File)
		case len(o.Keys) == 0:
			return without("%s names no order", o.File)
		case !slices.Equal(o.Keys, first.Keys):
			return without("%s names the order %s, %s names %s", first.File, flagtext.KeyList(first.Keys), o.File,
				flagtext.KeyList(o.Keys))
		}
	}
	f.declared = true
	for _, k := range first.Keys {
		f.keys = append(f.keys, keyFlag{flagtext.KeyText(k), k})
	}
	return nil
}

// A footerReport is the order that the footer of a Parquet file declares, and whether the rows are in that order.
type footerReport struct {
	File string   `json:"file"`
	Keys []string `json:"keys"`           // as they are typed; empty: the file, or its first row group, names none
	True *bool    `json:"true,omitempty"` // absent where that was not checked
}

// A remark holds for a file and the files after it.
type remark struct {
	file, text string
	more       int64 // next files
}

// reportFooters reports the orders that footers declare. It returns remarks, and the first row that violates one of the
// orders.
func (r *report) reportFooters(footers []parquetsort.Footer) (lines []string, wrong *parquetsort.Violation) {
	var remarks []remark
	for _, f := range footers {
		r.Footers = append(r.Footers, footerReport{File: f.File, Keys: flagtext.KeyTexts(f.Keys), True: f.Holds})
		wrong = cmp.Or(wrong, f.Violation)
		text, last := footerText(&f), len(remarks)-1
		switch {
		case text == "":
		case last >= 0 && remarks[last].text == text:
			remarks[last].more++
		default:
			remarks = append(remarks, remark{file: f.File, text: text})
		}
	}
	for _, r := range remarks {
		if r.more > 0 {
			r.file += " and " + counted(r.more, "more file")
		}
		lines = append(lines, r.file+": "+r.text)
	}
	return lines, wrong
}

// footerText describes the order that a footer declares; empty if it is the order of the keys.
func footerText(f *parquetsort.Footer) string {
	order := flagtext.KeyList(f.Keys)
	if f.Mixed {
		order = "of each row group"
	}
	switch {
	case f.Holds == nil || f.Implied:
		return ""
	case f.Violation != nil:
		return fmt.Sprintf("the footer names the order %s, but %v", order, f.Violation)
	case f.ByGroup:
		return fmt.Sprintf("the footer names the order %s, which is true of each row group alone", order)
	}
	return "the footer names another order, which is true: " + order
}
