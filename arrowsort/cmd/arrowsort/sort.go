package main

import (
	"context"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// sortName is the command that needs all columns, not the keys only.
const sortName = "sort"

func newSort(s streams) *cobra.Command {
	var in jobFlags
	var out outputFlags
	var spill spillFlags
	cmd := &cobra.Command{
		Use:   "sort -k COLUMN [-o OUTPUT] INPUT...",
		Short: "Sort files by one or more columns",
		Long: `Sort a file by one or more columns. Rows that tie keep their order. INPUT and OUTPUT are Parquet (.parquet), Arrow IPC
files (.arrow, .feather), Arrow IPC streams (.arrows, and - for standard input and output) or CSV (.csv, .tsv). The output
appears when it is complete: it is written beside its place, synced and renamed. What is open already, such as
/dev/stdout, is written as it comes. A sorted Parquet file keeps schema, metadata and compression of the input,
and names the order in its own metadata.

Parquet and Arrow files may be larger than memory, and may be many: INPUT is then a file, a pattern in quotes or a folder,
and rows that tie keep the order of the files. What does not fit in --memory is sorted piece by piece, spilled to
--spill-dir and merged. CSV and standard input are read into memory, one at a time; CSV and standard output can be of any
size. CSV that is sorted to CSV keeps its values as they are written, but for quotes that are not needed.

` + keysHelp + "\n\n" + compressionHelp + "\n\n" + csvHelp + "\n\n" + exitHelp,
		Example: `  arrowsort sort -k delay:desc -k date -o sorted.parquet flights.parquet
  arrowsort sort -k origin:nulls-first --preview 10 flights.parquet
  arrowsort sort -k date --memory 1GiB --rows-per-file 10000000 -o sorted.parquet 'flights/*.parquet'
  arrowsort sort -k '#2' --output-format csv -o - flights.arrow`,
		Args: someInputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := in.parse(s, args[0], &out); err != nil {
				return err
			}
			pieces, err := spill.parse(cmd, args, &in, &out)
			if err != nil {
				return err
			}
			if pieces {
				e := external{startJob(s, sortName, spill.files[0], &in), &out, parquetsort.PhaseRead, parquetsort.Sort}
				return e.run(cmd.Context(), &spill)
			}
			if done, err := copySorted(cmd.Context(), s, &in, &out, &spill); done {
				return err
			}
			return runSort(cmd.Context(), s, spill.files[0], &in, &out)
		},
	}
	in.add(cmd, "keep the first `N` rows of the sorted order; 0 for all")
	in.addEngine(cmd)
	out.add(cmd)
	spill.add(cmd)
	return cmd
}

func runSort(ctx context.Context, s streams, path string, in *jobFlags, out *outputFlags) error {
	format, err := out.options.Format.Resolve(out.path)
	j, err := newJob(ctx, s, sortName, path, in, out, err == nil && format == tablefile.Parquet)
	if err != nil {
		return err
	}
	defer j.close()
	out.options.Layout, out.options.Schema = j.input.Layout, j.input.Schema
	return j.produce(ctx, out, j.input.Schema, func(opts arrowsort.Options) (arrow.Table, error) {
		if format == tablefile.Parquet && out.path != "" && out.preview == 0 {
			return j.sortIndices(ctx, out, opts)
		}
		sorted, err := arrowsort.Sort(ctx, j.table, j.keys, opts)
		if err != nil {
			return nil, err
		}
		defer sorted.Release()
		out.options.Sorting = j.order
		written := j.written(sorted)
		defer written.Release()
		return withNames(written, j.input.Schema), nil
	})
}

// sortIndices leaves it to the writer to gather the rows, each row group when it is written: so there never are two tables in memory.
func (j *job) sortIndices(ctx context.Context, out *outputFlags, opts arrowsort.Options) (arrow.Table, error) {
	indices, err := arrowsort.SortIndices(ctx, j.table, j.keys, opts)
	if err != nil {
		return nil, err
	}
	out.options.Sorting, out.options.Rows = j.order, indices.Uint64Values()
	return withNames(j.table, j.input.Schema), nil
}

// produce sorts, writes and previews the result, which has the schema, and reports.
func (j *job) produce(ctx context.Context, out *outputFlags, schema *arrow.Schema, sort func(opts arrowsort.Options) (arrow.Table, error)) error {
	engine, closeEngine, err := j.openEngine(j.input.Table.NumRows())
	if err != nil {
		return err
	}
	defer closeEngine()
	var sorted arrow.Table
	err = j.phase("sorting", "by "+strings.Join(j.report.Keys, ", "), &j.report.SortSeconds, func(told func(done, total int)) (err error) {
		opts := j.options(told)
		opts.Engine = engine
		if out.path == "" && (opts.Limit == 0 || opts.Limit > out.preview) {
			opts.Limit = out.preview // nobody sees more
		}
		sorted, err = sort(opts)
		return err
	})
	if err != nil {
		return err
	}
	defer sorted.Release()
	if j.report.RowsOut = sorted.NumRows(); out.options.Rows != nil {
		j.report.RowsOut = int64(len(out.options.Rows))
	}
	if out.path != "" {
		if err := j.write(ctx, sorted, out); err != nil {
			return err
		}
	}
	if out.preview > 0 {
		if err := preview(j.out, sorted, schema, out.preview); err != nil {
			return err
		}
	}
	return j.finish(out.path == tablefile.Pipe)
}

func (j *job) write(ctx context.Context, table arrow.Table, out *outputFlags) error {
	j.report.Output = out.path
	if out.path == tablefile.Pipe && j.outTerminal {
		j.show = newProgress(j.streams, true) // a bar would be drawn among the rows
	}
	return j.phase("writing", displayName(out.path, "standard output"), &j.report.WriteSeconds, func(told func(done, total int)) (err error) {
		out.options.Progress = told
		j.report.BytesOut, err = tablefile.Write(ctx, out.path, table, out.options)
		return err
	})
}
