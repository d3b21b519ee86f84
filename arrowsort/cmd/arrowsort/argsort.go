package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// argsortName is the command that writes no rows.
const argsortName = "argsort"

func newArgsort(s streams) *cobra.Command {
	j := &job{streams: s}
	cmd := &cobra.Command{
		Use:   "argsort -k COLUMN [-o OUTPUT] INPUT",
		Short: "Write the row numbers in sorted order",
		Long: `Write the row numbers in sorted order: one column "index" of type uint64. Row numbers count from 0 over
the whole input; taking the input's rows in this order sorts it.

` + keysHelp + "\n\n" + compressionHelp + "\n\n" + csvHelp + "\n\n" + exitHelp,
		Example: `  arrowsort argsort -k delay:desc -o order.arrow flights.parquet`,
		Args:    oneInput,
	}
	j.writes(cmd, func(ctx context.Context, inputs []string, output string,
		opts parquetsort.Options) (*parquetsort.Result, error) {
		return parquetsort.Argsort(ctx, inputs[0], output, opts)
	})
	j.add(cmd, "write the first `N` row numbers of the sorted order; 0 for all")
	j.addEngine(cmd)
	j.addOutput(cmd)
	return cmd
}
