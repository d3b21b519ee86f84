package arrow18

import (
	"context"
	"fmt"
	"runtime"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
)

// A function is a unary function that handles every kind of datum on its own: outside the executor for vector
// functions, which ignores a cancelled context.
type function struct {
	*compute.MetaFunction
	defaults compute.FunctionOptions
}

// DefaultOptions are the options of a call without options; nil when a call needs some.
func (f *function) DefaultOptions() compute.FunctionOptions { return f.defaults }

// newFunction makes a function of one datum. The defaults are nil when a call needs options.
func newFunction[T compute.FunctionOptions](name string, doc compute.FunctionDoc, defaults compute.FunctionOptions,
	run func(ctx context.Context, options T, data Data) (compute.Datum, error),
) *function {
	var none T
	name = "arrowsort." + name
	doc.ArgNames, doc.OptionsType, doc.OptionsRequired = []string{"input"}, none.TypeName(), defaults == nil
	impl := func(ctx context.Context, opts compute.FunctionOptions, args ...compute.Datum) (compute.Datum, error) {
		out, err := call(ctx, opts, args[0], doc.OptionsRequired, run)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return out, nil
	}
	return &function{compute.NewMetaFunction(name, compute.Unary(), doc, impl), defaults}
}

func call[T compute.FunctionOptions](
	ctx context.Context, opts compute.FunctionOptions, datum compute.Datum, required bool,
	run func(ctx context.Context, options T, data Data) (compute.Datum, error),
) (compute.Datum, error) {
	options, given, err := optionsOf[T](opts, datum)
	if err != nil {
		return nil, err
	}
	if !given && required { // a typed nil; the embedded function rejects an untyped one
		return nil, fmt.Errorf("%w: cannot be called without options", arrow.ErrInvalid)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data, err := dataOf(datum)
	if err != nil {
		return nil, err
	}
	defer data.Release()
	return run(ctx, options, data)
}

// dataOf is what a datum holds. The caller releases it; the datum keeps its own reference.
func dataOf(datum compute.Datum) (Data, error) {
	switch d := datum.(type) {
	case *compute.ArrayDatum:
		if d.Value != nil {
			return array.MakeFromData(d.Value), nil
		}
	case *compute.ChunkedDatum:
		if d.Value != nil {
			return retained(d.Value), nil
		}
	case *compute.RecordDatum:
		if d.Value != nil {
			return retained(d.Value), nil
		}
	case *compute.TableDatum:
		if d.Value != nil {
			return retained(d.Value), nil
		}
	case nil:
	default:
		return nil, fmt.Errorf("%w: takes an array, chunked array, record or table, not a datum of kind %s",
			arrow.ErrNotImplemented, d.Kind())
	}
	return nil, fmt.Errorf("%w: the input is nil or was released", arrow.ErrInvalid)
}

func retained(data Data) Data {
	data.Retain()
	return data
}

// owned makes a datum that takes over the caller's reference to the data.
func owned(data Data) compute.Datum {
	defer data.Release()
	return compute.NewDatum(data)
}

// contextOptions are the allocator and the number of threads that the context asks for. Arrow's default is the number
// of processors, which may be more than the program may use.
func contextOptions(ctx context.Context) Options {
	threads := min(compute.GetExecCtx(ctx).NumParallel, runtime.GOMAXPROCS(0))
	return Options{Allocator: compute.GetAllocator(ctx), Threads: max(threads, 0)}
}
