package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// checkName is the command whose exit codes are an answer.
const checkName = "check"

func newCheck(s streams) *cobra.Command {
	var in jobFlags
	in.keysOptional = true
	cmd := &cobra.Command{
		Use:   "check [-k COLUMN] INPUT...",
		Short: "Find out whether files are sorted",
		Long: `Find out whether a file is sorted by the keys, or several files one after the other: a file, a pattern in quotes or a
folder each. Parquet and Arrow files may be larger than memory. Of what is not sorted, the first row that
sorts before the row above it is named, counted from 0.

A Parquet file can name the order of its rows in its footer, as those do that arrowsort writes. Without -k that order is
checked, which has to be the same in all files. With -k it is checked as well: a file that is not in the order that it
names is not sorted.

` + keysHelp + "\n\n" + csvHelp + "\n\n" + exitCheckHelp,
		Example: `  arrowsort check sorted.parquet
  arrowsort check -k delay:desc -k date 'sorted-*.parquet'`,
		Args: someInputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := in.parse(s, args[0], nil); err != nil {
				return err
			}
			files, stream, err := streamed(cmd.Context(), args, &in)
			if err != nil {
				return err
			}
			if stream {
				return runCheckFiles(cmd.Context(), s, files, &in)
			}
			return runCheck(cmd.Context(), s, files[0], &in)
		},
	}
	in.add(cmd, "look at the first `N` rows only; 0 for all")
	return cmd
}

func runCheck(ctx context.Context, s streams, path string, in *jobFlags) error {
	j, err := newJob(ctx, s, checkName, path, in, nil, true)
	if err != nil {
		return err
	}
	defer j.close()
	var sorted bool
	var row int
	err = j.phase("checking", "the order", &j.report.SortSeconds, func(told func(done, total int)) (err error) {
		sorted, row, err = arrowsort.IsSorted(ctx, j.table, j.keys, j.options(told))
		return err
	})
	if err != nil {
		return err
	}
	if sorted {
		return j.verdict(true, nil)
	}
	bad := int64(row)
	j.report.BadRow = &bad
	return j.verdict(false, []string{fmt.Sprintf("not sorted: row %d sorts before row %d (rows count from 0)", row, row-1)})
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
				text += " by " + listed(j.report.Keys) + ", as the footer says"
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
