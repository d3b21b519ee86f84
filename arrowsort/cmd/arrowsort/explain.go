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
	cmd := &cobra.Command{
		Use:   "explain -k COLUMN INPUT",
		Short: "Show what a sort comes down to, without sorting",
		Long: `Show what a sort comes down to, without sorting: which bits of the keys vary, where nulls and NaNs go, and the length of
the codes that are sorted in place of the rows.

` + keysHelp + "\n\n" + csvHelp + "\n\n" + exitHelp,
		Example: `  arrowsort explain -k delay:desc -k date flights.parquet`,
		Args:    oneInput,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := in.parse(s, args[0], nil); err != nil {
				return err
			}
			return runExplain(cmd.Context(), s, args[0], &in)
		},
	}
	in.add(cmd, "look at the first `N` rows only; 0 for all")
	return cmd
}

func runExplain(ctx context.Context, s streams, path string, in *jobFlags) error {
	j, err := newJob(ctx, s, "explain", path, in, nil, false)
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
	if in.json {
		return j.report.writeJSON(s.out)
	}
	lines := append([]string{counted(j.report.Rows, "row") + ", " + counted(j.report.Columns, "column")}, planLines(plan)...)
	_, err = fmt.Fprintln(s.out, strings.Join(lines, "\n"))
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
