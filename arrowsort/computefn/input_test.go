package computefn_test

import (
	"context"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/compute"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/computefn"
)

func TestUnsupportedDatums(t *testing.T) {
	c := newCaller(t)
	record := compute.NewDatum(c.record(schema("a", arrow.PrimitiveTypes.Int8), `[{"a":1}]`))
	require.ErrorIs(t, c.fail("array_sort_indices", nil, record), arrow.ErrInvalid)
	record.Release()
	for name, opts := range calls {
		require.ErrorIs(t, c.fail(name, opts, compute.NewDatum(int32(1))), arrow.ErrNotImplemented, name)
		require.ErrorIs(t, c.fail(name, opts, compute.EmptyDatum{}), arrow.ErrNotImplemented, name)
		require.ErrorIs(t, c.fail(name, opts, nil), arrow.ErrInvalid, name)
		require.ErrorIs(t, c.fail(name, opts, &compute.ArrayDatum{}), arrow.ErrInvalid, name)
		require.ErrorIs(t, c.fail(name, opts, &compute.ChunkedDatum{}), arrow.ErrInvalid, name)
		if name != "array_sort_indices" {
			require.ErrorIs(t, c.fail(name, opts, &compute.RecordDatum{}), arrow.ErrInvalid, name)
			require.ErrorIs(t, c.fail(name, opts, record), arrow.ErrInvalid, "%s of a released record", name)
		}
		_, err := compute.CallFunction(c.ctx, name, opts)
		require.ErrorIs(t, err, arrow.ErrInvalid, "%s without arguments", name)
	}
}

// TestNilArguments calls every function with each nil that an argument can be.
func TestNilArguments(t *testing.T) {
	registry := compute.NewRegistry()
	require.NoError(t, computefn.Register(registry))
	good := compute.NewDatumWithoutOwning(array.NewNull(1))
	options := map[string]compute.FunctionOptions{"partition_nth_indices": computefn.PartitionNthOptions{},
		"select_k_unstable": computefn.SelectKOptions{SortKeys: []computefn.SortKey{{}}}}
	var noContext context.Context
	for _, name := range names {
		fn, _ := registry.GetFunction(name)
		for _, none := range []compute.Datum{nil, (*compute.ArrayDatum)(nil), (*compute.ChunkedDatum)(nil),
			(*compute.RecordDatum)(nil), (*compute.TableDatum)(nil), (*compute.ScalarDatum)(nil), &compute.ArrayDatum{},
			&compute.ChunkedDatum{}} {
			args := []compute.Datum{none, good}[:fn.Arity().NArgs]
			_, err := fn.Execute(t.Context(), options[name], args...)
			require.ErrorIs(t, err, arrow.ErrInvalid, "%s of %T", name, none)
		}
		_, err := fn.Execute(noContext, options[name], []compute.Datum{good, good}[:fn.Arity().NArgs]...)
		require.ErrorIs(t, err, arrow.ErrInvalid, name)
	}
}
