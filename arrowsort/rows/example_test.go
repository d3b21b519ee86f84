package rows_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/rows"
)

// flights returns a small record.
func flights() arrow.Record {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "carrier", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "delay", Type: arrow.PrimitiveTypes.Int16, Nullable: true}}, nil)
	const text = `[{"carrier": "UA", "delay": 12}, {"carrier": "AA", "delay": 3}, {"carrier": "UA", "delay": null},
		{"carrier": "AA", "delay": 70}, {"carrier": "UA", "delay": 12}]`
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(text))
	if err != nil {
		log.Fatal(err)
	}
	return rec
}

// Rows are keys of maps, and bytes.Compare orders them as a sort does.
func Example() {
	ctx := context.Background()
	rec := flights()
	defer rec.Release()
	converter, err := rows.ForKeys(rec.Schema(), []arrowsort.Key{
		{Path: "carrier"}, {Path: "delay", Order: arrowsort.Descending}})
	if err != nil {
		log.Fatal(err)
	}
	encoded, err := converter.Encode(ctx, rec, rows.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer encoded.Release()

	count := map[string]int{}
	for i := range encoded.Len() {
		count[string(encoded.Row(i))]++
	}
	fmt.Println(len(count), "different keys; row 0 comes", count[string(encoded.Row(0))], "times")

	order := []int{0, 1, 2, 3, 4}
	slices.SortStableFunc(order, func(i, j int) int { return bytes.Compare(encoded.Row(i), encoded.Row(j)) })
	fmt.Println("order:", order)
	// Output:
	// 4 different keys; row 0 comes 2 times
	// order: [3 1 0 4 2]
}

// Rows that were stored come back as columns.
func ExampleConverter_Decode() {
	converter, err := rows.NewConverter(rows.Field{Name: "carrier", Type: arrow.BinaryTypes.String},
		rows.Field{Name: "delay", Type: arrow.PrimitiveTypes.Int16})
	if err != nil {
		log.Fatal(err)
	}
	rec := flights()
	defer rec.Release()
	var store []byte // two rows, one after the other
	offsets := []int64{0}
	for _, row := range []int{3, 2} {
		if store, err = converter.AppendRow(store, rec, row); err != nil {
			log.Fatal(err)
		}
		offsets = append(offsets, int64(len(store)))
	}
	fmt.Printf("% x\n", store)

	stored, err := rows.NewRows(store, offsets)
	if err != nil {
		log.Fatal(err)
	}
	decoded, err := converter.Decode(context.Background(), stored, rows.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer decoded.Release()
	fmt.Println(decoded.Column(0), decoded.Column(1))
	// Output:
	// 01 41 41 00 01 80 46 01 55 41 00 ff 00 00
	// ["AA" "UA"] [70 (null)]
}
