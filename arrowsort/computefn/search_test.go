package computefn_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/compute"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow/scalar"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/computefn"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/rows"
)

// search calls search_sorted and returns the places as text.
func (c *caller) search(opts compute.FunctionOptions, values, needles any) (string, error) {
	c.Helper()
	v, n := compute.NewDatum(values), compute.NewDatum(needles)
	defer v.Release()
	defer n.Release()
	out, err := compute.CallFunction(c.ctx, "search_sorted", opts, v, n)
	if err != nil {
		require.Nil(c, out)
		return "", err
	}
	defer out.Release()
	if s, ok := out.(*compute.ScalarDatum); ok {
		require.Equal(c, arrow.PrimitiveTypes.Uint64, s.Value.DataType())
		return s.Value.String(), nil
	}
	places := out.(*compute.ArrayDatum).MakeArray()
	defer places.Release()
	require.Equal(c, arrow.PrimitiveTypes.Uint64, places.DataType())
	return fmt.Sprint(places), nil
}

var (
	left  = computefn.SearchSortedOptions{Side: arrowsort.Left}
	right = computefn.SearchSortedOptions{Side: arrowsort.Right}
)

// TestSearchSortedIsThatOfArrow has what pyarrow 26.0.1 returns for arrays. Chunks cut at any place have the same; in
// pyarrow they do not where nulls at the end continue in a further chunk.
func TestSearchSortedIsThatOfArrow(t *testing.T) {
	c := newCaller(t)
	f, i := arrow.PrimitiveTypes.Float64, arrow.PrimitiveTypes.Int64
	for _, test := range []struct {
		typ                          arrow.DataType
		values, needles, left, right string
	}{
		{i, `[1, 1, 3, 5, 8]`, `[0, 1, 4, 9]`, "[0 0 3 5]", "[0 2 3 5]"},
		{i, `[null, 200, 300, 300]`, `[50, 200, null, 400]`, "[1 1 (null) 4]", "[1 2 (null) 4]"},
		{i, `[200, 300, 300, null, null]`, `[50, 200, null, 400]`, "[0 0 (null) 3]", "[0 1 (null) 3]"},
		{i, `[]`, `[1, null]`, "[0 (null)]", "[0 (null)]"},
		{i, `[1]`, `[]`, "[]", "[]"},
		{f, `[1, 2, "NaN", "NaN", null]`, `["NaN", 1.5, null, 3, 2]`, "[2 1 (null) 2 1]", "[4 1 (null) 2 2]"},
		{f, `[null, "NaN", 1, 2]`, `["NaN", 1.5, null, 3, 0]`, "[1 3 (null) 4 2]", "[2 3 (null) 4 2]"},
		{f, `["NaN", 1, 2]`, `["NaN", 0, 1, 1.5, 3]`, "[0 1 1 2 3]", "[1 1 2 2 3]"},
		{f, `[1, 2, "NaN"]`, `["NaN", 0, 1, 1.5, 3]`, "[2 0 0 1 2]", "[3 0 1 1 2]"},
		{f, `[null, "NaN", "NaN"]`, `["NaN", 0]`, "[1 3]", "[3 3]"},
		{f, `["NaN", "NaN", null]`, `["NaN", 0]`, "[0 0]", "[2 0]"},
		{f, `["NaN", "NaN"]`, `["NaN", 1.5]`, "[0 0]", "[2 0]"},
		{f, `[null, null]`, `["NaN", 1.5, null]`, "[0 0 (null)]", "[0 0 (null)]"},
		{f, `[0, -0.0]`, `[0, -0.0]`, "[0 0]", "[2 2]"},
		{arrow.BinaryTypes.String, `["a", "b", "b", "c"]`, `["b", "zz", null]`, "[1 4 (null)]", "[3 4 (null)]"},
		{arrow.FixedWidthTypes.Boolean, `[false, true]`, `[true]`, "[1]", "[2]"},
		{arrow.Null, `[null, null]`, `[null]`, "[(null)]", "[(null)]"},
	} {
		values, needles := c.array(test.typ, test.values), c.array(test.typ, test.needles)
		for side, want := range map[compute.FunctionOptions]string{left: test.left, right: test.right} {
			got, err := c.search(side, values, needles)
			require.NoError(t, err)
			require.Equal(t, want, got, "%s, %s, %v", test.values, test.needles, side)
			for at := range values.Len() + 1 {
				got, err := c.search(side, c.cut(values, at), c.cut(needles, min(at, needles.Len())))
				require.NoError(t, err)
				require.Equal(t, want, got)
			}
		}
		got, err := c.search(nil, values, needles)
		require.NoError(t, err)
		require.Equal(t, test.left, got, "the left side is the default")
	}
}

// TestSearchSortedOfNestedNulls: entries of dictionaries and runs that are null, and null rows.
func TestSearchSortedOfNestedNulls(t *testing.T) {
	c := newCaller(t)
	text := arrow.BinaryTypes.String
	plain := c.array(text, `[null, "a", "b"]`)
	dictionary := array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: text},
		c.array(arrow.PrimitiveTypes.Int8, `[0, null, 1, 2]`), plain)
	runs := array.NewRunEndEncodedArray(c.array(arrow.PrimitiveTypes.Int32, `[2, 3, 4]`), plain, 4, 0)
	defer dictionary.Release()
	defer runs.Release()
	extended := array.NewExtensionArrayWithStorage(arrowtest.NewExtension(text), plain)
	defer extended.Release()
	for _, values := range []arrow.Array{dictionary, runs} {
		for _, needles := range []arrow.Array{dictionary, runs} {
			got, err := c.search(nil, values, needles)
			require.NoError(t, err)
			require.Equal(t, "[(null) (null) 2 3]", got)
		}
	}
	got, err := c.search(nil, extended, extended)
	require.NoError(t, err)
	require.Equal(t, "[(null) 1 2]", got)
}

