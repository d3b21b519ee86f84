// Command queryengine shows the sort as a step of a query: total the orders of each customer, with the customer's name.
// Both sides are sorted by the row numbers of an argsort. A search of all orders among the customers finds the rows
// that belong together, which are taken from both sides; the borders between customers are the groups.
//
//	$ go run ./examples/queryengine
//	customer  orders  cents
//	Aurora         2    750
//	Borealis       1    999
//	Corona         2   1300
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
)

const (
	ordersJSON = `[
		{"customer": 30, "cents": 1250}, {"customer": 10, "cents": 400}, {"customer": 99, "cents": 1},
		{"customer": 10, "cents": 350}, {"customer": 30, "cents": 50}, {"customer": 20, "cents": 999}]`
	customersJSON = `[
		{"id": 20, "name": "Borealis"}, {"id": 40, "name": "Drift"}, {"id": 10, "name": "Aurora"},
		{"id": 30, "name": "Corona"}]`
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer) error {
	orders, err := sortedBy(ctx, ordersJSON, "customer", arrow.Field{Name: "cents", Type: arrow.PrimitiveTypes.Int64})
	if err != nil {
		return err
	}
	defer orders.Release()
	customers, err := sortedBy(ctx, customersJSON, "id", arrow.Field{Name: "name", Type: arrow.BinaryTypes.String})
	if err != nil {
		return err
	}
	defer customers.Release()

	left, right, err := join(ctx, orders.Column(0), customers.Column(0))
	if err != nil {
		return err
	}
	joinedOrders, err := take(ctx, orders, left)
	if err != nil {
		return err
	}
	defer joinedOrders.Release()
	joinedCustomers, err := take(ctx, customers, right)
	if err != nil {
		return err
	}
	defer joinedCustomers.Release()

	cents := joinedOrders.Column(1).(*array.Int64).Int64Values()
	names := joinedCustomers.Column(1).(*array.String)
	borders := groupBorders(keys(joinedOrders))
	fmt.Fprintln(w, "customer  orders  cents")
	for i, from := range borders[:len(borders)-1] {
		to, total := borders[i+1], int64(0)
		for _, c := range cents[from:to] {
			total += c
		}
		fmt.Fprintf(w, "%-8s  %6d  %5d\n", names.Value(from), to-from, total)
	}
	return nil
}

// sortedBy reads a record whose first column is an int32 key, and brings its rows in the order of the key: an argsort
// of the key alone, then a take of all columns.
func sortedBy(ctx context.Context, json, key string, payload arrow.Field) (arrow.Record, error) {
	schema := arrow.NewSchema([]arrow.Field{{Name: key, Type: arrow.PrimitiveTypes.Int32}, payload}, nil)
	record, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(json))
	if err != nil {
		return nil, err
	}
	defer record.Release()
	rows, err := arrowsort.SortIndices32(ctx, record, []arrowsort.Key{{Path: key}}, arrowsort.Options{})
	if err != nil {
		return nil, err
	}
	defer rows.Release()
	return arrowsort.Take(ctx, record, rows, arrowsort.Options{})
}

func keys(record arrow.Record) []int32 { return record.Column(0).(*array.Int32).Int32Values() }

// join pairs the rows of equal keys: each row on the left with each on the right, whose keys are sorted. The rows on
// the right that tie with a key lie between its first and its last place among them. Nulls tie here; SQL would leave
// them out.
func join(ctx context.Context, left, right arrow.Array) (leftRows, rightRows []uint32, err error) {
	var places [2][]uint64
	for _, side := range []arrowsort.Side{arrowsort.Left, arrowsort.Right} {
		found, err := arrowsort.SearchSorted(ctx, right, left, nil, side, arrowsort.Options{})
		if err != nil {
			return nil, nil, err
		}
		defer found.Release()
		places[side] = found.Uint64Values()
	}
	for row, first := range places[arrowsort.Left] {
		for r := first; r < places[arrowsort.Right][row]; r++ {
			leftRows, rightRows = append(leftRows, uint32(row)), append(rightRows, uint32(r))
		}
	}
	return leftRows, rightRows, nil
}

// groupBorders are the rows at which the sorted keys change, and the number of rows.
func groupBorders(keys []int32) []int {
	var borders []int
	for row := range keys {
		if row == 0 || keys[row] != keys[row-1] {
			borders = append(borders, row)
		}
	}
	return append(borders, len(keys))
}

func take(ctx context.Context, record arrow.Record, rows []uint32) (arrow.Record, error) {
	builder := array.NewUint32Builder(memory.DefaultAllocator)
	defer builder.Release()
	builder.AppendValues(rows, nil)
	numbers := builder.NewArray()
	defer numbers.Release()
	return arrowsort.Take(ctx, record, numbers, arrowsort.Options{})
}
