package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/icebergsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/flagtext"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

func newRewrite() *cobra.Command {
	var (
		table   tableFlags
		options icebergsort.Options
		asJSON  bool
	)
	cmd := &cobra.Command{
		Use:   "rewrite --catalog CATALOG TABLE",
		Short: "Rewrite data files as sorted files that do not overlap",
		Long: `Rewrite the data files of a table as sorted files that do not overlap, and replace the old files by them
in one commit. TABLE is NAMESPACE.TABLE. The files of each partition are sorted for themselves. Rows that delete files
have deleted are left out.

--sort names the order: columns with asc or desc, nulls first or nulls last, separated by commas. Nulls are first in
ascending order and last in descending order where it does not say. Without --sort it is the sort order of the table.

--where and --min-depth choose files; all rows of the chosen files are rewritten. --where takes comparisons that are
joined by and: = != < <= > >=, is null, is not null; texts and dates stand in single quotes.

Rows that others append meanwhile stay in the table. Where others delete rows or replace files meanwhile, nothing is
committed. What does not fit in --memory is sorted in runs, which are spilled to --spill-dir.`,
		Example: `  arrowsort-iceberg rewrite --catalog sqlite:catalog.db --sort 'origin, date desc' demo.flights
  arrowsort-iceberg rewrite --catalog sqlite:catalog.db --curve hilbert --sort 'origin, date' demo.flights
  arrowsort-iceberg rewrite --catalog sqlite:catalog.db --where "date >= '2001-03-01'" --dry-run demo.flights`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cat, name, err := table.open(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			limitGarbage(options.Memory.Budget)
			result, err := icebergsort.Rewrite(cmd.Context(), cat, name, options)
			if err != nil {
				return err
			}
			if asJSON {
				e := json.NewEncoder(cmd.OutOrStdout())
				e.SetIndent("", "  ")
				return e.Encode(result)
			}
			return printResult(cmd.OutOrStdout(), result)
		},
	}
	table.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&options.Sort, "sort", "", "sort by `ORDER`, as 'origin, date desc nulls last'")
	flags.Func("curve", "sort along a space-filling `CURVE` over 2 to 8 columns of --sort: hilbert or zorder",
		func(text string) (err error) {
			options.Curve, err = parseCurve(text)
			return err
		})
	flags.Func("where", "rewrite the files that may have rows that pass `FILTER`", func(text string) error {
		if options.Where = text; strings.TrimSpace(text) == "" {
			return errors.New("it is empty; leave it out to rewrite all files")
		}
		return nil
	})
	flags.IntVar(&options.MinDepth, "min-depth", 0,
		"rewrite the files that share a value of the first column with `N`-1 others of their partition; 0: all")
	size(cmd, &options.TargetFileSize, 1, "target-file-size",
		"write files of about this `SIZE`; without it of that of the table's properties, or 512MiB")
	size(cmd, &options.Memory.Budget, parquetsort.MinMemory, "memory",
		"use this `SIZE` of memory; without it half of what there is")
	flags.StringVar(&options.Memory.SpillDir, "spill-dir", "", "spill to `FOLDER`; else to that of temporary files")
	flags.IntVar(&options.Threads, "threads", 0, "use `N` threads; 0: one for each processor")
	flags.BoolVar(&options.DryRun, "dry-run", false, "write nothing: say what would be done")
	flags.BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}

// limitGarbage sets the memory limit of the garbage collector to a little more than the budget, unless GOMEMLIMIT is
// set.
func limitGarbage(budget int64) {
	const others = 64 << 20 // bytes outside of the budget: metadata, manifests, encoders
	if os.Getenv("GOMEMLIMIT") == "" && budget > 0 {
		debug.SetMemoryLimit(budget + others)
	}
}

// size adds a flag of a number of bytes of at least a given one.
func size(cmd *cobra.Command, to *int64, least int64, name, help string) {
	cmd.Flags().Func(name, help, func(text string) (err error) {
		*to, err = flagtext.ParseSize(text, least)
		return err
	})
}

// parseCurve reads the name of a space-filling curve.
func parseCurve(text string) (arrowsort.Curve, error) {
	for _, c := range []arrowsort.Curve{arrowsort.Hilbert, arrowsort.ZOrder} {
		if strings.EqualFold(text, c.String()) {
			return c, nil
		}
	}
	return 0, fmt.Errorf("give %v or %v", arrowsort.Hilbert, arrowsort.ZOrder)
}

// printResult says in a few lines what was done.
func printResult(to io.Writer, r *icebergsort.Result) error {
	var b strings.Builder
	in := fmt.Sprintf("%d files in %d partitions, %d rows, %d bytes", r.FilesIn, r.Partitions, r.Rows, r.BytesIn)
	switch {
	case r.FilesIn == 0 && r.FilesKept > 0:
		fmt.Fprintf(&b, "%s: nothing to do\n", r.Table)
	case r.FilesIn == 0:
		fmt.Fprintf(&b, "%s: no files to rewrite\n", r.Table)
	case r.Committed:
		fmt.Fprintf(&b, "%s: %s\nrewritten as %d files, %d bytes, in snapshot %d\n", r.Table, in, r.FilesOut,
			r.BytesOut, r.Snapshot)
		if r.RowsDeleted > 0 {
			fmt.Fprintf(&b, "%d rows were deleted by delete files and are left out\n", r.RowsDeleted)
		}
	default:
		fmt.Fprintf(&b, "%s\n%s: %s\nwould be rewritten as about %d files\n", strings.Join(r.Files, "\n"), r.Table, in,
			r.FilesOut)
	}
	if r.FilesKept > 0 {
		fmt.Fprintf(&b, "%d files are in this order already and stay\n", r.FilesKept)
	}
	for _, d := range []struct {
		when  string
		depth *icebergsort.Depth
	}{{"before", r.Before}, {"after", r.After}, {"expected", r.Expected}} {
		if d.depth != nil && d.depth.Files+d.depth.Unbounded > 0 {
			fmt.Fprintf(&b, "files with a value of %s, %s: %.1f of %d, %d at most\n", r.Column, d.when, d.depth.Mean,
				d.depth.Files, d.depth.Worst+d.depth.Unbounded)
		}
	}
	_, err := io.WriteString(to, b.String())
	return err
}
