package arrow18_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18"
)

// fruits returns the data of the examples.
func fruits() arrow.RecordBatch {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "fruit", Type: arrow.BinaryTypes.String},
		{Name: "price", Type: &arrow.Decimal32Type{Precision: 5, Scale: 2}, Nullable: true},
	}, nil)
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(`[
		{"fruit": "pear", "price": "2.50"}, {"fruit": "fig", "price": null},
		{"fruit": "plum", "price": "4.00"}, {"fruit": "kiwi", "price": "2.50"}]`))
	if err != nil {
		log.Fatal(err)
	}
	return rec
}

func ExampleSort() {
	rec := fruits()
	defer rec.Release()
	sorted, err := arrow18.Sort(context.Background(), rec, []arrowsort.Key{
		{Path: "price", Order: arrowsort.Descending},
		{Path: "fruit"},
	}, arrow18.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer sorted.Release()
	fmt.Println(sorted.Column(0))
	fmt.Println(sorted.Schema().Field(1).Type)
	// Output:
	// ["plum" "kiwi" "pear" "fig"]
	// decimal32(5, 2)
}

// An array needs no keys. The result has the type of the input.
func ExampleSort_array() {
	rec := fruits()
	defer rec.Release()
	names := rec.Column(0).(*array.String)
	sorted, err := arrow18.Sort(context.Background(), names, nil, arrow18.Options{Limit: 2})
	if err != nil {
		log.Fatal(err)
	}
	defer sorted.Release()
	fmt.Println(sorted.Value(0), sorted.Value(1))
	// Output: fig kiwi
}

func ExampleSortIndices() {
	rec := fruits()
	defer rec.Release()
	keys := []arrowsort.Key{{Path: "price", Nulls: arrowsort.NullsAtStart}}
	rows, err := arrow18.SortIndices(context.Background(), rec, keys, arrow18.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Release()
	fmt.Println(rows)
	// Output: [1 0 3 2]
}

func ExampleTake() {
	rec := fruits()
	defer rec.Release()
	keys := []arrowsort.Key{{Path: "price"}}
	rows, err := arrow18.SortIndices32(context.Background(), rec, keys, arrow18.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Release()
	taken, err := arrow18.Take(context.Background(), rec, rows, arrow18.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer taken.Release()
	fmt.Println(taken.Column(0))
	// Output: ["pear" "kiwi" "plum" "fig"]
}

func ExampleIsSorted() {
	rec := fruits()
	defer rec.Release()
	keys := []arrowsort.Key{{Path: "fruit"}}
	sorted, row, err := arrow18.IsSorted(context.Background(), rec, keys, arrow18.Options{})
	fmt.Println(sorted, row, err)
	// Output: false 1 <nil>
}

func ExampleExplain() {
	rec := fruits()
	defer rec.Release()
	plan, err := arrow18.Explain(context.Background(), rec, []arrowsort.Key{{Path: "price"}}, arrow18.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.ReplaceAll(plan.String(), "; ", "\n"))
	// Output:
	// price: decimal32(5, 2), 2 live bits of 32, ascending, 1 null at the end, stride 150
	// one 2-bit code, 1 digit
}

// A call of "sort" of v18 becomes one of "arrowsort.sort" by its name.
func ExampleRegister() {
	if err := arrow18.Register(compute.GetFunctionRegistry()); err != nil {
		log.Fatal(err)
	}
	rec := fruits()
	defer rec.Release()
	input := compute.NewDatum(rec)
	defer input.Release()
	keys := compute.SortOptions{{ColumnIndex: 1, NullPlacement: compute.SortNullsAtStart}}
	sorted, err := compute.CallFunction(context.Background(), "arrowsort.sort", keys, input)
	if err != nil {
		log.Fatal(err)
	}
	defer sorted.Release()
	fmt.Println(sorted.(*compute.RecordDatum).Value.Column(0))
	// Output: ["fig" "pear" "kiwi" "plum"]
}

// compute.Sort of v18, which has no rows of decimal32, sorts with this package after Replace. A child registry is that
// of contexts that have it; compute.GetFunctionRegistry() is that of all.
func ExampleReplace() {
	registry := compute.NewChildRegistry(compute.GetFunctionRegistry())
	if err := arrow18.Replace(registry); err != nil {
		log.Fatal(err)
	}
	exec := compute.DefaultExecCtx()
	exec.Registry = registry
	ctx := compute.SetExecCtx(context.Background(), exec)

	rec := fruits()
	defer rec.Release()
	input := compute.NewDatum(rec)
	defer input.Release()
	sorted, err := compute.Sort(ctx, input, compute.SortOptions{{ColumnIndex: 1}})
	if err != nil {
		log.Fatal(err)
	}
	defer sorted.Release()
	fmt.Println(sorted.(*compute.RecordDatum).Value.Column(0))
	// Output: ["pear" "kiwi" "plum" "fig"]
}

// numbers returns a column of numbers.
func numbers(text string) *array.Int64 {
	a, _, err := array.FromJSON(memory.DefaultAllocator, arrow.PrimitiveTypes.Int64, strings.NewReader(text))
	if err != nil {
		log.Fatal(err)
	}
	return a.(*array.Int64)
}

func ExampleRank() {
	points := numbers(`[30, 20, 30, 10]`)
	defer points.Release()
	down := []arrowsort.Key{{Order: arrowsort.Descending}}
	ranks, err := arrow18.Rank(context.Background(), points, down, arrowsort.TiesMin, arrow18.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer ranks.Release()
	fmt.Println(ranks)
	// Output: [1 3 1 4]
}

// Groups of sorted data, and where a value has its place.
func ExampleGroups() {
	sorted := numbers(`[10, 20, 20, 30]`)
	defer sorted.Release()
	borders, err := arrow18.Groups(context.Background(), sorted, nil, arrow18.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer borders.Release()
	fmt.Println(borders)
	// Output: [0 1 3 4]
}

func ExampleSearchSorted() {
	sorted, values := numbers(`[10, 20, 20, 30]`), numbers(`[20, 5, 31]`)
	defer sorted.Release()
	defer values.Release()
	places, err := arrow18.SearchSorted(context.Background(), sorted, values, nil, arrowsort.Right, arrow18.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer places.Release()
	fmt.Println(places)
	// Output: [3 0 4]
}

func ExampleMerge() {
	odd, even := numbers(`[1, 3, 5]`), numbers(`[2, 4]`)
	defer odd.Release()
	defer even.Release()
	all, err := arrow18.Merge(context.Background(), []*array.Int64{odd, even}, nil, arrow18.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer all.Release()
	fmt.Println(all)
	// Output: [1 2 3 4 5]
}

// The streams would be those of files; here each has one record.
func ExampleMergeReaders() {
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil)
	var readers []array.RecordReader
	for _, text := range []string{`[1, 3, 5]`, `[2, 4]`} {
		column := numbers(text)
		rec := array.NewRecordBatch(schema, []arrow.Array{column}, int64(column.Len()))
		reader, err := array.NewRecordReader(schema, []arrow.RecordBatch{rec})
		if err != nil {
			log.Fatal(err)
		}
		readers = append(readers, reader)
	}
	keys := []arrowsort.Key{{Path: "n"}}
	merged, err := arrow18.MergeReaders(context.Background(), readers, keys, arrow18.Options{BatchRows: 3})
	if err != nil {
		log.Fatal(err)
	}
	defer merged.Release()
	for merged.Next() {
		fmt.Println(merged.RecordBatch().Column(0))
	}
	if err := merged.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// [1 2 3]
	// [4 5]
}
