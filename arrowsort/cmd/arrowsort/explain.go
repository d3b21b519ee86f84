package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/keyencode"
)

func newExplain(s streams) *cobra.Command {
	var in jobFlags
	var spill spillFlags
	cmd := &cobra.Command{
		Use:   "explain -k COLUMN INPUT...",
		Short: "Show what a sort comes down to, without sorting",
		Long: `Show what a sort comes down to, without sorting: which bits of the keys vary, where nulls and NaNs go, and the length of
the codes that are sorted in place of the rows.

Of Parquet and Arrow files, which may be many, it is told first how arrowsort sort would go about them within --memory: as
they are, if they are in order, as one table in memory, or in runs that are spilled and merged, in how many passes, and how
much is spilled. Of the keys it is told what fits in memory.

` + keysHelp + "\n\n" + csvHelp + "\n\n" + exitHelp,
		Example: `  arrowsort explain -k delay:desc -k date flights.parquet
  arrowsort explain -k date --memory 512MiB 'flights/*.parquet'`,
		Args: someInputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := in.parse(s, args[0], nil); err != nil {
				return err
			}
			files, strategy, err := spill.explain(cmd, args, &in)
			if err != nil {
				return err
			}
			return runExplain(cmd.Context(), s, files, &in, strategy)
		},
	}
	in.add(cmd, "look at the first `N` rows only; 0 for all")
	spill.addMemory(cmd)
	return cmd
}

// runExplain tells the strategy, where there is one, and the plan of the keys of what is sorted in memory.
func runExplain(ctx context.Context, s streams, files []string, in *jobFlags, strategy *strategy) error {
	var lines []string
	if strategy != nil {
		lines = strategy.lines()
	}
	if strategy != nil && !strategy.InMemory {
		j := startJob(s, "explain", files[0], in)
		j.report.Strategy, j.report.Columns, j.report.BytesIn = strategy, int64(strategy.columns), strategy.bytesIn
		if len(files) > 1 {
			j.report.Inputs = files
		}
		return j.explained(lines)
	}
	j, err := newJob(ctx, s, "explain", files[0], in, nil, false)
	if err != nil {
		return err
	}
	defer j.close()
	var plan *keyencode.Plan
	err = j.phase("measuring", "the keys", &j.report.SortSeconds, func(told func(done, total int)) (err error) {
		plan, err = arrowsort.Explain(ctx, j.table, j.keys, j.options(told))
		return err
	})
	if err != nil {
		return err
	}
	j.plan(plan)
	j.report.Strategy, j.report.Details = strategy, planDetails(plan)
	lines = append([]string{counted(j.report.Rows, "row") + ", " + counted(j.report.Columns, "column")}, lines...)
	return j.explained(append(lines, planLines(plan)...))
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
