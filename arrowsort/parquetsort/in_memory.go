package parquetsort

import (
	"cmp"
	"context"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A loaded is an input that was read as a whole.
type loaded struct {
	*tablefile.Input
	rows  arrow.Table // the input with positions in place of missing names
	opts  *Options
	plan  *keyencode.Plan // of the sort
	order *array.Uint64   // the row numbers in sorted order; nil: they were not found
}

// load reads the one input: the columns that are chosen or, when it was not opened yet, those of the keys. The caller
// releases what it returns.
func (in *inputs) load(ctx context.Context, dictionaries bool, limit int64) (*loaded, error) {
	path := in.paths[0]
	read := in.reading(path)
	read.Dictionaries, read.MemoryLimit = dictionaries, limit
	if in.formatOf(path) == tablefile.CSV {
		read.CSV = in.opts.csvSchema()
	}
	read.Start = func() { in.opts.Run.Progress(PhaseLoad, 0, 0) }
	read.Progress = in.opts.progress(PhaseLoad)
	read.Schema = func(schema *arrow.Schema) ([]int, error) {
		if in.schema == nil {
			in.schema, in.columns = schema, schema.NumFields()
			in.warnFile(path, read.CSV)
			if err := in.findKeys(ctx); err != nil {
				return nil, withHint(read.CSV, err)
			}
			in.warnKeys(read.CSV)
			in.readKeysOnly()
		}
		chosen := in.projectionOf(schema)
		return chosen, in.checkSchema(path, arraydata.Pick(schema, chosen))
	}
	input, err := tablefile.Read(ctx, in.pipes.file(path), read)
	if err != nil {
		return nil, withColumns(err)
	}
	in.bytes = input.Bytes
	names := arraydata.Pick(arraydata.Labelled(input.Schema), input.Columns)
	return &loaded{Input: input, rows: arraydata.WithNames(input.Table, names), opts: in.opts}, nil
}

func (l *loaded) release() {
	if l.order != nil {
		l.order.Release()
	}
	l.rows.Release()
	l.Table.Release()
}

// indices returns the numbers of the rows in sorted order, all or the leading ones that are wanted, until release.
func (l *loaded) indices(ctx context.Context) (_ *array.Uint64, err error) {
	l.order, err = arrowsort.SortIndices(ctx, l.rows, l.opts.Keys, l.sorting())
	return l.order, err
}

// sorting returns the options to sort the input.
func (l *loaded) sorting() arrowsort.Options {
	l.opts.Run.Progress(PhaseSort, 0, 0)
	opts := l.opts.sorting()
	opts.Progress = l.opts.progress(PhaseSort)
	if !l.opts.Rows.Unique {
		opts.Limit = int(min(l.opts.Rows.Limit, math.MaxInt))
	}
	opts.Engine = planEngine{cmp.Or(l.opts.Run.Engine, cpu.New()), &l.plan}
	return opts
}

// planEngine is an engine that keeps the plan of its last sort.
type planEngine struct {
	engine.Engine
	plan **keyencode.Plan
}

func (e planEngine) Sort(ctx context.Context, job *engine.Job, mem engine.Allocator) (*engine.Result, error) {
	planned := *job
	planned.Plan = true
	result, err := e.Engine.Sort(ctx, &planned, mem)
	if err == nil {
		*e.plan = result.Plan
	}
	return result, err
}

// sorted returns the sorted rows: all that are wanted, in this order, or a table and the numbers of those rows. Rows of
// a Parquet output are gathered row group by row group when they are written, so that there are never two tables in
// memory.
func (l *loaded) sorted(ctx context.Context, format tablefile.Format) (arrow.Table, []uint64, error) {
	if format != tablefile.Parquet && !l.opts.filters() {
		sorted, err := arrowsort.Sort(ctx, l.rows, l.opts.Keys, l.sorting())
		return sorted, nil, err
	}
	indices, err := l.indices(ctx)
	if err != nil {
		return nil, nil, err
	}
	rows, err := l.wanted(ctx, indices.Uint64Values())
	if err != nil {
		return nil, nil, err
	}
	l.rows.Retain()
	return l.rows, rows, nil
}

// wanted returns the numbers of those rows of a table, in sorted order, that the options want: of each key the first,
// then the leading or the last of them.
func (l *loaded) wanted(ctx context.Context, sorted []uint64) ([]uint64, error) {
	if l.opts.Rows.Unique && len(sorted) > 0 {
		var err error
		if sorted, err = extsort.FirstOfEachKey(ctx, l.rows, sorted, l.opts.Keys, l.opts.Run.Allocator); err != nil {
			return nil, err
		}
	}
	all := int64(len(sorted))
	if n := l.opts.Rows.Limit; n > 0 {
		sorted = sorted[:min(n, all)]
	}
	if n := l.opts.Rows.Tail; n > 0 {
		sorted = sorted[max(all-n, 0):]
	}
	return sorted, nil
}

// sortTable sorts the one input as a table.
func (in *inputs) sortTable(ctx context.Context, output string) (*Result, error) {
	out, err := in.outputs(ctx, output, in.schema)
	if err != nil {
		return nil, err
	}
	defer out.abort()
	limit := int64(0)
	if in.opts.readLimit > 0 {
		limit = in.opts.budget().Load()
	}
	l, err := in.load(ctx, out.options.Format == tablefile.Parquet, limit)
	if err != nil {
		return nil, err
	}
	defer l.release()
	sorted, rows, err := l.sorted(ctx, out.options.Format)
	if err != nil {
		return nil, err
	}
	defer sorted.Release()
	out.options.Sorting = in.sorting(l.plan)
	named := arraydata.WithNames(sorted, in.schema)
	defer named.Release()
	written := arraydata.PickTable(named, in.written)
	defer written.Release()
	if out.options.Schema != nil {
		out.options.Schema = in.writtenSchema()
	}
	if err := out.whole(ctx, written, rows); err != nil {
		return nil, err
	}
	result := &Result{RowsIn: l.rows.NumRows(), Rows: written.NumRows(), Plan: l.plan.String()}
	if rows != nil {
		result.Rows = int64(len(rows))
	}
	return in.finish(result, out, in.writtenSchema())
}

// whole writes rows of a table to the one file, in the order of their numbers; all without numbers.
func (o *outputs) whole(ctx context.Context, table arrow.Table, rows []uint64) error {
	opts := o.head.opts
	opts.Run.Progress(PhaseSave, 0, 0)
	o.options.Progress = opts.progress(PhaseSave)
	if o.options.Format == tablefile.Parquet {
		o.options.RowGroupRows = cmp.Or(opts.Output.RowGroupRows, int(opts.budget().TableGroup(table)))
	}
	table.Retain()
	defer func() { table.Release() }()
	if rows != nil && o.options.Format != tablefile.Parquet {
		taken, err := extsort.TakeRows(ctx, table, rows, opts.sorting())
		if err != nil {
			return err
		}
		table.Release()
		table, rows = taken, nil
	}
	at, err := o.target(o.path)
	if err != nil {
		return err
	}
	o.options.Name, o.options.Rows, o.paths = o.path, rows, []string{o.path}
	bytes, err := tablefile.Write(ctx, at, table, o.options)
	if err != nil {
		return err
	}
	o.total.Add(bytes)
	if o.rows = int64(len(rows)); rows == nil {
		o.rows = table.NumRows()
		return o.head.add(ctx, table)
	}
	first, err := extsort.TakeRows(ctx, table, rows[:min(opts.Output.Preview, int64(len(rows)))], opts.sorting())
	if err != nil {
		return err
	}
	defer first.Release()
	return o.head.add(ctx, first)
}
