package computefn

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/compute"
)

// A function handles every kind of datum itself. It runs outside the executor for vector functions, which ignores a
// cancelled context, takes no record or table, and can panic when a kernel returns an error.
type function struct {
	*compute.MetaFunction
	defaults compute.FunctionOptions
}

// Kind is FuncMeta; the embedded function says FuncScalar.
func (*function) Kind() compute.FuncKind { return compute.FuncMeta }

// DefaultOptions are the options of a call without options; nil when a call needs some.
func (f *function) DefaultOptions() compute.FunctionOptions { return f.defaults }

// newFunction makes a function of one datum. The defaults are nil when a call needs options.
func newFunction[T compute.FunctionOptions](name string, doc compute.FunctionDoc, defaults compute.FunctionOptions,
	run func(ctx context.Context, options T, datum compute.Datum) (compute.Datum, error),
) *function {
	doc.ArgNames = []string{"input"}
	first := func(ctx context.Context, options T, args []compute.Datum) (compute.Datum, error) {
		return run(ctx, options, args[0])
	}
	return newFunctionOf(name, doc, defaults, first)
}

// newFunctionOf is newFunction with the arguments that doc names.
func newFunctionOf[T compute.FunctionOptions](name string, doc compute.FunctionDoc, defaults compute.FunctionOptions,
	run func(ctx context.Context, options T, args []compute.Datum) (compute.Datum, error),
) *function {
	var none T
	doc.OptionsType = none.TypeName()
	doc.OptionsRequired = defaults == nil
	impl := func(ctx context.Context, opts compute.FunctionOptions, args ...compute.Datum) (compute.Datum, error) {
		options, given, err := optionsOf[T](opts)
		switch {
		case err != nil:
		case ctx == nil:
			err = fmt.Errorf("%w: the context is nil; give context.Background()", arrow.ErrInvalid)
		case !given && doc.OptionsRequired: // a typed nil; the embedded function rejects an untyped one
			err = fmt.Errorf("%w: cannot be called without options", arrow.ErrInvalid)
		default:
			err = ctx.Err()
		}
		var out compute.Datum
		if err == nil {
			out, err = run(ctx, options, args)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return out, nil
	}
	return &function{compute.NewMetaFunction(name, compute.Arity{NArgs: len(doc.ArgNames)}, doc, impl), defaults}
}
