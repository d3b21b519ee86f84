package arrowsort

import (
	"context"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keypath"
)

// Sort returns the data in the order of the keys, with all columns.
//
// The result has the type of the data: T is arrow.Record, arrow.Table, *arrow.Chunked or a type of array. Schema,
// metadata, names and the order of the columns are kept. A column of a table, and a chunked array, is one chunk in the
// result, or several where 32-bit offsets would pass 2 GiB or run ends the range of their type. An array or a chunked
// array needs no keys: without any it is sorted in ascending order, nulls at the end. Options.Limit keeps the first
// rows only: it is a stable select_k_unstable.
//
// Ties keep their order. Dictionaries, and the bytes of string views, are shared with the input; all else is new. The
// caller releases the result. A cancelled context ends the call, as a rule within 50 ms, with the context's error.
//
// It fails with ErrNoKeys, ErrColumn, ErrKeyType or ErrOption before any work, with ErrOffsets, ErrDictionary, ErrRows,
// or an error that matches engine.ErrMemory. Arrow C++ calls it sort_indices followed by take.
func Sort[T Data](ctx context.Context, data T, keys []Key, opts Options) (T, error) {
	return as[T](sortData(ctx, data, keys, opts))
}

func sortData(ctx context.Context, data Data, keys []Key, opts Options) (Data, error) {
	c, err := newCall(ctx, operation{"Sort", sortOptions | optionLimit}, data, keys, opts)
	if err != nil {
		return nil, err
	}
	defer c.work.Release()
	if err := c.work.AddPayloads(); err != nil {
		return nil, err
	}
	result, err := c.run(ctx)
	if err != nil {
		return nil, err
	}
	return c.assemble(result)
}

// SortIndices returns the row numbers of the data in the order of the keys: the argsort. Row numbers run over all
// chunks. Keys, order, cancellation and errors are those of Sort. Arrow C++ calls it sort_indices and, with
// Options.Limit, select_k_unstable; here ties keep their order in both.
func SortIndices(ctx context.Context, data Data, keys []Key, opts Options) (*array.Uint64, error) {
	indices, err := sortIndices(ctx, "SortIndices", data, keys, opts, arrow.PrimitiveTypes.Uint64)
	return arrayOf(array.NewUint64Data, indices, err)
}

// SortIndices32 is SortIndices with row numbers of half the size. It fails with ErrRows from 2^32 rows on.
func SortIndices32(ctx context.Context, data Data, keys []Key, opts Options) (*array.Uint32, error) {
	indices, err := sortIndices(ctx, "SortIndices32", data, keys, opts, arrow.PrimitiveTypes.Uint32)
	return arrayOf(array.NewUint32Data, indices, err)
}

func sortIndices(
	ctx context.Context, name string, data Data, keys []Key, opts Options, typ arrow.DataType,
) (*array.Data, error) {
	c, err := newCall(ctx, operation{name, sortOptions | optionLimit}, data, keys, opts)
	if err != nil {
		return nil, err
	}
	defer c.work.Release()
	c.work.Job.RowNumbers = typ.(arrow.FixedWidthDataType).Bytes()
	result, err := c.run(ctx)
	if err != nil {
		return nil, err
	}
	return adapter.RowNumbers(result, typ, c.opts.Allocator), nil
}

// arrayOf makes an array of the numbers that a call returns, and takes them over.
func arrayOf[A arrow.Array](made func(arrow.ArrayData) A, numbers *array.Data, err error) (none A, _ error) {
	if err != nil {
		return none, translate(err)
	}
	defer numbers.Release()
	return made(numbers), nil
}

// A call is a call of an operation: its data, its options, and the job that is made of both.
type call struct {
	data dataset
	opts Options
	work adapter.JobBuilder
}

// newCall checks all arguments of an operation, then makes the raw columns of the keys. The caller releases the work.
func newCall(ctx context.Context, op operation, data Data, keys []Key, opts Options) (*call, error) {
	c := &call{}
	var err error
	if c.opts, err = opts.resolved(ctx, op); err != nil {
		return nil, err
	}
	if err := c.data.Open(data); err != nil {
		return nil, err
	}
	return c, c.start(ctx, keys)
}

// start makes the raw columns of the keys of the data. The caller releases the work unless it fails.
func (c *call) start(ctx context.Context, keys []Key) error {
	d := &c.data
	found, err := d.resolve(keys)
	if err != nil {
		return err
	}
	if int64(d.Rows) > math.MaxUint32 {
		return fmt.Errorf("%w: %d; sort fewer than 2^32 at once", ErrRows, d.Rows)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	c.work.Start(ctx, &d.Input, adapter.Options{
		Allocator: c.opts.Allocator, Ranker: cpu.New(), Threads: c.opts.Threads, Split: d.splits()})
	c.work.Job.Limit = c.opts.Limit
	return keypath.AddKeys(&c.work, found)
}

// run runs the job on the engine.
func (c *call) run(ctx context.Context) (*engine.Result, error) {
	result, err := c.opts.Engine.Sort(ctx, c.job(), c.opts.Allocator)
	if err != nil {
		return nil, err
	}
	c.report(result)
	return result, nil
}

// job returns the job with all options.
func (c *call) job() *engine.Job {
	job := &c.work.Job
	job.Progress, job.Plan = c.opts.Progress, c.opts.OnPlan != nil
	return job
}

// assemble makes data of a result with all columns.
func (c *call) assemble(result *engine.Result) (Data, error) {
	rows := result.Rows
	columns, err := c.work.Assemble(result)
	if err != nil {
		return nil, err
	}
	return c.data.assemble(columns, rows), nil
}

// report calls Options.OnPlan with the plan of a result.
func (c *call) report(result *engine.Result) {
	if c.opts.OnPlan != nil {
		c.opts.OnPlan(Plan{result.Plan})
	}
}

// IsSorted reports whether the data is in the order of the keys, and if it is not, the first row that sorts before its
// predecessor; else row is -1. Keys, order and errors are those of Sort.
func IsSorted(ctx context.Context, data Data, keys []Key, opts Options) (sorted bool, row int, err error) {
	defer translated(&err)
	if err := withoutRandom("IsSorted", keys); err != nil {
		return false, -1, err
	}
	c, err := newCall(ctx, operation{name: "IsSorted"}, data, keys, opts)
	if err != nil {
		return false, -1, err
	}
	defer c.work.Release()
	row, err = cpu.FirstUnsorted(ctx, &c.work.Job, c.opts.Allocator)
	if err != nil {
		return false, -1, err
	}
	return row < 0, row, nil
}

// Explain returns the plan of a sort without sorting. It reads the keys once. Keys and errors are those of Sort.
func Explain(ctx context.Context, data Data, keys []Key, opts Options) (_ Plan, err error) {
	defer translated(&err)
	c, err := newCall(ctx, operation{name: "Explain"}, data, keys, opts)
	if err != nil {
		return Plan{}, err
	}
	defer c.work.Release()
	plan, err := cpu.Explain(ctx, &c.work.Job, c.opts.Allocator)
	if err != nil {
		return Plan{}, err
	}
	return Plan{plan.Detach()}, nil
}
