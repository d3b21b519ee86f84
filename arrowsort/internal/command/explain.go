package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

func newExplain(s streams) *cobra.Command {
	c := &command{streams: s}
	cmd := &cobra.Command{
		Use:   "explain -k COLUMN INPUT...",
		Short: "Show how files would be sorted, without sorting",
		Long: `Show how files would be sorted, without sorting them: which bits of the keys vary, where nulls and NaNs
go, and the length of the codes that are sorted in place of the rows.

The first lines show how arrowsort sort would handle them within --memory: copied or
merged if they are in order, sorted in memory as one table, or sorted in runs that are spilled and merged, with the
number of passes and the bytes that are spilled. With --limit or --tail they show how many row groups of Parquet
files are read, if not all; with --curve that the rows follow a curve. The keys are shown for files that fit in memory
and are read as a whole, unless they follow a curve.

` + keysHelp + "\n\n" + csvHelp + "\n\n" + exitHelp,
		Example: `  arrowsort explain -k delay:desc -k date flights.parquet
  arrowsort explain -k date --memory 512MiB 'flights/*.parquet'`,
		Args: someInputs,
	}
	c.does(cmd, c.explain)
	c.add(cmd, "keep the first `N` rows of the order; 0 for all")
	c.addTail(cmd)
	c.addCurve(cmd, "show the sort along a space-filling `CURVE` over 2 to 8 keys: hilbert or zorder")
	addMemory(cmd, &c.options.Memory)
	return cmd
}

// explain prints the strategy, except for a pipe, and the plan of the keys if a file is sorted in memory.
func (c *command) explain(ctx context.Context, _ []string) error {
	o, r := &c.options, &c.report
	var lines []string
	switch {
	case c.piped && o.Curve != 0:
		return usagef("--curve is explained by the metadata of files: save standard input to a file first")
	case !c.piped:
		unlimit := limitGarbage(o.Memory.Budget)
		d, err := parquetsort.Explain(ctx, c.files, *o)
		unlimit()
		if err != nil {
			return forCommandLine(err)
		}
		r.Columns, r.BytesIn = int64(d.Columns), d.BytesIn
		if d.Rows >= 0 {
			r.Rows = &d.Rows
		}
		r.Strategy = &d.Strategy
		if lines = strategyLines(d); !d.InMemory || d.RowGroups > 0 || d.Curve != "" {
			return c.answer(lines)
		}
	}
	all := checking(o)
	all.Limit = 0
	var got *parquetsort.PlanResult
	err := c.run(func() (err error) {
		got, err = parquetsort.Plan(ctx, c.files[0], all)
		return err
	})
	if err != nil {
		return err
	}
	r.Rows, r.Columns, r.BytesIn = &got.Rows, int64(got.Columns), got.Bytes
	r.Plan, r.Details = got.Plan.String(), &got.Plan
	lines = append([]string{counted(got.Rows, "row") + ", " + counted(r.Columns, "column")}, lines...)
	return c.answer(append(lines, got.Plan.Lines()...))
}

// strategyLines describes a strategy in words.
func strategyLines(d *parquetsort.Description) []string {
	lines := []string{fmt.Sprintf("%s, %s in; about %s in memory, of a budget of %s",
		counted(int64(len(d.Inputs)), "file"), bytesText(d.BytesIn), bytesText(d.Table), bytesText(d.Memory))}
	if d.RowGroups > 0 {
		lines = append(lines, leftOutText(d.RowGroupsRead, d.RowGroups, d.PagesRead, d.Pages))
	}
	if d.Curve != "" {
		lines = append(lines, "along a "+d.Curve+" curve over the keys, which are read first for a sample")
	}
	return append(lines, stepsText(d))
}

// stepsText says what is done with the rows.
func stepsText(d *parquetsort.Description) string {
	passes, spilled := "1 pass", bytesText(d.BytesSpilled)
	if d.Passes != 1 {
		passes = fmt.Sprintf("%d passes", d.Passes)
	}
	switch {
	case d.InOrder && d.Runs == 0:
		return "in order already: copied or merged as they are, nothing is sorted or spilled"
	case d.InOrder:
		return fmt.Sprintf("in order already, but too many to be merged at once: merged in %s, with about %s to the "+
			"spill folder", passes, spilled)
	case d.InMemory:
		return "sorted in memory, nothing is spilled"
	case d.Runs == 0:
		return "read in pieces and sorted in memory, nothing is spilled"
	}
	return fmt.Sprintf("about %s, spilled and merged in %s: about %s to the spill folder, without compression",
		counted(int64(d.Runs), "run"), passes, spilled)
}
