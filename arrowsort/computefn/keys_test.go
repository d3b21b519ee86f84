package computefn_test

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/compute"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/computefn"
)

func TestUnsupportedKeys(t *testing.T) {
	c := newCaller(t)
	ids := arrow.ListOf(arrow.FixedWidthTypes.DayTimeInterval)
	record := compute.NewDatum(
		c.record(schema("a", ids, "b", arrow.PrimitiveTypes.Int8), `[{"a":[],"b":1},{"a":[],"b":2}]`),
	)
	defer record.Release()
	list := compute.NewDatum(c.array(ids, `[[],[]]`))
	defer list.Release()
	for name, opts := range calls {
		err := c.fail(name, opts, list)
		require.ErrorIs(t, err, arrow.ErrNotImplemented, name)
		require.ErrorIs(t, err, arrowsort.ErrKeyType, name)
		require.ErrorContains(t, err, name)
		require.ErrorContains(t, err, "item")
		if name != "array_sort_indices" {
			err = c.fail(name, opts, record)
			require.ErrorIs(t, err, arrow.ErrNotImplemented, name)
			require.ErrorContains(t, err, "key a.item has type day_time_interval")
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
			require.ErrorContains(t, err, "must specify one or more sort keys")
		}
	}
}

func TestTargets(t *testing.T) {
	c := newCaller(t)
	inner := arrow.StructOf(
		arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int8},
		arrow.Field{Name: "p.q", Type: arrow.PrimitiveTypes.Int8},
	)
	record := compute.NewDatum(
		c.record(schema("s", inner, "a", arrow.PrimitiveTypes.Int8), `[{"s":{"x":1,"p.q":2},"a":1}]`),
	)
	defer record.Release()
	for why, target := range map[string]compute.FieldRef{
		"it has no target": {}, `no match for FieldRef.Name(b); there are "s", "a"`: compute.FieldRefName("b"),
		`no match for FieldRef.Name(A); did you mean "a"?`: compute.FieldRefName("A"),
		"no match for Fi": compute.FieldRefIndex(2), "no match for Field": compute.FieldRefIndex(-1),
		"no match for FieldR": compute.FieldRefList("s", "y"),
	} {
		err := c.fail(
			"sort_indices", computefn.SortOptions{SortKeys: []computefn.SortKey{by("a", asc), {Target: target}}},
			record,
		)
		require.ErrorIs(t, err, arrow.ErrInvalid, why)
		require.ErrorIs(t, err, arrowsort.ErrColumn, why)
		require.ErrorContains(t, err, "sort key 1")
		require.ErrorContains(t, err, why)
	}
}

// TestNestedNames: a nested field that may be taken for another is an error, not a guess.
func TestNestedNames(t *testing.T) {
	c := newCaller(t)
	nested := func(path ...int) computefn.SortOptions {
		return computefn.SortOptions{SortKeys: []computefn.SortKey{{Target: compute.FieldRefPath(path)}}}
	}
	x := arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int8, Nullable: true})
	deep := arrow.StructOf(arrow.Field{Name: "s", Type: x, Nullable: true})
	require.Equal(t, []uint64{1, 0, 2}, c.rows("sort_indices", nested(0, 0, 0),
		c.record(schema("d", deep), `[{"d":{"s":{"x":2}}},{"d":{"s":{"x":1}}},{"d":{"s":null}}]`)))
	dotted := arrow.StructOf(arrow.Field{Name: "p.q", Type: arrow.PrimitiveTypes.Int8})
	require.Equal(
		t, []uint64{1, 0},
		c.rows("sort_indices", nested(0, 0), c.record(schema("s", dotted), `[{"s":{"p.q":2}},{"s":{"p.q":1}}]`)),
	)

	both := arrow.StructOf(arrow.Field{Name: "s", Type: x}, arrow.Field{Name: "s.x", Type: arrow.PrimitiveTypes.Int8})
	twice := array.NewRecord(schema("s", x, "s", x), []arrow.Array{c.array(x, `[{"x":1}]`), c.array(x, `[{"x":2}]`)}, 1)
	defer twice.Release()
	for _, ambiguous := range []struct {
		record arrow.Record
		path   compute.FieldPath
	}{
		{c.record(schema("s", x, "s.x", arrow.PrimitiveTypes.Int8), `[{"s":{"x":1},"s.x":2}]`), compute.FieldPath{0,
			0}},
		{c.record(schema("d", deep, "d.s", x), `[{"d":{"s":{"x":1}},"d.s":{"x":2}}]`), compute.FieldPath{0, 0, 0}},
		{c.record(schema("d", both), `[{"d":{"s":{"x":1},"s.x":2}}]`), compute.FieldPath{0, 0, 0}},
		{twice, compute.FieldPath{0, 0}},
	} {
		datum := compute.NewDatum(ambiguous.record)
		err := c.fail("sort_indices", nested(ambiguous.path...), datum)
		require.ErrorIs(t, err, arrowsort.ErrColumn)
		require.ErrorContains(t, err, "may be taken for")
		datum.Release()
	}
}

func TestUnknownOrder(t *testing.T) {
	c := newCaller(t)
	datum := compute.NewDatum(c.array(arrow.PrimitiveTypes.Int8, `[2, 1]`))
	defer datum.Release()
	require.ErrorIs(t, c.fail("array_sort_indices", computefn.ArraySortOptions{Order: 7}, datum), arrow.ErrInvalid)
	require.ErrorIs(
		t, c.fail("array_sort_indices", computefn.ArraySortOptions{NullPlacement: 7}, datum), arrow.ErrInvalid,
	)
}
