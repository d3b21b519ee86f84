package arrow18_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18"
)

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
