package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// layoutName is the name of the command.
const layoutName = "layout"

// A layoutReport is the JSON output of layout.
type layoutReport struct {
	Command string `json:"command"`
	*parquetsort.LayoutReport
}

// A layoutCommand is one run of layout.
type layoutCommand struct {
	streams
	options parquetsort.LayoutOptions
	json    bool
}

func newLayout(s streams) *cobra.Command {
	c := &layoutCommand{streams: s}
	cmd := &cobra.Command{
		Use:   "layout FILE|FOLDER|PATTERN...",
		Short: "Show which row groups of Parquet files hold which values",
		Long: `Show which row groups of Parquet files hold which values: the zone map of each column, that is the least
and the greatest value of each row group over the files, with the bytes, codecs and encodings of the column.

The bars of a zone map stand for the row groups from the first to the last, from the least value at the bottom to the
greatest at the top: short bars that do not overlap let a reader skip row groups. Depth is the number of row groups
that can hold one value: the mean over the rows, the worst, and of how many. A filter is COLUMN OPERATOR VALUE with one
of the operators = != < <= > >=, or COLUMN is null, COLUMN is not null. Rows pass all filters. For them layout shows
what readers have to read of all columns, by the bounds of row groups alone and by those of pages, too.

FILE is Parquet. Footers and page indexes are read, no rows. docs/layout.md has more.

` + exitHelp,
		Example: `  arrowsort layout flights.parquet
  arrowsort layout --filter 'date >= 2001-03-01' --filter 'origin = ORD' 'flights/*.parquet'
  arrowsort layout --against unsorted.parquet sorted.parquet`,
		Args:       someInputs,
		SuggestFor: []string{"zonemap", "stats", "statistics"},
		RunE:       func(cmd *cobra.Command, args []string) error { return c.show(cmd.Context(), args) },
	}
	flags, o := cmd.Flags(), &c.options
	flags.StringArrayVar(&o.Filters, "filter", nil,
		"show what readers read for rows with `'COLUMN OPERATOR VALUE'`, as in 'date >= 2001-03-01'; may repeat")
	flags.StringArrayVar(&o.Against, "against", nil,
		"compare with the layout of `BEFORE`, files as the inputs; may repeat")
	flags.BoolVar(&o.Pages, "pages", false, "list the pages of each row group in the JSON, too")
	flags.BoolVar(&c.json, "json", false, "print one JSON object")
	return cmd
}

// show prints the layout.
func (c *layoutCommand) show(ctx context.Context, paths []string) error {
	if c.options.Pages && !c.json {
		return usagef("--pages is for --json: add it")
	}
	for _, all := range [][]string{paths, c.options.Against} {
		if err := checkInputPaths(all); err != nil {
			return err
		}
	}
	c.options.Run.Warn = func(text string) {
		if !c.json {
			fmt.Fprintln(c.err, "arrowsort: warning:", printable(text))
		}
	}
	report, err := parquetsort.Layout(ctx, paths, c.options)
	if err != nil {
		return forCommandLine(err)
	}
	if c.json {
		return json.NewEncoder(c.out).Encode(layoutReport{layoutName, report})
	}
	_, err = io.WriteString(c.out, layoutText(report, c.outWidth))
	return err
}
