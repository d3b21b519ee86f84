package arrow18_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/scalar"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// search calls arrowsort.search_sorted and returns the places as text.
func search(t *testing.T, ctx context.Context, opts compute.FunctionOptions, values, needles any) (string, error) {
	v, n := compute.NewDatum(values), compute.NewDatum(needles)
	defer v.Release()
	defer n.Release()
	out, err := compute.CallFunction(ctx, "arrowsort.search_sorted", opts, v, n)
	if err != nil {
		require.Nil(t, out)
		return "", err
	}
	defer out.Release()
	if s, ok := out.(*compute.ScalarDatum); ok {
		require.Equal(t, arrow.PrimitiveTypes.Uint64, s.Value.DataType())
		return s.Value.String(), nil
	}
	places := out.(*compute.ArrayDatum).MakeArray()
	defer places.Release()
	require.Equal(t, arrow.PrimitiveTypes.Uint64, places.DataType())
	return fmt.Sprint(places), nil
}

// TestSearchSortedFunction has what pyarrow 26.0.1 returns for the types that it takes.
func TestSearchSortedFunction(t *testing.T) {
	mem := arrowtest.Checked(t)
	ctx := withFunctions(t, mem)
	for _, test := range []struct {
		typ                          arrow.DataType
		values, needles, left, right string
	}{
		{arrow.PrimitiveTypes.Int64, `[null, 200, 300, 300]`, `[50, 200, null, 400]`, "[1 1 (null) 4]",
			"[1 2 (null) 4]"},
		{arrow.PrimitiveTypes.Float64, `[1, 2, "NaN", "NaN", null]`, `["NaN", 1.5, null, 3, 2]`, "[2 1 (null) 2 1]",
			"[4 1 (null) 2 2]"},
		{arrow.BinaryTypes.LargeString, `["a", "b", "b", "c"]`, `["b", "zz", null]`, "[1 4 (null)]", "[3 4 (null)]"},
		{&arrow.Decimal32Type{Precision: 7, Scale: 2}, `["1.25", "2.50"]`, `["2.50"]`, "[1]", "[2]"},
	} {
		values, needles := fromJSON(t, mem, test.typ, test.values), fromJSON(t, mem, test.typ, test.needles)
		chunked := arrow.NewChunked(test.typ, []arrow.Array{needles})
		for side, want := range map[arrowsort.Side]string{arrowsort.Left: test.left, arrowsort.Right: test.right} {
			for _, sought := range []any{needles, chunked} {
				got, err := search(t, ctx, &arrow18.SearchSortedOptions{Side: side}, values, sought)
				require.NoError(t, err)
				require.Equal(t, want, got, "%s, side %d", test.typ, side)
			}
		}
		chunked.Release()
	}
}

// TestSearchSortedFunctionOfScalars: a scalar has one place, in data of any storage.
func TestSearchSortedFunctionOfScalars(t *testing.T) {
	mem := arrowtest.Checked(t)
	ctx := withFunctions(t, mem)
	entries := fromJSON(t, mem, arrow.BinaryTypes.LargeString, `["b", "a"]`)
	dictionary := array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8,
		ValueType: entries.DataType()}, fromJSON(t, mem, arrow.PrimitiveTypes.Int8, `[1, 0, 0]`), entries)
	defer dictionary.Release()
	entry, err := scalar.GetScalar(dictionary, 1)
	require.NoError(t, err)
	for value, want := range map[scalar.Scalar]string{
		scalar.NewStringScalar("b"): "3", scalar.NewLargeStringScalar("a"): "1", entry: "3",
		scalar.MakeNullScalar(arrow.BinaryTypes.LargeString): "null",
	} {
		plain := fromJSON(t, mem, arrow.BinaryTypes.String, `["a", "b", "b"]`)
		for _, values := range []arrow.Array{dictionary, plain} {
			got, err := search(t, ctx, arrow18.SearchSortedOptions{Side: arrowsort.Right}, values, value)
			require.NoError(t, err)
			require.Equal(t, want, got, "%s in %s", value, values)
		}
	}
	entry.(scalar.Releasable).Release()
}

