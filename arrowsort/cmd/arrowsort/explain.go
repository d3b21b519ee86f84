package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/keyencode"
)

func newExplain(s streams) *cobra.Command {
	var in jobFlags
	cmd := &cobra.Command{
		Use:   "explain -k COLUMN INPUT",
		Short: "Show what a sort comes down to, without sorting",
		Long: `Show what a sort comes down to, without sorting: which bits of the keys vary, where nulls and NaNs go, and the length of
the codes that are sorted in place of the rows.`,
		Example: `  arrowsort explain -k delay:desc -k date flights.parquet`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := in.parse(); err != nil {
				return err
			}
			return runExplain(cmd.Context(), s, args[0], &in)
		},
	}
	in.add(cmd, "look at the first `N` rows only; 0 for all")
	return cmd
}

func runExplain(ctx context.Context, s streams, path string, in *jobFlags) error {
	j, err := newJob(ctx, s, "explain", path, in, false)
	if err != nil {
		return err
	}
	defer j.close()
	var plan *keyencode.Plan
	err = j.phase("measuring", "the keys", &j.report.SortSeconds, func(told func(done, total int)) (err error) {
		plan, err = arrowsort.Explain(ctx, j.input.Table, j.keys, j.options(told))
		return err
	})
	if err != nil {
		return err
	}
	j.plan(plan)
	if in.json {
		return j.report.writeJSON(s.out)
	}
	_, err = fmt.Fprintf(s.out, "%d rows, %d columns\n%s\n", j.report.Rows, j.report.Columns, plan)
	return err
}
