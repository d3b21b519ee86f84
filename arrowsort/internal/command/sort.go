package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

func newSort(s streams) *cobra.Command {
	c := &command{streams: s}
	cmd := &cobra.Command{
		Use:   "sort -k COLUMN [-o OUTPUT] INPUT...",
		Short: "Sort files by one or more columns",
		Long: `Sort files by one or more columns. Rows that tie keep their order. INPUT and OUTPUT are Parquet
(.parquet), Arrow IPC files (.arrow, .feather), Arrow IPC streams (.arrows, and - for standard input and output) or CSV
(.csv, .tsv). The output is written under a temporary name and renamed when it is complete. Output that is open already,
such as /dev/stdout, is written directly. A sorted Parquet file keeps schema, metadata and compression of the input, and
its footer names the order. A file that is named twice is read twice.

Inputs may be larger than memory, and may be many: INPUT is then a file, a pattern in quotes (** stands for any number
of folders, as in 'data/**/*.parquet') or a folder of Parquet and Arrow files, and rows that tie keep the order of the
files. What does not fit in --memory is sorted in runs, spilled to
--spill-dir and merged. Standard input is copied to --spill-dir first, unless it is the only input and an Arrow stream;
so is compressed CSV. CSV is sorted with other CSV only; CSV output keeps the text of its values, but for quotes that
are not needed.

With --partition-by OUTPUT is a folder, empty or not there, which gets a folder for each value of the column, such as
origin=ORD/part-00001.parquet. The files in it are sorted and lack the column, which readers take from the names. All
folders get their names at the end. --overwrite replaces partitions that are there already, and no others.

` + curveHelp + "\n\n" + keysHelp + "\n\n" + compressionHelp + "\n\n" + csvHelp + "\n\n" + exitHelp,
		Example: `  arrowsort sort -k delay:desc -k date -o sorted.parquet flights.parquet
  arrowsort sort -k origin:nulls-first --preview 10 flights.parquet
  arrowsort sort --curve hilbert -k origin -k date -o clustered.parquet flights.parquet
  arrowsort sort -k date --memory 1GiB --rows-per-file 10000000 -o sorted.parquet 'flights/*.parquet'
  arrowsort sort -k date --partition-by origin -o by-origin flights.parquet
  arrowsort sort -k origin -k date:desc --unique --select origin,date -o latest.parquet flights.parquet
  arrowsort sort -k '#2' --output-format csv -o - flights.arrow`,
		Args: someInputs,
	}
	c.writes(cmd, parquetsort.Sort)
	c.add(cmd, "keep the first `N` rows of the sorted order; 0 for all")
	c.addCurve(cmd, "sort along a space-filling `CURVE` over 2 to 8 keys: hilbert or zorder")
	c.addEngine(cmd)
	c.addSpill(cmd)
	c.addSelection(cmd)
	c.addOutput(cmd)
	c.addPartitions(cmd)
	return cmd
}

func newMerge(s streams) *cobra.Command {
	c := &command{streams: s, commandFlags: commandFlags{keysOptional: true}}
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
	c.writes(cmd, parquetsort.Merge)
	c.add(cmd, "keep the first `N` rows of the merged order; 0 for all")
	c.addOutput(cmd)
	c.addSpill(cmd)
	c.addSelection(cmd)
	return cmd
}

func newArgsort(s streams) *cobra.Command {
	c := &command{streams: s}
	cmd := &cobra.Command{
		Use:   "argsort -k COLUMN [-o OUTPUT] INPUT",
		Short: "Write the row numbers in sorted order",
		Long: `Write the row numbers in sorted order: one column "index" of type uint64. Row numbers count from 0 over
the whole input; taking the input's rows in this order sorts it.

` + keysHelp + "\n\n" + compressionHelp + "\n\n" + csvHelp + "\n\n" + exitHelp,
		Example: `  arrowsort argsort -k delay:desc -o order.arrow flights.parquet`,
		Args:    oneInput,
	}
	c.writes(cmd, func(ctx context.Context, inputs []string, output string,
		opts parquetsort.Options) (*parquetsort.Result, error) {
		return parquetsort.Argsort(ctx, inputs[0], output, opts)
	})
	c.add(cmd, "write the first `N` row numbers of the sorted order; 0 for all")
	c.addEngine(cmd)
	c.addOutput(cmd)
	return cmd
}
