package repotest_test

import (
	"context"
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

func flights() arrow.Record {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "delay", Type: arrow.PrimitiveTypes.Int64},
		{Name: "date", Type: arrow.FixedWidthTypes.Timestamp_us},
	}, nil)
	record, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(
		`[{"delay":19,"date":"2001-01-02"},{"delay":-13,"date":"2001-01-01"},{"delay":19,"date":"2001-01-01"}]`))
	if err != nil {
		log.Fatal(err)
	}
	return record
}

// README's "Compute functions".
func Example_computeFunctions() {
	ctx, record := context.Background(), flights()
	defer record.Release()
	input := compute.NewDatum(record)
	defer input.Release()

	err := computefn.Register(compute.GetFunctionRegistry())
	if err != nil {
		log.Fatal(err)
	}
	keys := []computefn.SortKey{{Target: compute.FieldRefName("delay"), Order: arrowsort.Descending}}
	sorted, err := compute.CallFunction(ctx, "sort", computefn.SortOptions{SortKeys: keys}, input)
	if err != nil {
		log.Fatal(err)
	}
	defer sorted.Release()
	fmt.Println(sorted.(*compute.RecordDatum).Value.Column(0))
	// Output: [19 19 -13]
}
