package parquetsort

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
	"github.com/arrowsort/arrowsort/keyencode"
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

	Schema *arrow.Schema // of the rows
	Head   arrow.Table   // the first Options.Head rows of the output, which the caller releases; nil: none are wanted
}

// Sort sorts the rows of Parquet and Arrow files, patterns and folders (see Expand) into one file, or with
// Options.RowsPerFile or BytesPerFile into several that are numbered, out-00001.parquet and so on; those with the next
// numbers, which an earlier sort left, are removed. The format goes by the file's name.
// Schemas of the inputs may differ in the order of columns and in nullability.
//
// Inputs that are in order already, each for itself, are merged as by Merge; nothing is sorted or spilled.
//
// Rows that tie keep the order in which they are read. A Parquet output keeps schema, metadata, and column by column
// compression and use of dictionaries of the first input, and names the sort order in the metadata of all row groups.
// It is a complete file or none. An output may replace an input that is given by its name.
func Sort(ctx context.Context, paths []string, output string, opts Options) (*Result, error) {
	in, err := beginOutput(ctx, paths, output, opts)
	if err != nil {
		return nil, err
	}
	if in.whole || len(in.paths) == 1 && !in.opts.splits() && (budget{in.opts.Memory}).holds(in.memory) {
		return in.copyOrTable(ctx, output)
	}
	return in.byOrder(ctx, output, func(s *Sorter, order *fileOrder, out *outputs) (*Result, error) {
		if order.unsorted == nil {
			return s.mergeInto(in, order, out)
		}
		return s.sortInto(in, out)
	})
}

// byOrder copies the inputs if they are in order as they are given. Else use writes them and is passed their order.
func (in *inputs) byOrder(ctx context.Context, output string,
	use func(s *Sorter, order *fileOrder, out *outputs) (*Result, error)) (*Result, error) {
	if err := in.selectColumns(); err != nil {
		return nil, err
	}
	copied, order, err := in.copyOrOrder(ctx, output)
	defer order.release()
	if err != nil || copied != nil {
		return copied, err
	}
	return in.within(ctx, output, func(s *Sorter, out *outputs) (*Result, error) { return use(s, order, out) })
}

// within has use write an output with a sorter.
func (in *inputs) within(ctx context.Context, output string,
	use func(s *Sorter, out *outputs) (*Result, error)) (*Result, error) {
	s, err := NewSorter(ctx, in.schema, *in.opts)
	if err != nil {
		return nil, err
	}
	var result *Result
	out, err := in.outputs(ctx, output)
	if err == nil {
		defer out.abort()
		if err = out.useDictionaries(ctx, in); err == nil {
			out.selectColumns(in.written)
			result, err = use(s, out)
		}
	}
	if closing := s.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return nil, err
	}
	result.Inputs, result.BytesIn, result.Columns = in.paths, in.bytes, s.plain.NumFields()
	result.Outputs, result.Runs, result.BytesSpilled = out.paths, len(s.runs), s.spilled
	if result.BytesOut, err = out.commit(); err == nil {
		result.Schema = arraydata.Pick(in.schema, in.written)
		result.Head = out.head.table(arraydata.Pick(s.plain, in.written))
	}
	return result, err
}

// sortInto sorts all rows of the inputs.
func (s *Sorter) sortInto(in *inputs, out *outputs) (*Result, error) {
	if err := in.readInto(s.recycled).each(s.ctx, s.write); err != nil {
		return nil, err
	}
	sorted, err := s.merged()
	if err != nil {
		return nil, err
	}
	defer sorted.close()
	plan, err := s.stats.plan()
	if err != nil {
		return nil, err
	}
	if err := out.order(in.sorting(plan)); err != nil {
		return nil, err
	}
	return out.all(s.ctx, sorted, plan, s.rows, in.opts)
}

// order begins the first file, of rows in an order.
func (o *outputs) order(sorting []tablefile.SortingColumn) error {
	o.options.Sorting = sorting
	return o.begin()
}

// all writes all rows that there are, of which the total is known, in the order of a plan.
func (o *outputs) all(ctx context.Context, sorted tables, plan *keyencode.Plan, total int64, opts *Options) (*Result,
	error) {
	rows := total
	for _, most := range []int64{opts.Limit, opts.Tail} {
		if most > 0 {
			rows = min(rows, most)
		}
	}
	rows, err := pump(ctx, sorted, o, rows, opts)
	if err != nil {
		return nil, err
	}
	if err := o.finish(); err != nil {
		return nil, err
	}
	return &Result{RowsIn: total, Rows: rows, Plan: plan.String()}, nil
}

// outputs are the outputs for the inputs, of which none is begun.
func (in *inputs) outputs(ctx context.Context, path string) (*outputs, error) {
	plain, err := plainSchema(in.schema)
	if err != nil {
		return nil, err
	}
	o := &outputs{ctx: ctx, path: path, schema: plain, rows: in.opts.RowsPerFile, bytes: in.opts.BytesPerFile,
		head: head{opts: in.opts}}
	o.closing.SetLimit(syncs)
	return o, o.configure(in)
}

// configure makes the options for writing what was read.
func (o *outputs) configure(in *inputs) (err error) {
	if o.options, err = in.opts.writing(o.path); err == nil && o.options.Format == tablefile.Parquet {
		o.options.Schema, o.options.Layout, o.options.PageRows = in.schema, in.layout, in.opts.PageRows
		o.options.RowGroupRows = maxGroupRows // a table that is written is a row group
	}
	return err
}

// maxGroupRows is more than any table that is written has.
const maxGroupRows = 1<<31 - 1

// pump writes sorted rows while the next are merged, and returns their number.
func pump(ctx context.Context, sorted tables, out *outputs, total int64, opts *Options) (done int64, err error) {
	next := func(ctx context.Context) (piece, error) {
		table, err := sorted.next(ctx)
		return piece{Table: table}, err
	}
	err = readAhead(ctx, next, func(ctx context.Context, p piece) error {
		err := out.write(ctx, p.Table)
		done += p.NumRows()
		opts.Progress(PhaseWrite, done, total)
		return err
	})
	return done, err
}