// TestSearchSortedOfScalars has a place for a scalar of every type of which Arrow makes scalars.
func TestSearchSortedOfScalars(t *testing.T) {
	c := newCaller(t)
	for _, typ := range append(arrowtest.Flat(),
		arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String),
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.LargeString},
		arrowtest.NewExtension(&arrow.DictionaryType{
			IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String})) {
		values := arrowtest.Random(rand.New(rand.NewPCG(1, 2)), typ, 1, 0, memory.DefaultAllocator)
		value, err := scalar.GetScalar(values, 0)
		_, sorts := rows.ForKeys(schema("a", typ), []arrowsort.Key{{}})
		if err != nil || sorts != nil {
			continue
		}
		want := "1"
		if typ.ID() == arrow.NULL {
			want = "null"
		}
		got, err := c.search(right, values, value)
		require.NoError(t, err, "%s", typ)
		require.Equal(t, want, got, "%s", typ)
		got, err = c.search(right, values, scalar.MakeNullScalar(typ))
		require.NoError(t, err, "%s", typ)
		require.Equal(t, "null", got, "%s", typ)
	}
}

func TestSearchSortedErrors(t *testing.T) {
	c := newCaller(t)
	number := c.array(arrow.PrimitiveTypes.Int64, `[1, 2]`)
	rec := c.record(schema("a", arrow.PrimitiveTypes.Int64), `[{"a": 1}]`)
	list := c.array(arrow.ListOf(arrow.FixedWidthTypes.DayTimeInterval), `[[]]`)
	for _, test := range []struct {
		opts            compute.FunctionOptions
		values, needles any
		err             error
		text            string
	}{
		{nil, c.array(arrow.PrimitiveTypes.Int64, `[3, 1]`), number, arrowsort.ErrUnsorted, "row 1 of the data"},
		{nil, c.array(arrow.PrimitiveTypes.Int64, `[null, 3, 1]`), number, arrowsort.ErrUnsorted, "row 2 of the data"},
		{nil, c.array(arrow.PrimitiveTypes.Int64, `[1, null, 2]`), number, arrowsort.ErrUnsorted, "row 2"},
		{nil, c.array(arrow.PrimitiveTypes.Int64, `[null, 1, null]`), number, arrowsort.ErrUnsorted, "row 1"},
		{nil, c.array(arrow.PrimitiveTypes.Float64, `[null, 1, "NaN"]`), c.array(arrow.PrimitiveTypes.Float64, `[1]`),
			arrowsort.ErrUnsorted, "row 2"},
		{nil, number, c.array(arrow.PrimitiveTypes.Int32, `[1]`), arrow.ErrType, "cast the values"},
		{nil, number, scalar.NewInt32Scalar(1), arrow.ErrType, "cast the values"},
		{nil, number, rec, arrow.ErrInvalid, "the needles: invalid: takes an array"},
		{nil, rec, number, arrow.ErrInvalid, "the values: invalid: takes an array"},
		{nil, scalar.NewInt64Scalar(1), number, arrow.ErrNotImplemented, "the values"},
		{nil, list, list, arrowsort.ErrKeyType, "item"},
		{computefn.SearchSortedOptions{Side: 2}, number, number, arrow.ErrInvalid, "side 2"},
		{computefn.SortOptions{}, number, number, arrow.ErrInvalid, "SearchSortedOptions, not"},
	} {
		_, err := c.search(test.opts, test.values, test.needles)
		require.ErrorIs(t, err, test.err, test.text)
		require.ErrorContains(t, err, test.text)
		require.True(t, strings.HasPrefix(err.Error(), "search_sorted: "), err)
	}
	one := compute.NewDatum(number)
	defer one.Release()
	_, err := compute.CallFunction(c.ctx, "search_sorted", nil, one)
	require.Error(t, err, "two arguments")
	for _, args := range [][]compute.Datum{{one, nil}, {nil, one}, {one, (*compute.ScalarDatum)(nil)},
		{one, &compute.ScalarDatum{}}, {one, (*compute.ArrayDatum)(nil)}, {(*compute.ChunkedDatum)(nil), one}} {
		fn, _ := compute.GetExecCtx(c.ctx).Registry.GetFunction("search_sorted")
		_, err := fn.Execute(c.ctx, nil, args...)
		require.ErrorIs(t, err, arrow.ErrInvalid, "%v", args)
	}
	ctx, cancel := context.WithCancel(c.ctx)
	cancel()
	_, err = compute.CallFunction(ctx, "search_sorted", nil, one, one)
	require.ErrorIs(t, err, context.Canceled)
}

// TestSearchSortedOutOfMemory lets each allocation fail in turn.
func TestSearchSortedOutOfMemory(t *testing.T) {
	c := newCaller(t)
	values := c.array(arrow.BinaryTypes.String, `[null, "a", "b"]`)
	v := compute.NewDatum(values)
	defer v.Release()
	for left := 0; ; left++ {
		before := c.mem.CurrentAlloc()
		full := onAllocate{c.mem, func() {
			if left--; left < 0 {
				panic("no memory")
			}
		}}
		n := left
		out, err := compute.CallFunction(compute.WithAllocator(c.ctx, full), "search_sorted", nil, v, v)
		left = n
		if err == nil {
			out.Release()
			require.Equal(t, before, c.mem.CurrentAlloc())
			require.Positive(t, n)
			return
		}
		require.ErrorIs(t, err, engine.ErrMemory)
		require.Equal(t, before, c.mem.CurrentAlloc())
	}
}
