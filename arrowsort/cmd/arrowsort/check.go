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
		Use:   "check -k COLUMN INPUT",
		Short: "Find out whether a file is sorted",
		Long: `Find out whether a file is sorted by the keys. Of one that is not, the first row that sorts before the row above it is
named, counted from 0.

` + keysHelp + "\n\n" + csvHelp + "\n\n" + exitCheckHelp,
		Example: `  arrowsort check -k delay:desc -k date sorted.parquet`,
		Args:    oneInput,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := in.parse(s, args[0], nil); err != nil {
				return err
			}
			return runCheck(cmd.Context(), s, args[0], &in)
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
	if in.json {
		j.report.Sorted, j.report.BadRow = &sorted, max(row, 0)
		if err := j.report.writeJSON(s.out); err != nil {
			return err
		}
	} else if !in.quiet {
		if sorted {
			fmt.Fprintln(s.out, "sorted")
		} else {
			fmt.Fprintf(s.out, "not sorted: row %d sorts before row %d (rows count from 0)\n", row, row-1)
		}
	}
	if !sorted {
		return errNotSorted
	}
	return nil
}
