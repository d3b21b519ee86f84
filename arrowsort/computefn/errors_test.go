package computefn_test

import (
	"context"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/compute"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/computefn"
)

// calls are options for every function that sort a column named "a", or an array.
var calls = map[string]compute.FunctionOptions{
	"array_sort_indices": computefn.ArraySortOptions{},
	"sort_indices":       computefn.SortOptions{SortKeys: []computefn.SortKey{by("a", asc)}},
	"sort":               computefn.SortOptions{SortKeys: []computefn.SortKey{by("a", asc)}},
	"is_sorted":          computefn.SortOptions{SortKeys: []computefn.SortKey{by("a", asc)}},
	"select_k_unstable":  computefn.SelectKOptions{K: 1, SortKeys: []computefn.SortKey{by("a", asc)}},
}

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

func TestUnsupportedKeys(t *testing.T) {
	c := newCaller(t)
	ids := arrow.ListOf(arrow.PrimitiveTypes.Int8)
	record := compute.NewDatum(c.record(schema("a", ids, "b", arrow.PrimitiveTypes.Int8), `[{"a":[2],"b":1},{"a":[1],"b":2}]`))
	defer record.Release()
	list := compute.NewDatum(c.array(ids, `[[2],[1]]`))
	defer list.Release()
	for name, opts := range calls {
		err := c.fail(name, opts, list)
		require.ErrorIs(t, err, arrow.ErrNotImplemented, name)
		require.ErrorIs(t, err, arrowsort.ErrKeyType, name)
		require.ErrorContains(t, err, name)
		require.ErrorContains(t, err, "list")
		if name != "array_sort_indices" {
			err = c.fail(name, opts, record)
			require.ErrorIs(t, err, arrow.ErrNotImplemented, name)
			require.ErrorContains(t, err, `"a"`)
		}
	}
}

func TestNoKeys(t *testing.T) {
	c := newCaller(t)
	record := compute.NewDatum(c.record(schema("a", arrow.PrimitiveTypes.Int8), `[{"a":1}]`))
	defer record.Release()
	table := compute.NewDatum(c.table(schema("a", arrow.PrimitiveTypes.Int8), `[{"a":1}]`, `[{"a":0}]`))
	defer table.Release()
	for _, name := range []string{"sort_indices", "sort", "is_sorted"} {
		for _, datum := range []compute.Datum{record, table} {
			err := c.fail(name, nil, datum)
			require.ErrorIs(t, err, arrow.ErrInvalid, name)
			require.ErrorIs(t, err, arrowsort.ErrNoKeys, name)
			require.ErrorContains(t, err, "Must specify one or more sort keys")
		}
	}
}

func TestTargets(t *testing.T) {
	c := newCaller(t)
	inner := arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int8}, arrow.Field{Name: "p.q", Type: arrow.PrimitiveTypes.Int8})
	record := compute.NewDatum(c.record(schema("s", inner, "a", arrow.PrimitiveTypes.Int8), `[{"s":{"x":1,"p.q":2},"a":1}]`))
	defer record.Release()
	for why, target := range map[string]compute.FieldRef{
		"it has no target":    {},
		"no match for":        compute.FieldRefName("b"),
		"no match for Fi":     compute.FieldRefIndex(2),
		"no match for Field":  compute.FieldRefIndex(-1),
		"no match for FieldR": compute.FieldRefList("s", "y"),
		"cannot be told":      compute.FieldRefList("s", "p.q"),
	} {
		err := c.fail("sort_indices", computefn.SortOptions{SortKeys: []computefn.SortKey{by("a", asc), {Target: target}}}, record)
		require.ErrorIs(t, err, arrow.ErrInvalid, why)
		require.ErrorIs(t, err, arrowsort.ErrColumn, why)
		require.ErrorContains(t, err, "sort key 1")
		require.ErrorContains(t, err, why)
	}
}

func TestUnknownOrder(t *testing.T) {
	c := newCaller(t)
	datum := compute.NewDatum(c.array(arrow.PrimitiveTypes.Int8, `[2, 1]`))
	defer datum.Release()
	require.ErrorIs(t, c.fail("array_sort_indices", computefn.ArraySortOptions{Order: 7}, datum), arrow.ErrInvalid)
	require.ErrorIs(t, c.fail("array_sort_indices", computefn.ArraySortOptions{NullPlacement: 7}, datum), arrow.ErrInvalid)
}

func TestCancelled(t *testing.T) {
	c := newCaller(t)
	ctx, cancel := context.WithCancel(c.ctx)
	cancel()
	c.ctx = ctx
	for name, opts := range calls {
		datum := compute.NewDatum(c.array(arrow.PrimitiveTypes.Int8, `[2, 1]`))
		require.ErrorIs(t, c.fail(name, opts, datum), context.Canceled, name)
		datum.Release()
	}
}

// TestManyErrors: a kernel's error makes the executor of arrow/go v15 panic now and then; these functions do not use it.
func TestManyErrors(t *testing.T) {
	c := newCaller(t)
	datum := compute.NewDatum(c.array(arrow.ListOf(arrow.PrimitiveTypes.Int8), `[[2],[1]]`))
	defer datum.Release()
	for range 4000 {
		for name, opts := range calls {
			out, err := compute.CallFunction(c.ctx, name, opts, datum)
			if err == nil || out != nil {
				t.Fatalf("%s returned %v, %v", name, out, err)
			}
		}
	}
}
