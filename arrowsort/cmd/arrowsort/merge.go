package main

import (
	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// mergeName is the command that does not sort.
const mergeName = "merge"

func newMerge(s streams) *cobra.Command {
	j := &job{streams: s, jobFlags: jobFlags{keysOptional: true}}
	cmd := &cobra.Command{
		Use:   "merge [-k COLUMN] -o OUTPUT INPUT...",
		Short: "Merge sorted files",
		Long: `Merge files that are sorted already, all by the same keys: files, patterns in quotes or
folders. Rows that tie keep the order of the files. A file that is not in order is an error that names the row. Without
-k the files are merged by the order that the footers of Parquet files name, which must be the same in all.

The files are merged within --memory. Only when there are more than can be merged at once, some are spilled to
--spill-dir. Outputs are those of arrowsort sort.

` + keysHelp + "\n\n" + compressionHelp + "\n\n" + exitHelp,
		Example: `  arrowsort merge -o all.parquet 'sorted/*.parquet'
  arrowsort merge -k date -k delay:desc --rows-per-file 10000000 -o all.parquet monday.parquet tuesday.parquet`,
		Args: someInputs,
	}
	j.writes(cmd, parquetsort.Merge)
	j.add(cmd, "keep the first `N` rows of the merged order; 0 for all")
	j.addOutput(cmd)
	j.addSpill(cmd)
	j.addSelection(cmd)
	return cmd
}