func TestSearchSortedFunctionErrors(t *testing.T) {
	mem := arrowtest.Checked(t)
	ctx := withFunctions(t, mem)
	number := fromJSON(t, mem, arrow.PrimitiveTypes.Int64, `[3, 1]`)
	rec := record(t, []string{"a"}, number)
	for _, test := range []struct {
		opts            compute.FunctionOptions
		values, needles any
		err             error
		text            string
	}{
		{nil, number, number, arrowsort.ErrUnsorted, "row 1 of the data"},
		{nil, number, scalar.NewInt32Scalar(1), arrow.ErrType, "cast the values"},
		{nil, number, rec, arrow.ErrInvalid, "the needles: invalid: takes an array"},
		{nil, rec, number, arrow.ErrInvalid, "the values: invalid: takes an array"},
		{arrow18.SearchSortedOptions{Side: 2}, number, number, arrow.ErrInvalid, "side 2"},
		{arrow18.SortOptions{}, number, number, arrow.ErrInvalid, "SearchSortedOptions, not"},
	} {
		_, err := search(t, ctx, test.opts, test.values, test.needles)
		require.ErrorIs(t, err, test.err, test.text)
		require.ErrorContains(t, err, test.text)
	}
}

// TestNilArguments calls every function with each nil that an argument can be.
func TestNilArguments(t *testing.T) {
	number := fromJSON(t, arrowtest.Checked(t), arrow.PrimitiveTypes.Int64, `[1]`)
	var noContext context.Context
	for _, c := range calls {
		if c.name == "SearchSorted" { // its values are made of the data
			c.run = func(ctx context.Context, data arrow18.Data, keys []arrowsort.Key, opts arrow18.Options) error {
				return released(arrow18.SearchSorted(ctx, data, number, keys, 0, opts))
			}
		}
		for _, none := range []arrow18.Data{nil, (*arrow.Chunked)(nil), (*array.Int64)(nil), (*array.Data)(nil)} {
			require.ErrorIs(t, c.run(t.Context(), none, nil, arrow18.Options{}), arrowsort.ErrOption, c.name)
		}
		require.ErrorIs(t, c.run(noContext, number, nil, arrow18.Options{}), arrowsort.ErrOption, c.name)
	}
	_, err := arrow18.Take(t.Context(), number, (*array.Int64)(nil), arrow18.Options{})
	require.ErrorIs(t, err, arrowsort.ErrOption)
	_, err = arrow18.SearchSorted(t.Context(), number, (*arrow.Chunked)(nil), nil, 0, arrow18.Options{})
	require.ErrorIs(t, err, arrowsort.ErrOption)
	rec := record(t, []string{"a"}, number)
	reader, err := array.NewRecordReader(rec.Schema(), []arrow.RecordBatch{rec})
	require.NoError(t, err)
	defer reader.Release()
	for _, readers := range [][]array.RecordReader{nil, {nil}, {(*mergedReader)(nil)}, {reader, reader}} {
		_, err := arrow18.MergeReaders(t.Context(), readers, by("a"), arrow18.Options{})
		require.ErrorIs(t, err, arrowsort.ErrOption)
	}
	registry := compute.NewRegistry()
	require.NoError(t, arrow18.Register(registry))
	options := map[string]compute.FunctionOptions{
		"arrowsort.partition_nth_indices": arrow18.PartitionNthOptions{},
		"arrowsort.select_k_unstable":     arrow18.SelectKOptions{Keys: []arrowsort.Key{{}}}}
	good := compute.NewDatumWithoutOwning(number)
	for _, name := range functions {
		fn, _ := registry.GetFunction(name)
		for _, none := range []compute.Datum{nil, (*compute.ArrayDatum)(nil), (*compute.ChunkedDatum)(nil),
			(*compute.RecordDatum)(nil), (*compute.TableDatum)(nil), (*compute.ScalarDatum)(nil),
			&compute.ArrayDatum{}} {
			_, err := fn.Execute(t.Context(), options[name], []compute.Datum{none, good}[:fn.Arity().NArgs]...)
			require.ErrorIs(t, err, arrow.ErrInvalid, "%s of %T", name, none)
		}
		_, err := fn.Execute(noContext, options[name], []compute.Datum{good, good}[:fn.Arity().NArgs]...)
		require.ErrorIs(t, err, arrow.ErrInvalid, name)
	}
}

// A mergedReader is a type of reader.
type mergedReader struct{ array.RecordReader }
