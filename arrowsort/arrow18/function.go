package arrow18

import (
	"context"
	"fmt"
	"runtime"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"

	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
)

// A function handles every kind of datum itself: outside the executor for vector functions, which ignores a
// cancelled context.
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
	doc.ArgNames = []string{"input"}
	return newFunctionOf(name, doc, defaults,
		func(ctx context.Context, options T, args []compute.Datum) (compute.Datum, error) {
			data, err := dataOf(args[0])
			if err != nil {
				return nil, err
			}
			defer data.Release()
			return run(ctx, options, data)
		})
}

// newFunctionOf is newFunction with the arguments that doc names.
func newFunctionOf[T compute.FunctionOptions](name string, doc compute.FunctionDoc, defaults compute.FunctionOptions,
	run func(ctx context.Context, options T, args []compute.Datum) (compute.Datum, error),
) *function {
	var none T
	name = "arrowsort." + name
	doc.OptionsType, doc.OptionsRequired = none.TypeName(), defaults == nil
	impl := func(ctx context.Context, opts compute.FunctionOptions, args ...compute.Datum) (compute.Datum, error) {
		out, err := call(ctx, opts, args, doc.OptionsRequired, run)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return out, nil
	}
	return &function{compute.NewMetaFunction(name, compute.Arity{NArgs: len(doc.ArgNames)}, doc, impl), defaults}
}

func call[T compute.FunctionOptions](
	ctx context.Context, opts compute.FunctionOptions, args []compute.Datum, required bool,
	run func(ctx context.Context, options T, args []compute.Datum) (compute.Datum, error),
) (compute.Datum, error) {
	options, given, err := optionsOf[T](opts, args[0])
	if err != nil {
		return nil, err
	}
	if !given && required { // a typed nil; the embedded function rejects an untyped one
		return nil, fmt.Errorf("%w: cannot be called without options", arrow.ErrInvalid)
	}
	if ctx == nil {
		return nil, fmt.Errorf("%w: the context is nil; give context.Background()", arrow.ErrInvalid)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return run(ctx, options, args)
}

// dataOf is what a datum holds. The caller releases it; the datum keeps its own reference.
func dataOf(datum compute.Datum) (Data, error) {
	if adapter.IsNil(datum) {
		return nil, errNoInput
	}
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
	default:
		return nil, fmt.Errorf("%w: takes an array, chunked array, record or table, not a datum of kind %s",
			arrow.ErrNotImplemented, d.Kind())
	}
	return nil, errNoInput
}

var errNoInput = fmt.Errorf("%w: the input is nil or was released", arrow.ErrInvalid)

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
