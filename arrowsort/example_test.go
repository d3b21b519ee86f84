package arrowsort_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// flights returns the data of the examples.
func flights() arrow.Record {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "origin", Type: arrow.BinaryTypes.String},
		{Name: "delay", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
	}, nil)
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(`[
		{"origin": "SEA", "delay": 5}, {"origin": "OAK", "delay": null},
		{"origin": "JFK", "delay": 40}, {"origin": "SEA", "delay": 12}]`))
	if err != nil {
		panic(err)
	}
	return rec
}

func ExampleSort() {
	rec := flights()
	defer rec.Release()
	sorted, err := arrowsort.Sort(context.Background(), rec, []arrowsort.Key{
		{Path: "origin"},
		{Path: "delay", Order: arrowsort.Descending},
	}, arrowsort.Options{})
	if err != nil {
		panic(err)
	}
	defer sorted.Release()
	fmt.Println(sorted.Column(0))
	fmt.Println(sorted.Column(1))
	// Output:
	// ["JFK" "OAK" "SEA" "SEA"]
	// [40 (null) 12 5]
}

// The first rows of the sorted order only, with the nulls first.
func ExampleSort_limit() {
	rec := flights()
	defer rec.Release()
	keys := []arrowsort.Key{{Path: "delay", Order: arrowsort.Descending, Nulls: arrowsort.NullsAtStart}}
	top, err := arrowsort.Sort(context.Background(), rec, keys, arrowsort.Options{Limit: 2})
	if err != nil {
		panic(err)
	}
	defer top.Release()
	fmt.Println(top.Column(0), top.Column(1))
	// Output: ["OAK" "JFK"] [(null) 40]
}

func ExampleSortIndices() {
	rec := flights()
	defer rec.Release()
	rows, err := arrowsort.SortIndices(context.Background(), rec, []arrowsort.Key{{Path: "delay"}}, arrowsort.Options{})
	if err != nil {
		panic(err)
	}
	defer rows.Release()
	fmt.Println(rows)
	// Output: [0 3 2 1]
}

// An array needs no keys.
func ExampleSortIndices32() {
	rec := flights()
	defer rec.Release()
	rows, err := arrowsort.SortIndices32(context.Background(), rec.Column(0), nil, arrowsort.Options{})
	if err != nil {
		panic(err)
	}
	defer rows.Release()
	fmt.Println(rows)
	// Output: [2 1 0 3]
}

func ExampleTake() {
	rec := flights()
	defer rec.Release()
	rows := array.NewInt64Builder(memory.DefaultAllocator)
	defer rows.Release()
	rows.AppendValues([]int64{2, 0, 2}, nil)
	numbers := rows.NewArray()
	defer numbers.Release()
	taken, err := arrowsort.Take(context.Background(), rec, numbers, arrowsort.Options{})
	if err != nil {
		panic(err)
	}
	defer taken.Release()
	fmt.Println(taken.Column(0), taken.Column(1))
	// Output: ["JFK" "SEA" "JFK"] [40 5 40]
}

func ExampleIsSorted() {
	rec := flights()
	defer rec.Release()
	keys := []arrowsort.Key{{Path: "origin"}}
	sorted, row, err := arrowsort.IsSorted(context.Background(), rec, keys, arrowsort.Options{})
	fmt.Println(sorted, row, err)
	// Output: false 1 <nil>
}

