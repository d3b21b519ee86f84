package computefn

import (
	"context"
	"fmt"
	"runtime"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/compute"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/functions"
)

// A function handles every kind of datum itself. It runs outside the executor for vector functions, which ignores a
// cancelled context, takes no record or table, and can panic when a kernel returns an error.
type function struct {
	*compute.MetaFunction
	defaults compute.FunctionOptions
}

// Kind is FuncMeta; the embedded function says FuncScalar.
func (*function) Kind() compute.FuncKind { return compute.FuncMeta }

// DefaultOptions returns the options of a call without options; nil when a call needs some.
func (f *function) DefaultOptions() compute.FunctionOptions { return f.defaults }

// newFunction makes a function of one datum. The defaults are nil when a call needs options.
func newFunction[T compute.FunctionOptions](name string, defaults compute.FunctionOptions,
	run func(ctx context.Context, options T, datum compute.Datum) (compute.Datum, error),
) *function {
	first := func(ctx context.Context, options T, args []compute.Datum) (compute.Datum, error) {
		return run(ctx, options, args[0])
	}
	return newFunctionOf(name, defaults, first)
}

// newFunctionOf makes a function of the arguments it is described by.
func newFunctionOf[T compute.FunctionOptions](name string, defaults compute.FunctionOptions,
	run func(ctx context.Context, options T, args []compute.Datum) (compute.Datum, error),
) *function {
	var none T
	d := functions.Describe(name, "")
	doc := compute.FunctionDoc{Summary: d.Summary, Description: d.Text, ArgNames: d.Arguments,
		OptionsType: none.TypeName(), OptionsRequired: defaults == nil}
	impl := func(ctx context.Context, opts compute.FunctionOptions, args ...compute.Datum) (compute.Datum, error) {
		return functions.Call(ctx, name, opts, doc.OptionsRequired, arrow.ErrInvalid,
			func(options T) (compute.Datum, error) { return run(ctx, options, args) })
	}
	return &function{compute.NewMetaFunction(name, compute.Arity{NArgs: len(doc.ArgNames)}, doc, impl), defaults}
}

// sortOptions returns the allocator and the number of threads that the context asks for. Arrow's default is the number
// of processors, which may be more than the program may use.
func sortOptions(ctx context.Context) arrowsort.Options {
	threads := min(compute.GetExecCtx(ctx).NumParallel, runtime.GOMAXPROCS(0))
	return arrowsort.Options{Allocator: compute.GetAllocator(ctx), Threads: max(threads, 0)}
}

// dataOf returns the data of a datum: an arrow.Array, *arrow.Chunked, arrow.Record or arrow.Table. The caller releases
// it; the datum keeps its own reference.
func dataOf(datum compute.Datum) (arrowsort.Data, error) {
	if adapter.IsNil(datum) {
		return nil, errNoInput
	}
	var data arrowsort.Data
	switch d := datum.(type) {
	case *compute.ArrayDatum:
		if d.Value != nil {
			return array.MakeFromData(d.Value), nil
		}
	case *compute.ChunkedDatum:
		data = d.Value
	case *compute.RecordDatum:
		data = d.Value
	case *compute.TableDatum:
		data = d.Value
	default:
		return nil, fmt.Errorf("%w: takes an array, chunked array, record or table, not a datum of kind %s",
			arrow.ErrNotImplemented, d.Kind())
	}
	if adapter.IsNil(data) {
		return nil, errNoInput
	}
	data.Retain()
	return data, nil
}

var errNoInput = fmt.Errorf("%w: the input is nil or was released", arrow.ErrInvalid)

// noColumns finds fault with a record or a table.
func noColumns(datum compute.Datum) error {
	if _, columns := datum.(compute.TableLikeDatum); columns && !adapter.IsNil(datum) {
		return fmt.Errorf("%w: takes an array or chunked array, not a datum of kind %s", arrow.ErrInvalid, datum.Kind())
	}
	return nil
}

// own makes a datum that takes over the caller's reference to the data, unless there is an error.
func own[D arrowsort.Data](data D, err error) (compute.Datum, error) {
	if err != nil {
		return nil, err
	}
	defer data.Release()
	return compute.NewDatum(data), nil
}
