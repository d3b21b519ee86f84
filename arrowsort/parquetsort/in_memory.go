package parquetsort

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/output"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/roworder"
	"github.com/arrowsort/arrowsort/keyencode"
)

// sortTable sorts the one input as a table. Rows of a Parquet output are gathered row group by row group when they are
// written if some of them are left out, along a curve, and if the table takes more than a tenth of the memory: the sort
// has a second table, whose bits take a byte each meanwhile.
func (j *job) sortTable(ctx context.Context) (*Result, error) {
	isParquet := j.target.Write.Format == tablefile.Parquet
	read := j.opts.loading(isParquet)
	if j.limited {
		read.MemoryLimit = j.files.Budget.Load()
	}
	j.opts.Run.startEngine(j.files.Rows)
	table, err := j.files.ReadTable(ctx, j.rows, read)
	if err != nil {
		return nil, err
	}
	release := sync.OnceFunc(table.Release)
	defer release()
	rowsIn := table.Rows.NumRows()
	var plan *keyencode.Plan
	sorted, numbers, sorting, target := table.Rows, []uint64(nil), j.opts.planning(&plan), j.target
	if j.opts.Curve != 0 {
		indices, order, err := j.rowsAlong(ctx, table.Rows, sorting)
		if err != nil {
			return nil, err
		}
		defer indices.Release()
		numbers = indices.Uint64Values()
		if target.Write.Curve, err = order.Metadata(ctx, j.rows); err != nil {
			return nil, err
		}
	} else if j.opts.Rows.Unique || j.opts.Rows.Tail > 0 ||
		isParquet && !j.files.Budget.Holds(4*j.strategy(nil).Table) {
		indices, err := arrowsort.SortIndices(ctx, table.Rows, j.rows.Keys, sorting)
		if err != nil {
			return nil, err
		}
		defer indices.Release()
		if numbers, err = j.wanted(ctx, table.Rows, indices.Uint64Values()); err != nil {
			return nil, err
		}
	} else {
		if sorted, err = arrowsort.Sort(ctx, table.Rows, j.rows.Keys, sorting); err != nil {
			return nil, err
		}
		defer sorted.Release()
		release() // one table is enough while rows are encoded
	}
	named := arraydata.WithNames(sorted, j.rows.Schema)
	defer named.Release()
	written := arraydata.PickTable(named, j.rows.Written)
	defer written.Release()
	j.opts.Run.stopEngine()
	schema := j.rows.WrittenSchema()
	out := output.New(ctx, target, output.Content{Rows: schema, Stored: schema, Template: j.template})
	defer out.Abort()
	group := cmp.Or(j.opts.Output.RowGroupRows, int(j.files.Budget.TableGroup(written)))
	err = out.WriteTable(ctx, written, numbers, j.writtenOrder(plan), group, j.opts.steps(PhaseSave))
	if err != nil {
		return nil, err
	}
	result := &Result{RowsIn: rowsIn, Rows: written.NumRows(), Plan: plan.String(), BytesIn: table.Bytes}
	if numbers != nil {
		result.Rows = int64(len(numbers))
	}
	return j.finish(ctx, result, out)
}

// writtenOrder returns the order of a plan for the metadata of the output, which along a curve is none.
func (j *job) writtenOrder(plan *keyencode.Plan) tablefile.RowOrder {
	if j.opts.Curve != 0 {
		return tablefile.RowOrder{}
	}
	return roworder.Written(plan, j.rows)
}

// wanted returns the numbers of those rows of a table, in sorted order, that the options want: of each key the first,
// then the leading or the last of them.
func (j *job) wanted(ctx context.Context, table arrow.Table, sorted []uint64) (_ []uint64, err error) {
	if j.opts.Rows.Unique && len(sorted) > 0 {
		sorted, err = extsort.FirstOfEachKey(ctx, table, sorted, j.rows.Keys, j.opts.Run.Allocator)
		if err != nil {
			return nil, err
		}
	}
	all := int64(len(sorted))
	if n := j.opts.Rows.Limit; n > 0 {
		sorted = sorted[:min(n, all)]
	}
	if n := j.opts.Rows.Tail; n > 0 {
		sorted = sorted[max(all-n, 0):]
	}
	return sorted, nil
}

