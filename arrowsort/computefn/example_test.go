package computefn_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/compute"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/computefn"
)

// withSortFunctions returns a context whose calls find the sort functions beside Arrow's own. A program that registers
// them in compute.GetFunctionRegistry() needs no such context.
func withSortFunctions() context.Context {
	registry := compute.NewChildRegistry(compute.GetFunctionRegistry())
	if err := computefn.Register(registry); err != nil {
		log.Fatal(err)
	}
	exec := compute.DefaultExecCtx()
	exec.Registry = registry
	return compute.SetExecCtx(context.Background(), exec)
}

func fruits() arrow.Record {
	fields := []arrow.Field{
		{Name: "fruit", Type: arrow.BinaryTypes.String},
		{Name: "price", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	}
	record, _, err := array.RecordFromJSON(memory.DefaultAllocator, arrow.NewSchema(fields, nil), strings.NewReader(
		`[{"fruit":"pear","price":2.5},{"fruit":"fig","price":null},
		{"fruit":"plum","price":4},{"fruit":"kiwi","price":2.5}]`,
	))
	if err != nil {
		log.Fatal(err)
	}
	return record
}

func ExampleRegister() {
	registry := compute.NewRegistry()
	if err := computefn.Register(registry); err != nil {
		log.Fatal(err)
	}
	for _, name := range registry.GetFunctionNames() {
		fmt.Println(name)
	}
	fmt.Println(errors.Is(computefn.Register(registry), arrow.ErrKey)) // they are registered already
	// Output:
	// array_sort_indices
	// hilbert_index
	// is_sorted
	// partition_nth_indices
	// rank
	// rank_normal
	// rank_quantile
	// search_sorted
	// select_k_unstable
	// sort
	// sort_indices
	// zorder_index
	// true
}

func ExampleArraySortOptions() {
	ctx := withSortFunctions()
	record := fruits()
	defer record.Release()
	prices := compute.NewDatum(record.Column(1))
	defer prices.Release()

	options := computefn.ArraySortOptions{Order: arrowsort.Descending, NullPlacement: arrowsort.NullsAtStart}
	rows, err := compute.CallFunction(ctx, "array_sort_indices", options, prices)
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Release()
	fmt.Println(rows.(*compute.ArrayDatum).MakeArray())
	// Output: [1 2 0 3]
}

func ExampleSortOptions() {
	ctx := withSortFunctions()
	record := fruits()
	defer record.Release()
	input := compute.NewDatum(record)
	defer input.Release()

	options := computefn.SortOptions{SortKeys: []computefn.SortKey{
		{Target: compute.FieldRefName("price"), NullPlacement: arrowsort.NullsAtStart},
		{Target: compute.FieldRefName("fruit"), Order: arrowsort.Ascending},
	}}
	sorted, err := compute.CallFunction(ctx, "sort", options, input)
	if err != nil {
		log.Fatal(err)
	}
	defer sorted.Release()
	fmt.Println(sorted.(*compute.RecordDatum).Value.Column(0))

	answer, err := compute.CallFunction(ctx, "is_sorted", options, sorted)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("sorted:", answer)
	// Output:
	// ["fig" "kiwi" "pear" "plum"]
	// sorted: true
}

func ExampleSelectKOptions() {
	ctx := withSortFunctions()
	record := fruits()
	defer record.Release()
	input := compute.NewDatum(record)
	defer input.Release()

	options := computefn.SelectKOptions{K: 2, SortKeys: []computefn.SortKey{
		{Target: compute.FieldRefName("price"), Order: arrowsort.Descending},
	}}
	rows, err := compute.CallFunction(ctx, "select_k_unstable", options, input)
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Release()
	fmt.Println(rows.(*compute.ArrayDatum).MakeArray())
	// Output: [2 0]
}

func ExampleRankOptions() {
	ctx := withSortFunctions()
	record := fruits()
	defer record.Release()
	prices := compute.NewDatum(record.Column(1))
	defer prices.Release()

	options := computefn.RankOptions{
		SortKeys: []computefn.SortKey{{Order: arrowsort.Descending}}, TieBreaker: arrowsort.TiesMin,
	}
	ranks, err := compute.CallFunction(ctx, "rank", options, prices)
	if err != nil {
		log.Fatal(err)
	}
	defer ranks.Release()
	fmt.Println(ranks.(*compute.ArrayDatum).MakeArray())
	// Output: [2 4 1 2]
}

func ExamplePartitionNthOptions() {
	ctx := withSortFunctions()
	record := fruits()
	defer record.Release()
	prices := compute.NewDatum(record.Column(1))
	defer prices.Release()

	rows, err := compute.CallFunction(ctx, "partition_nth_indices", computefn.PartitionNthOptions{Pivot: 2}, prices)
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Release()
	median := rows.(*compute.ArrayDatum).MakeArray().(*array.Uint64).Value(2)
	fmt.Println(record.Column(1).ValueStr(int(median)))
	// Output: 4
}

// Places of values in sorted numbers.
func Example_searchSorted() {
	ctx := withSortFunctions()
	b := array.NewInt64Builder(memory.DefaultAllocator)
	defer b.Release()
	b.AppendValues([]int64{1, 1, 3, 5, 8}, nil)
	values := compute.NewDatum(b.NewArray())
	b.AppendValues([]int64{0, 1, 4, 9}, nil)
	needles := compute.NewDatum(b.NewArray())
	options := computefn.SearchSortedOptions{Side: arrowsort.Right}
	places, err := compute.CallFunction(ctx, "search_sorted", options, values, needles)
	if err != nil {
		log.Fatal(err)
	}
	defer places.Release()
	fmt.Println(places.(*compute.ArrayDatum).MakeArray())
	// Output: [0 2 3 5]
}
