package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
	"github.com/arrowsort/arrowsort/keyencode"
)

func newExplain(s streams) *cobra.Command {
	var in inputFlags
	cmd := &cobra.Command{
		Use:   "explain -k COLUMN INPUT...",
		Short: "Show what a sort comes down to, without sorting",
		Long: `Show what a sort comes down to, without sorting: which bits of the keys vary, where nulls and NaNs go, and the length of
the codes that are sorted in place of the rows.

Of files, which may be many, it is told first how arrowsort sort would go about them within --memory: as
they are, if they are in order, as one table in memory, or in runs that are spilled and merged, in how many passes, and how
much is spilled. Of the keys it is told what fits in memory.

` + keysHelp + "\n\n" + csvHelp + "\n\n" + exitHelp,
		Example: `  arrowsort explain -k delay:desc -k date flights.parquet
  arrowsort explain -k date --memory 512MiB 'flights/*.parquet'`,
		Args: someInputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := in.parse(s, cmd, args, nil); err != nil {
				return err
			}
			return runExplain(cmd.Context(), s, &in)
		},
	}
	in.add(cmd, "look at the first `N` rows only; 0 for all")
	in.addMemory(cmd)
	return cmd
}

// runExplain prints the strategy, where there is one, and the plan of the keys of what is sorted in memory.
func runExplain(ctx context.Context, s streams, in *inputFlags) error {
	strategy, err := in.explain(ctx)
	if err != nil {
		return err
	}
	j := startJob(s, "explain", in.files, &in.jobFlags)
	var lines []string
	if strategy != nil {
		lines, j.report.Strategy = strategy.lines(), strategy
		j.report.Columns, j.report.BytesIn = int64(strategy.columns), strategy.bytesIn
	}
	if strategy != nil && !strategy.InMemory {
		return j.explained(lines)
	}
	opts := in.options
	var got *parquetsort.Planned
	err = j.phases(filesText(in.files), "", &opts, func() (err error) {
		got, err = parquetsort.Plan(ctx, in.files[0], opts)
		return err
	})
	if err != nil {
		return err
	}
	r := &j.report
	r.Rows, r.Columns, r.BytesIn = got.Rows, int64(got.Columns), got.Bytes
	r.Plan, r.Details = got.Plan.String(), planDetails(got.Plan)
	lines = append([]string{counted(r.Rows, "row") + ", " + counted(r.Columns, "column")}, lines...)
	return j.explained(append(lines, planLines(got.Plan)...))
}

func (j *job) explained(lines []string) error {
	if j.flags.json {
		return j.report.writeJSON(j.out)
	}
	_, err := fmt.Fprintln(j.out, strings.Join(lines, "\n"))
	return err
}

// planLines are the lines of a plan: one for each key and one for the code.
func planLines(plan *keyencode.Plan) []string {
	var lines []string
	rest := plan.String()
	for i, key := range plan.Keys() {
		at := len(key.Name) + 2
		if i+1 < len(plan.Keys()) {
			at += strings.Index(rest[at:], "; "+plan.Keys()[i+1].Name+": ")
		} else {
			at += strings.Index(rest[at:], "; ")
		}
		lines = append(lines, printable(rest[:at]))
		rest = rest[at+2:]
	}
	return append(lines, rest)
}
