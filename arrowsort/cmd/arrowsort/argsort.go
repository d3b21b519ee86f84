package main

import (
	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

func newArgsort(s streams) *cobra.Command {
	var in inputFlags
	var out outputFlags
	cmd := &cobra.Command{
		Use:   "argsort -k COLUMN [-o OUTPUT] INPUT",
		Short: "Write the row numbers in sorted order",
		Long: `Write the row numbers in sorted order: one column "index" of type uint64. Row numbers count from 0 over the whole input;
taking the input's rows in this order sorts it.

` + keysHelp + "\n\n" + compressionHelp + "\n\n" + csvHelp + "\n\n" + exitHelp,
		Example: `  arrowsort argsort -k delay:desc -o order.arrow flights.parquet`,
		Args:    oneInput,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := in.parse(s, cmd, args, &out); err != nil {
				return err
			}
			return startJob(s, "argsort", in.files, &in.jobFlags).write(&in, &out,
				func(opts parquetsort.Options, output string) (*parquetsort.Result, error) {
					return parquetsort.Argsort(cmd.Context(), args[0], output, opts)
				})
		},
	}
	in.add(cmd, "write the first `N` row numbers of the sorted order; 0 for all")
	in.addEngine(cmd)
	out.add(cmd)
	return cmd
}
