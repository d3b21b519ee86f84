package main

import (
	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

func newSort(s streams) *cobra.Command {
	j := &job{streams: s}
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

` + keysHelp + "\n\n" + compressionHelp + "\n\n" + csvHelp + "\n\n" + exitHelp,
		Example: `  arrowsort sort -k delay:desc -k date -o sorted.parquet flights.parquet
  arrowsort sort -k origin:nulls-first --preview 10 flights.parquet
  arrowsort sort -k date --memory 1GiB --rows-per-file 10000000 -o sorted.parquet 'flights/*.parquet'
  arrowsort sort -k origin -k date:desc --unique --select origin,date -o latest.parquet flights.parquet
  arrowsort sort -k '#2' --output-format csv -o - flights.arrow`,
		Args: someInputs,
	}
	j.writes(cmd, parquetsort.Sort)
	j.add(cmd, "keep the first `N` rows of the sorted order; 0 for all")
	j.addEngine(cmd)
	j.addSpill(cmd)
	j.addSelection(cmd)
	j.addOutput(cmd)
	return cmd
}
