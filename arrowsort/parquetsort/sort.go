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
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// A Result is what a sort did.
type Result struct {
	Inputs       []string // files that were read
	Columns      int
	Outputs      []string // files that were written
	RowsIn       int64    // that were read
	Rows         int64    // that were written
	BytesIn      int64    // of the inputs
	BytesOut     int64    // of the outputs
	Runs         int      // that were spilled and merged; 0: sorted in memory
	BytesSpilled int64    // written to the spill folder
	Plan         string   // what the keys came down to
	Copied       bool     // row group by row group, since the inputs were in order already

	Schema  *arrow.Schema // of the rows
	Preview arrow.Table   // the first Output.Preview rows, which the caller releases; nil: none are wanted
}

// Sort sorts the rows of files, patterns and folders (see Expand) into one file, or with
// Output.RowsPerFile or BytesPerFile into several that are numbered, out-00001.parquet and so on; those with
// higher numbers, which an earlier sort left, are removed. The format goes by the file's name.
// Schemas of the inputs may differ in the order of columns and in nullability. The types of CSV, which is read with
// other CSV only, are those of all values of all inputs; sorted to CSV it keeps the text of its values. An Arrow stream
// from standard input or a named pipe is sorted as it comes if it is the only input. Other formats, and streams among
// several inputs, are copied to SpillDir first.
//
// Inputs that are in order already, each for itself, are merged as by Merge; nothing is sorted or spilled.
//
// Rows that tie keep the order in which they are read. A Parquet output keeps schema, metadata, and column by column
// compression and use of dictionaries of the first input, and names the sort order in the metadata of all row groups.
// It is a complete file or none. An output may replace an input that is given by its name.
func Sort(ctx context.Context, paths []string, output string, opts Options) (*Result, error) {
	return sortOrMerge(ctx, paths, output, opts, false)
}

// sortOrMerge is Sort, or Merge of files that have to be in order.
func sortOrMerge(ctx context.Context, paths []string, output string, opts Options, merge bool) (*Result, error) {
	in, err := beginOutput(ctx, paths, output, opts, !merge)
	if err != nil {
		return nil, err
	}
	defer in.close()
	if in.pipes.stream != nil {
		return in.within(ctx, output, func(s *extsort.Sorter, out *outputs) (*Result, error) {
			return in.sortInto(ctx, s, out)
		})
	}
	result, order, err := in.copyDeclared(ctx, output)
	defer func() { order.release() }()
	if err != nil || result != nil {
		return result, err
	}
	if !merge && len(in.paths) == 1 && in.csv == nil && !in.opts.splits() && in.holds(output) {
		order.release()
		result, err := in.sortTable(ctx, output)
		if in.opts.readLimit == 0 || !errors.Is(err, tablefile.ErrLimit) {
			return result, err
		}
		order = nil // what takes more memory than its metadata say is read in pieces
	}
	if order == nil {
		if order, err = in.order(ctx); err != nil {
			return nil, err
		}
	}
	if merge && order.unsorted != nil {
		return nil, order.err(ctx, in)
	}
	return in.within(ctx, output, func(s *extsort.Sorter, out *outputs) (*Result, error) {
		if order.unsorted == nil {
			return in.mergeInto(ctx, s, order, out)
		}
		return in.sortInto(ctx, s, out)
	})
}

// holds reports whether the one input and the output can be in memory as tables.
func (in *inputs) holds(output string) bool {
	bytes := in.table
	if opts, err := in.opts.writing(output); err == nil && opts.Format == tablefile.Parquet {
		bytes = in.compact
	}
	return in.opts.budget().Holds(bytes)
}

// within opens a sorter and the output, calls use, and commits or removes the output.
func (in *inputs) within(ctx context.Context, output string,
	use func(s *extsort.Sorter, out *outputs) (*Result, error)) (*Result, error) {
	s, err := extsort.New(ctx, in.schema, in.opts.spilling())
	if err != nil {
		return nil, err
	}
	var result *Result
	out, err := in.outputs(ctx, output, s.Schema())
	if err == nil {
		defer out.abort()
		out.useDictionaries(in)
		out.selectColumns(in.written)
		result, err = use(s, out)
	}
	if closing := s.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return nil, err
	}
	result.Runs, result.BytesSpilled = s.Spilled()
	return in.finish(result, out, in.writtenSchema())
}

// finish gives the outputs their names, and completes the result.
func (in *inputs) finish(result *Result, out *outputs, schema *arrow.Schema) (_ *Result, err error) {
	result.Inputs, result.BytesIn, result.Columns = in.paths, in.bytes, in.columns
	result.Outputs, result.Schema = out.paths, schema
	known := int64(-1)
	if in.common != nil { // the inputs were opened
		known = in.rows
	}
	if err := out.checkRows(known, result.RowsIn); err != nil {
		return nil, err
	}
	if result.BytesOut, err = out.commit(); err == nil {
		result.Preview = out.head.table(schema)
	}
	return result, err
}

