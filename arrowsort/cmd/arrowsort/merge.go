package main

import (
	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// mergeName is the command that does not sort.
const mergeName = "merge"

func newMerge(s streams) *cobra.Command {
	var in inputFlags
	var out outputFlags
	in.keysOptional = true
	cmd := &cobra.Command{
		Use:   "merge [-k COLUMN] -o OUTPUT INPUT...",
		Short: "Merge sorted files",
		Long: `Merge files that are sorted already, each by the same keys: a file, a pattern in quotes or a folder
each. Rows are read side by side and nothing is sorted again. Rows that tie keep the order of the files. A file that is
not in order is an error that names the row. Without -k the files are merged by the order that Parquet files name in
their footers, which has to be the same in all.

Files are merged within --memory; only more of them than fit side by side are spilled to --spill-dir. The output is as that
of arrowsort sort.

` + keysHelp + "\n\n" + compressionHelp + "\n\n" + exitHelp,
		Example: `  arrowsort merge -o all.parquet 'sorted/*.parquet'
  arrowsort merge -k date -k delay:desc --rows-per-file 10000000 -o all.parquet monday.parquet tuesday.parquet`,
		Args: someInputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := in.parse(s, cmd, args, &out); err != nil {
				return err
			}
			if err := in.claimedKeys(cmd.Context()); err != nil {
				return err
			}
			return startJob(s, mergeName, in.files, &in.jobFlags).write(&in, &out,
				func(opts parquetsort.Options, output string) (*parquetsort.Result, error) {
					return parquetsort.Merge(cmd.Context(), args, output, opts)
				})
		},
	}
	in.add(cmd, "keep the first `N` rows of the merged order; 0 for all")
	out.add(cmd)
	in.addSpill(cmd)
	in.addWanted(cmd)
	return cmd
}
