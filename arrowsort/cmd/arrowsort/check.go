package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// checkName is the command whose exit codes are an answer.
const checkName = "check"

func newCheck(s streams) *cobra.Command {
	var in inputFlags
	in.keysOptional = true
	cmd := &cobra.Command{
		Use:   "check [-k COLUMN] INPUT...",
		Short: "Find out whether files are sorted",
		Long: `Find out whether a file is sorted by the keys, or several files one after the other: a file, a pattern in quotes or a
folder each. They may be larger than memory. Of what is not sorted, the first row that
sorts before the row above it is named, counted from 0.

A Parquet file can name the order of its rows in its footer, as those do that arrowsort writes. Without -k that order is
checked, which has to be the same in all files. With -k it is checked as well: a file that is not in the order that it
names is not sorted.

` + keysHelp + "\n\n" + csvHelp + "\n\n" + exitCheckHelp,
		Example: `  arrowsort check sorted.parquet
  arrowsort check -k delay:desc -k date 'sorted-*.parquet'`,
		Args: someInputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := in.parse(s, cmd, args, nil); err != nil {
				return err
			}
			if err := in.claimedKeys(cmd.Context()); err != nil {
				return err
			}
			return runCheck(cmd.Context(), s, &in)
		},
	}
	in.addMemory(cmd)
	in.add(cmd, "look at the first `N` rows only; 0 for all")
	return cmd
}

func runCheck(ctx context.Context, s streams, in *inputFlags) error {
	j := startJob(s, checkName, in.files, &in.jobFlags)
	opts := in.options
	claims := claimCheck{options: in.options}
	defer limitGarbage(opts.Memory)()
	var got *parquetsort.Checked
	err := j.phases(filesText(in.files), "", &opts, func() (err error) {
		if got, err = parquetsort.Check(ctx, in.files, opts); err != nil {
			return err
		}
		if v := got.Violation; in.piped || in.limit > 0 || v != nil && v.Row == 0 {
			return nil // no footers, or between files, of which footers say nothing
		}
		claims.keys = got.Keys
		return claims.run(ctx, in.files, got.Violation)
	})
	if err != nil {
		return err
	}
	r := &j.report
	r.Rows, r.Columns, r.BytesIn, r.Footers = got.Rows, int64(got.Columns), got.Bytes, claims.footers
	var lines []string
	if v := got.Violation; v != nil {
		lines = append(lines, "not sorted: "+violationText(v, len(in.files) > 1)+" (rows count from 0)")
		j.badRow(v, in.files)
	} else if claims.wrong != nil {
		j.badRow(claims.wrong, in.files)
	}
	return j.verdict(got.Violation == nil && claims.wrong == nil, append(lines, claims.lines()...))
}

// verdict says whether the input is sorted, and what else there is to say.
func (j *job) verdict(sorted bool, lines []string) error {
	if j.flags.json {
		j.report.Sorted = &sorted
		if err := j.report.writeJSON(j.out); err != nil {
			return err
		}
	} else if !j.flags.quiet {
		if sorted {
			text := "sorted"
			if j.flags.claimed {
				text += " by " + strings.Join(j.report.Keys, ", ") + ", as the footer says"
			}
			lines = append([]string{text}, lines...)
		}
		for _, line := range lines {
			fmt.Fprintln(j.out, printable(line))
		}
	}
	if !sorted {
		return errNotSorted
	}
	return nil
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