// sortInto sorts all rows of the inputs.
func (in *inputs) sortInto(ctx context.Context, s *extsort.Sorter, out *outputs) (*Result, error) {
	read := func(_ int, table arrow.Table) error {
		if err := out.dictionaries.Collect(ctx, table, in.opts.sorting()); err != nil {
			return err
		}
		return s.Add(table)
	}
	from := *in
	from.flat = s.Recycler()
	if err := from.each(ctx, PhaseRead, read); err != nil {
		return nil, err
	}
	in.bytes = from.bytes
	if err := out.dictionaries.Join(in.opts.Run.Allocator); err != nil {
		return nil, err
	}
	sorted, err := s.Stream()
	if err != nil {
		return nil, err
	}
	defer sorted.Close()
	plan, err := s.Plan()
	if err != nil {
		return nil, err
	}
	if err := out.order(in.sorting(plan)); err != nil {
		return nil, err
	}
	return writeAll(ctx, s, out, sorted)
}

// order begins the first file, of rows in an order.
func (o *outputs) order(sorting []tablefile.SortingColumn) error {
	o.options.Sorting = sorting
	return o.begin()
}

// writeAll writes the rows of a sorter.
func writeAll(ctx context.Context, s *extsort.Sorter, out *outputs, sorted extsort.TableStream) (*Result, error) {
	plan, err := s.Plan()
	if err != nil {
		return nil, err
	}
	s.StartWriting()
	rows, err := writeAhead(ctx, sorted, out, s.Wrote)
	if err != nil {
		return nil, err
	}
	if err := out.finish(); err != nil {
		return nil, err
	}
	return &Result{RowsIn: s.Rows(), Rows: rows, Plan: plan.String()}, nil
}

// outputs returns the outputs for the inputs, with files of a schema, of which none is begun.
func (in *inputs) outputs(ctx context.Context, path string, schema *arrow.Schema) (*outputs, error) {
	o := &outputs{ctx: ctx, path: path, schema: schema, head: head{opts: in.opts}}
	o.closing.SetLimit(syncs)
	var err error
	if o.options, err = in.opts.writing(path); err == nil && o.options.Format == tablefile.Parquet {
		o.options.Schema, o.options.Layout, o.options.PageRows = in.schema, in.layout, in.opts.Output.PageRows
		o.options.RowGroupRows = maxGroupRows // a table that is written is a row group
	}
	return o, err
}

// checkWritten makes sure, before rows are sorted, that the output can hold the columns that are written. Errors name
// the first file of several.
func (in *inputs) checkWritten(ctx context.Context, path, first string) error {
	out, err := in.outputs(ctx, path, in.schema)
	if err != nil {
		return err
	}
	out.selectColumns(in.written)
	out.options.Name = first
	return tablefile.CheckSchema(ctx, path, out.schema, out.options)
}

// maxGroupRows is more than any table that is written has.
const maxGroupRows = 1<<31 - 1

// writeAhead writes sorted rows while the next are merged, and returns their number.
func writeAhead(ctx context.Context, sorted extsort.TableStream, out *outputs,
	wrote func(rows int64)) (done int64, err error) {
	next := func(ctx context.Context) (arraydata.Piece, error) {
		table, err := sorted.Next(ctx)
		return arraydata.Piece{Table: table}, err
	}
	err = arraydata.Prefetch(ctx, next, func(ctx context.Context, p arraydata.Piece) error {
		err := out.write(ctx, p.Table)
		done += p.NumRows()
		wrote(p.NumRows())
		return err
	})
	return done, err
}

// Argsort writes the row numbers of one input in sorted order: a column "index" of type uint64. Row numbers count from
// 0. The keys are read into memory.
// Limit keeps the first of them; Tail, Unique, Columns, RowsPerFile and BytesPerFile are ErrOption.
func Argsort(ctx context.Context, path, output string, opts Options) (*Result, error) {
	if opts.filters() || opts.splits() || len(opts.Input.Columns) > 0 {
		return nil, fmt.Errorf("%w: Argsort writes the numbers of all rows, or of the first Limit, to one file; "+
			"leave out Tail, Unique, Columns, RowsPerFile and BytesPerFile", errOption)
	}
	in, err := oneInput(ctx, path, output, opts)
	if err != nil {
		return nil, err
	}
	defer in.close()
	out, err := in.outputs(ctx, output, indexSchema)
	if err != nil {
		return nil, err
	}
	defer out.abort()
	l, err := in.load(ctx, true, 0)
	if err != nil {
		return nil, err
	}
	defer l.release()
	rows, err := l.indices(ctx)
	if err != nil {
		return nil, err
	}
	numbers := array.NewTableFromSlice(indexSchema, [][]arrow.Array{{rows}})
	defer numbers.Release()
	if err := out.whole(ctx, numbers, nil); err != nil {
		return nil, err
	}
	result := &Result{RowsIn: l.rows.NumRows(), Rows: numbers.NumRows(), Plan: l.plan.String()}
	return in.finish(result, out, indexSchema)
}

var indexSchema = arrow.NewSchema([]arrow.Field{{Name: "index", Type: arrow.PrimitiveTypes.Uint64}}, nil)

// oneInput returns the one input, which was not opened yet, for an output; none when that is empty.
func oneInput(ctx context.Context, path, output string, opts Options) (*inputs, error) {
	in, err := newInputs(ctx, []string{path}, opts)
	if err != nil {
		return nil, err
	}
	if len(in.paths) > 1 {
		return nil, fmt.Errorf("%w: %s is %d files; give one", errOption, path, len(in.paths))
	}
	if output != "" {
		if err := tablefile.CheckTarget(output); err != nil {
			return nil, err
		}
	}
	if err := in.openPipes(ctx, false); err != nil {
		in.close()
		return nil, err
	}
	return in, nil
}
