package parquetsort

import (
	"context"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A loaded is one input in memory.
type loaded struct {
	*tablefile.Input
	rows    arrow.Table // the input with positions in place of missing names
	keys    []arrowsort.Key
	written []int // columns of the rows; nil: all
	opts    *Options
	plan    *keyencode.Plan // of the last sort
}

// load reads the one input: all columns, or those of the keys only. The caller releases what it returns.
func (in *inputs) load(ctx context.Context, read tablefile.ReadOptions, keysOnly bool) (*loaded, error) {
	var columns []int // of the schema that are read
	read.Format, read.Name, read.Delimiter = in.formatOf(in.paths[0]), in.paths[0], in.opts.Delimiter
	read.Allocator, read.Threads, read.MaxRow = in.opts.Allocator, in.opts.Threads, budget{in.opts.Memory}.csvRow()
	read.Start = func() { in.opts.Progress(PhaseLoad, 0, 0) }
	read.Progress = in.opts.progress(PhaseLoad)
	read.Schema = func(schema *arrow.Schema) (_ []int, err error) {
		in.schema, in.columns = schema, schema.NumFields()
		if err := in.findKeys(ctx); err != nil {
			return nil, err
		}
		if !keysOnly {
			if in.written, columns, err = in.selected(); err != nil {
				return nil, err
			}
		}
		if keysOnly {
			return in.keyColumns(), nil
		}
		return columns, nil
	}
	input, err := tablefile.Read(ctx, in.pipes.file(in.paths[0]), read)
	if err != nil {
		return nil, err
	}
	in.bytes = input.Bytes
	l := &loaded{Input: input, keys: slices.Clone(in.opts.Keys), written: in.written, opts: in.opts}
	if in.written != nil && input.Columns != nil {
		l.written = positionsIn(in.written, columns)
	}
	for i, key := range l.keys {
		if key.Path == "" && input.Columns != nil {
			l.keys[i].Index = slices.Index(input.Columns, key.Index)
		}
	}
	l.rows = tablefile.WithNames(input.Table, arraydata.Pick(tablefile.Labelled(input.Schema), input.Columns))
	return l, nil
}

func (l *loaded) release() {
	l.rows.Release()
	l.Table.Release()
}

// sortOptions are the options to sort the input.
func (l *loaded) sortOptions() arrowsort.Options {
	l.opts.Progress(PhaseSort, 0, 0)
	opts := l.opts.sorting()
	opts.Progress = l.opts.progress(PhaseSort)
	if !l.opts.Unique {
		opts.Limit = int(l.opts.Limit)
	}
	opts.OnPlan = func(p *keyencode.Plan) { l.plan = p }
	return opts
}

// write writes a table that was made of the input.
func (in *inputs) write(ctx context.Context, output string, l *loaded, table arrow.Table,
	opts tablefile.WriteOptions) (*Result, error) {
	in.opts.Progress(PhaseSave, 0, 0)
	opts.Progress = in.opts.progress(PhaseSave)
	result := &Result{Inputs: in.paths, Outputs: []string{output}, Columns: l.Schema.NumFields(),
		RowsIn: l.rows.NumRows(),
		Rows:   table.NumRows(), BytesIn: l.Bytes, Plan: l.plan.String()}
	if opts.Rows != nil {
		result.Rows = int64(len(opts.Rows))
	}
	if result.Schema = opts.Schema; opts.Schema == nil {
		result.Schema = table.Schema()
	}
	var place placement
	defer place.remove()
	at, err := place.path(output)
	if err != nil {
		return nil, err
	}
	opts.Name = output
	if result.BytesOut, err = tablefile.Write(ctx, at, table, opts); err != nil {
		return nil, err
	}
	if err := place.place(); err != nil {
		return nil, err
	}
	if in.opts.Head > 0 {
		result.Head, err = l.head(ctx, table, opts.Rows)
	}
	return result, err
}

// head is a copy of the first rows that are wanted of a table, or of its rows with some numbers.
func (l *loaded) head(ctx context.Context, table arrow.Table, rows []uint64) (arrow.Table, error) {
	n := min(l.opts.Head, table.NumRows())
	if rows == nil {
		return slice(table, 0, n), nil
	}
	return takeRows(ctx, table, rows[:min(l.opts.Head, int64(len(rows)))], l.opts)
}

// sortTable sorts the one input as a table. Rows of a Parquet output are gathered row group by row group when they are
// written, so that there are never two tables in memory.
func (in *inputs) sortTable(ctx context.Context, output string) (*Result, error) {
	opts, err := in.opts.writing(output)
	if err != nil {
		return nil, err
	}
	read := tablefile.ReadOptions{Dictionaries: opts.Format == tablefile.Parquet}
	if in.opts.readLimit > 0 {
		read.MemoryLimit = budget{in.opts.Memory}.load()
	}
	l, err := in.load(ctx, read, false)
	if err != nil {
		return nil, err
	}
	defer l.release()
	if opts.Format == tablefile.Parquet {
		opts.Layout, opts.RowGroupRows, opts.PageRows = l.Layout, in.opts.RowGroupRows, in.opts.PageRows
	}
	names := arraydata.Pick(l.Schema, l.Columns)
	opts.Schema = arraydata.Pick(names, l.written)
	named := tablefile.WithNames(l.rows, names)
	defer named.Release()
	rows := pick(named, l.written)
	defer rows.Release()
	if opts.Format != tablefile.Parquet && !in.opts.filters() && l.written == nil {
		return in.sortAndWrite(ctx, output, l, names, opts)
	}
	indices, err := arrowsort.SortIndices(ctx, l.rows, l.keys, l.sortOptions())
	if err != nil {
		return nil, err
	}
	defer indices.Release()
	opts.Sorting = in.sorting(l.plan)
	if opts.Rows, err = l.wanted(ctx, indices.Uint64Values()); err != nil {
		return nil, err
	}
	if opts.Format == tablefile.Parquet {
		return in.write(ctx, output, l, rows, opts)
	}
	sorted, err := takeRows(ctx, rows, opts.Rows, in.opts)
	if err != nil {
		return nil, err
	}
	defer sorted.Release()
	opts.Rows = nil
	return in.write(ctx, output, l, sorted, opts)
}

// sortAndWrite sorts all rows and columns of the input before any is written.
func (in *inputs) sortAndWrite(ctx context.Context, output string, l *loaded, names *arrow.Schema,
	opts tablefile.WriteOptions) (*Result, error) {
	sorted, err := arrowsort.Sort(ctx, l.rows, l.keys, l.sortOptions())
	if err != nil {
		return nil, err
	}
	defer sorted.Release()
	named := tablefile.WithNames(sorted, names)
	defer named.Release()
	return in.write(ctx, output, l, named, opts)
}
