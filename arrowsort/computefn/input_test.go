package computefn_test

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/compute"
	"github.com/stretchr/testify/require"
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
