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
	cmd := &cobra.Command{
		Use:   "check -k COLUMN INPUT...",
		Short: "Find out whether files are sorted",
		Long: `Find out whether a file is sorted by the keys, or several files one after the other: a file, a pattern in quotes or a
folder each. Parquet and Arrow files may be larger than memory. Of what is not sorted, the first row that
sorts before the row above it is named, counted from 0.

` + keysHelp + "\n\n" + csvHelp + "\n\n" + exitCheckHelp,
		Example: `  arrowsort check -k delay:desc -k date sorted.parquet`,
		Args:    someInputs,
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
	return j.verdict(sorted, int64(row), fmt.Sprintf("row %d sorts before row %d", row, row-1))
}

// verdict says whether the input is sorted; else which row is not, in numbers and in words.
func (j *job) verdict(sorted bool, row int64, text string) error {
	if j.flags.json {
		j.report.Sorted, j.report.BadRow = &sorted, max(row, 0)
		if err := j.report.writeJSON(j.out); err != nil {
			return err
		}
	} else if !j.flags.quiet {
		if sorted {
			fmt.Fprintln(j.out, "sorted")
		} else {
			fmt.Fprintf(j.out, "not sorted: %s (rows count from 0)\n", text)
		}
	}
	if !sorted {
		return errNotSorted
	}
	return nil
}
