// Package parquetsort sorts Parquet and Arrow files of any size within a memory budget.
//
// Sort reads one or many files and writes one or many: rows that tie keep their order, files in the order in which they
// are given. A table of at most 40 % of the budget is sorted in memory. What is larger is sorted run by run; the
// runs are spilled as Arrow streams to a folder and merged, by codes that compare as the keys do. Files that are in
// order already are merged as they are. A Sorter does the same for record batches from anywhere.
//
// Outputs are complete or absent, inputs are never written to. The spill folder is removed at the end; one that a
// killed process left behind is removed by the next sort that spills beside it.
package parquetsort

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/output"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/roworder"
)

// Sort sorts the rows of files, patterns and folders (see Expand) into one file, or with
// Output.RowsPerFile or BytesPerFile into several that are numbered, out-00001.parquet and so on; those with
// higher numbers, which an earlier sort left, are removed. The format goes by the file's name.
// Schemas of the inputs may differ in the order of columns and in nullability. The types of CSV, which is read with
// other CSV only, are those of all values of all inputs; sorted to CSV it keeps the text of its values. An Arrow stream
// from standard input or a named pipe is sorted as it comes if it is the only input. Other formats, and streams among
// several inputs, are copied to SpillDir first.
//
// With Output.PartitionBy the output is a folder, which is empty or not there, and the rows of each value of the
// columns are sorted into a folder in it: origin=ORD/part-00001.parquet, or of two columns year=2001/origin=ORD, as
// Hive, Spark, DuckDB, Polars and Arrow name and read them. Null is __HIVE_DEFAULT_PARTITION__; what Hive escapes is
// escaped, / is %2F. Columns of integers, text, booleans, dates, decimals and timestamps without a time zone, also in
// dictionaries, can be partitions. A value that would not be read back is an error. One file at a time is open, and all
// folders get their names at the end: a folder that was not there appears at once. Limit and Tail are ErrOption; Unique
// is that of each partition. The format, if none is given, is Parquet.
//
// Inputs that are in order already, each for itself, are merged as by Merge; nothing is sorted or spilled.
//
// With Rows.Limit or Rows.Tail, the row groups of Parquet inputs, and the pages in them, that cannot hold wanted rows
// are not read, by the bounds of the first key in footers and page indexes. Rows of the others that are not within
// their bounds are ErrCorrupt.
//
// Rows that tie keep the order in which they are read. A Parquet output keeps schema, metadata, and column by column
// compression and use of dictionaries of the first input, and names the sort order in the metadata of all row groups.
// It is a complete file or none. An output may replace an input that is given by its name.
//
// With Options.Curve the rows follow a space-filling curve, as arrowsort.CurveIndex numbers them; rows of one place
// keep the order in which they are read. The keys are read first, for a sample; so standard input and named pipes are
// copied to SpillDir. The row groups name no sort order. The metadata of Parquet outputs name the curve for Check,
// unless a key is not among the columns that are written.
func Sort(ctx context.Context, paths []string, output string, opts Options) (*Result, error) {
	return sortOrMerge(ctx, paths, output, opts, false)
}

// Merge merges files, patterns and folders as Sort does, but each file has to be sorted by the keys already. The keys
// are read first to make sure of it: ErrUnsorted names the file and the first row that sorts before the one above it.
// Schemas, order of ties, outputs and their metadata are those of Sort.
//
// Rows are read side by side and nothing is sorted or spilled, unless more files overlap than fit in the budget: then
// some are merged to runs first. Of Parquet files that do not overlap the row groups are copied, byte by byte, if the
// output is to have their columns and compression, one file, and no other row groups, pages, limit or rows per file are
// asked for.
func Merge(ctx context.Context, paths []string, output string, opts Options) (*Result, error) {
	return sortOrMerge(ctx, paths, output, opts, true)
}

// sortOrMerge is Sort, or Merge of files that have to be in order.
func sortOrMerge(ctx context.Context, paths []string, output string, opts Options, merge bool) (*Result, error) {
	j, err := openJob(ctx, paths, output, opts, merge)
	if err != nil {
		return nil, err
	}
	defer j.files.Close()
	switch {
	case j.opts.Curve != 0:
		return j.sortAlong(ctx)
	case j.files.IsStream():
		return j.sortRuns(ctx, j.rows, nil)
	}
	result, order, err := j.copyDeclared(ctx)
	defer func() { order.Release() }()
	if err != nil || result != nil {
		return result, err
	}
	if !merge && j.files.CSV == nil && j.strategy(nil).InMemory {
		order.Release()
		result, err := j.sortTable(ctx)
		if !j.rereads(err) {
			return result, err
		}
		order = nil
	}
	if extsort.HasRandom(j.rows.Keys) { // no rows are in that order
		return j.sortRuns(ctx, j.rows, nil)
	}
	if order == nil {
		order, err = roworder.Measure(ctx, j.files, j.rows, j.opts.sorting(), j.opts.progress(PhaseCheck))
		if err != nil {
			return nil, err
		}
	}
	switch strategy := j.strategy(order); {
	case strategy.InOrder:
		return j.mergeFiles(ctx, order, strategy.fanIn)
	case merge:
		return nil, unsorted(ctx, j.files, j.keyColumns, order.Unsorted)
	}
	return j.sortRuns(ctx, j.rows, nil)
}

// rereads reports whether rows that could not be sorted as a table are read in batches: they take more memory than
// their metadata say, or have more different values than the indices into one dictionary number, which the output has
// no use for.
func (j *job) rereads(err error) bool {
	return j.limited && errors.Is(err, tablefile.ErrLimit) ||
		errors.Is(err, take.ErrDictionary) && !j.target.KeepsDictionaries()
}

// strategy is how the files are sorted: see chooseStrategy.
func (j *job) strategy(order *roworder.Sortedness) Strategy {
	return chooseStrategy(j.files, j.rows, &j.opts, j.target.Write.Format, order)
}

// sortRuns sorts all rows run by run. Runs are spilled if they are several. read are the columns that are read; code,
// if it is not nil, makes the columns of the job of a batch of them.
func (j *job) sortRuns(ctx context.Context, read dataset.Projection,
	code func(batch arrow.Table) (arrow.Table, error)) (*Result, error) {
	j.opts.Run.startEngine(j.rowsOfRun())
	result, err := j.withSorter(ctx, func(s *extsort.Sorter, out *output.Files) (*Result, error) {
		scan := dataset.ScanOptions{Columns: read, Pool: s.Recycler(), Progress: j.opts.progress(PhaseRead)}
		bytes, err := j.files.Scan(ctx, scan, func(_ int, batch arrow.Table) error {
			if code != nil {
				coded, err := code(batch)
				if err != nil {
					return err
				}
				defer coded.Release()
				batch = coded
			}
			if err := out.Dictionaries.Collect(ctx, batch, j.opts.sorting()); err != nil {
				return err
			}
			return s.Add(batch)
		})
		if err != nil {
			return nil, err
		}
		if err := out.Dictionaries.Join(j.opts.Run.Allocator); err != nil {
			return nil, err
		}
		result, err := writeRuns(ctx, s, out, j.opts.Output.RowGroupRows, j.rows)
		if err == nil {
			result.BytesIn = bytes
		}
		return result, err
	})
	if !errors.Is(err, errkind.ErrSpillFull) || j.files.IsStream() {
		return result, err
	}
	return nil, fmt.Errorf("%w; the sort spills about %.1f MB without compression, less within more memory", err,
		float64(j.strategy(nil).BytesSpilled)/1e6)
}