func ExampleExplain() {
	rec := flights()
	defer rec.Release()
	plan, err := arrowsort.Explain(context.Background(), rec, []arrowsort.Key{{Path: "delay"}}, arrowsort.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(plan)
	// Output: delay: int32, 3 live bits of 32, ascending, 1 null at the end, stride 7; one 3-bit code, 1 digit
}

// A sort can return the plan of its keys.
func ExampleOptions() {
	rec := flights()
	defer rec.Release()
	rows, err := arrowsort.SortIndices(context.Background(), rec, []arrowsort.Key{{Path: "origin"}}, arrowsort.Options{
		Threads:   2,
		Allocator: memory.NewGoAllocator(),
		OnPlan:    func(plan arrowsort.Plan) { fmt.Println(plan) },
	})
	if err != nil {
		panic(err)
	}
	rows.Release()
	// Output: origin: utf8, 3 bytes, 20 live bits, ascending, no nulls; one 20-bit code, 3 digits
}

// Keys name columns, fields of structs, or positions.
func ExampleKey() {
	rec := flights()
	defer rec.Release()
	for _, key := range []arrowsort.Key{{Path: "delay"}, {At: arrowsort.Column(1)}, {Path: "delay.minutes"}} {
		rows, err := arrowsort.SortIndices(context.Background(), rec, []arrowsort.Key{key}, arrowsort.Options{})
		if errors.Is(err, arrowsort.ErrColumn) {
			fmt.Println(err)
			continue
		}
		fmt.Println(rows)
		rows.Release()
	}
	// Output:
	// [0 3 2 1]
	// [0 3 2 1]
	// arrowsort: invalid sort key column: key "delay.minutes": column "delay" has type int32 and no fields
}

// Runs that are sorted already, of two days, become one.
func ExampleMerge() {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "time", Type: arrow.PrimitiveTypes.Int32}, {Name: "event", Type: arrow.BinaryTypes.String},
	}, nil)
	var runs []arrow.Record
	for _, json := range []string{
		`[{"time": 1, "event": "start"}, {"time": 5, "event": "stop"}]`,
		`[{"time": 2, "event": "load"}, {"time": 5, "event": "save"}]`,
	} {
		run, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(json))
		if err != nil {
			panic(err)
		}
		defer run.Release()
		runs = append(runs, run)
	}
	merged, err := arrowsort.Merge(context.Background(), runs, []arrowsort.Key{{Path: "time"}}, arrowsort.Options{})
	if err != nil {
		panic(err)
	}
	defer merged.Release()
	fmt.Println(merged.Column(0), merged.Column(1))
	// Output: [1 2 5 5] ["start" "load" "stop" "save"]
}

// Streams are merged batch by batch.
func ExampleMergeReaders() {
	keys := []arrowsort.Key{{Path: "origin"}}
	var readers []array.RecordReader
	for range 2 {
		rec := flights()
		sorted, err := arrowsort.Sort(context.Background(), rec, keys, arrowsort.Options{})
		rec.Release()
		if err != nil {
			panic(err)
		}
		reader, err := array.NewRecordReader(sorted.Schema(), []arrow.Record{sorted})
		sorted.Release()
		if err != nil {
			panic(err)
		}
		defer reader.Release()
		readers = append(readers, reader)
	}
	merged, err := arrowsort.MergeReaders(context.Background(), readers, keys, arrowsort.Options{BatchRows: 3})
	if err != nil {
		panic(err)
	}
	defer merged.Release()
	for merged.Next() {
		fmt.Println(merged.Record().Column(0))
	}
	if err := merged.Err(); err != nil {
		panic(err)
	}
	// Output:
	// ["JFK" "JFK" "OAK"]
	// ["OAK" "SEA" "SEA"]
	// ["SEA" "SEA"]
}

// The rows of a value are those from its place on the left to its place on the right.
func ExampleSearchSorted() {
	array64 := func(json string) arrow.Array {
		a, _, err := array.FromJSON(memory.DefaultAllocator, arrow.PrimitiveTypes.Int64, strings.NewReader(json))
		if err != nil {
			panic(err)
		}
		return a
	}
	sorted, values := array64(`[10, 20, 20, 20, 30, null]`), array64(`[20, 25, null]`)
	defer sorted.Release()
	defer values.Release()
	for _, side := range []arrowsort.Side{arrowsort.Left, arrowsort.Right} {
		places, err := arrowsort.SearchSorted(context.Background(), sorted, values, nil, side, arrowsort.Options{})
		if err != nil {
			panic(err)
		}
		defer places.Release()
		fmt.Println(places)
	}
	// Output:
	// [1 4 5]
	// [4 4 6]
}
