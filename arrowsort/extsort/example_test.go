package extsort_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/extsort"
)

// Batches of any number are sorted within 64 MiB; these three stay in memory.
func ExampleSorter() {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "carrier", Type: arrow.BinaryTypes.String},
		{Name: "delay", Type: arrow.PrimitiveTypes.Int16, Nullable: true}}, nil)
	sorter, err := extsort.NewSorter(context.Background(), schema,
		[]arrowsort.Key{{Path: "delay", Order: arrowsort.Descending}, {Path: "carrier"}},
		extsort.Options{Memory: 64 << 20})
	if err != nil {
		log.Fatal(err)
	}
	defer sorter.Close() // removes what was spilled
	for _, text := range []string{
		`[{"carrier": "UA", "delay": 12}, {"carrier": "AA", "delay": 3}]`,
		`[{"carrier": "UA", "delay": null}]`,
		`[{"carrier": "AA", "delay": 70}, {"carrier": "AA", "delay": 12}]`,
	} {
		batch, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(text))
		if err != nil {
			log.Fatal(err)
		}
		err = sorter.Write(batch)
		batch.Release()
		if err != nil {
			log.Fatal(err)
		}
	}
	sorted, err := sorter.Sorted()
	if err != nil {
		log.Fatal(err)
	}
	defer sorted.Release()
	for sorted.Next() {
		fmt.Println(sorted.Record().Column(0), sorted.Record().Column(1))
	}
	if err := sorted.Err(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(sorter.Stats().Runs, "runs")
	// Output:
	// ["AA" "AA" "UA" "AA" "UA"] [70 12 12 3 (null)]
	// 0 runs
}