// loading returns the options to read a table.
func (o *Options) loading(dictionaries bool) dataset.TableOptions {
	return dataset.TableOptions{Dictionaries: dictionaries, Start: func() { o.Run.Progress(PhaseLoad, 0, 0) },
		Progress: o.steps(PhaseLoad)}
}

// planning returns the options to sort a table, which put the plan of the keys into plan. It begins the phase, of which
// a sort may report the end only.
func (o *Options) planning(plan **keyencode.Plan) arrowsort.Options {
	o.Run.Progress(PhaseSort, 0, 0)
	opts := o.sorting()
	opts.Progress = o.steps(PhaseSort)
	if !o.Rows.Unique {
		opts.Limit = int(min(o.Rows.Limit, math.MaxInt))
	}
	opts.Engine = planEngine{cmp.Or(o.Run.Engine, cpu.New()), plan}
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

// Argsort writes the row numbers of one input in sorted order: a column "index" of type uint64. Row numbers count from
// 0. The keys are read into memory.
// Limit keeps the first of them, and row groups and pages of Parquet are left out as by Sort; Tail, Unique, Columns,
// RowsPerFile, BytesPerFile and PartitionBy are ErrOption.
func Argsort(ctx context.Context, path, output string, opts Options) (*Result, error) {
	if opts.Rows.Unique || opts.Rows.Tail > 0 || opts.Output.Splits() || len(opts.Columns) > 0 {
		return nil, fmt.Errorf("%w: Argsort writes the numbers of all rows, or of the first Limit, to one file; "+
			"leave out Tail, Unique, Columns, RowsPerFile, BytesPerFile and PartitionBy", errOption)
	}
	opts, read, file, err := oneFile(ctx, path, opts, "Argsort")
	if err != nil {
		return nil, err
	}
	return opts.argsort(ctx, file, output, read)
}

// argsort is Argsort with resolved options.
func (o *Options) argsort(ctx context.Context, file, path string, read dataset.Options) (*Result, error) {
	target, err := o.Run.target(ctx, path, o.Output)
	if err != nil {
		return nil, err
	}
	if err := target.Check(nil, nil); err != nil {
		return nil, err
	}
	out := output.New(ctx, target, output.Content{Rows: indexSchema})
	defer out.Abort()
	o.Run.startEngine(-1)
	table, keys, selected, err := o.readKeys(ctx, file, read)
	if err != nil {
		return nil, err
	}
	defer table.Release()
	var plan *keyencode.Plan
	indices, err := arrowsort.SortIndices(ctx, table.Rows, keys, o.planning(&plan))
	if err != nil {
		return nil, err
	}
	defer indices.Release()
	o.Run.stopEngine()
	selected.CountInFile(file, indices.Uint64Values())
	numbers := array.NewTableFromSlice(indexSchema, [][]arrow.Array{{indices}})
	defer numbers.Release()
	err = out.WriteTable(ctx, numbers, nil, tablefile.RowOrder{}, o.Output.RowGroupRows, o.steps(PhaseSave))
	if err != nil {
		return nil, err
	}
	result := &Result{Inputs: []string{file}, BytesIn: table.Bytes, Columns: table.Schema.NumFields(),
		RowsIn: table.Rows.NumRows(), Rows: numbers.NumRows(), Plan: plan.String()}
	result.leftOut(selected)
	return result.commit(out, indexSchema, o.Rows)
}

var indexSchema = arrow.NewSchema([]arrow.Field{{Name: "index", Type: arrow.PrimitiveTypes.Uint64}}, nil)

// oneFile resolves the options of a function that does not use Options.Curve, and returns the one file that a path
// means.
func oneFile(ctx context.Context, path string, opts Options, function string) (_ Options, read dataset.Options,
	file string, err error) {
	if opts, read, err = opts.resolve(ctx); err != nil {
		return opts, read, "", err
	}
	if err := opts.noCurve(function); err != nil {
		return opts, read, "", err
	}
	files, err := listFiles(ctx, []string{path}, &opts)
	if err != nil {
		return opts, read, "", err
	}
	if len(files) > 1 {
		return opts, read, "", fmt.Errorf("%w: %s is %d files; give one", errOption, path, len(files))
	}
	return opts, read, files[0], nil
}
