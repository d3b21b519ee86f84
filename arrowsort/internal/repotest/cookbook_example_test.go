package repotest_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/extsort"
)

// The Go recipes of docs/cookbook.md, in its order; the page shows these functions and their output.

// sortStream sorts the batches of a stream within 64 MiB.
func sortStream(ctx context.Context, batches array.RecordReader) (err error) {
	keys := []arrowsort.Key{{Path: "delay", Order: arrowsort.Descending}, {Path: "date"}}
	sorter, err := extsort.NewSorter(ctx, batches.Schema(), keys, extsort.Options{Memory: 64 << 20})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sorter.Close()) }() // removes what was spilled
	for batches.Next() {
		if err := sorter.Write(batches.Record()); err != nil {
			return err
		}
	}
	if err := batches.Err(); err != nil {
		return err
	}
	sorted, err := sorter.Sorted()
	if err != nil {
		return err
	}
	defer sorted.Release()
	for sorted.Next() {
		fmt.Println(sorted.Record().Column(0))
	}
	return sorted.Err()
}

func Example_cookbookSorter() {
	record := flights()
	defer record.Release()
	batches, err := array.NewRecordReader(record.Schema(), []arrow.Record{record, record})
	if err != nil {
		log.Fatal(err)
	}
	defer batches.Release()
	if err := sortStream(context.Background(), batches); err != nil {
		log.Fatal(err)
	}
	// Output: [19 19 19 19 -13 -13]
}

// join prints the pairs of rows with equal values; right is sorted.
func join(ctx context.Context, left, right arrow.Array) error {
	first, err := arrowsort.SearchSorted(ctx, right, left, nil, arrowsort.Left, arrowsort.Options{})
	if err != nil {
		return err
	}
	defer first.Release()
	last, err := arrowsort.SearchSorted(ctx, right, left, nil, arrowsort.Right, arrowsort.Options{})
	if err != nil {
		return err
	}
	defer last.Release()
	for row := range left.Len() {
		for match := first.Value(row); match < last.Value(row); match++ {
			fmt.Println("left row", row, "right row", match)
		}
	}
	return nil
}

func Example_cookbookJoin() {
	origins, airports := texts(`["JFK", "OAK", "SEA"]`), texts(`["ABE", "JFK", "JFK", "SEA"]`)
	defer origins.Release()
	defer airports.Release()
	if err := join(context.Background(), origins, airports); err != nil {
		log.Fatal(err)
	}
	// Output:
	// left row 0 right row 1
	// left row 0 right row 2
	// left row 2 right row 3
}

// rank prints the rank of every row by its delay, the longest first; rows that tie have the same rank.
func rank(ctx context.Context, flights arrow.Record) error {
	keys := []arrowsort.Key{{Path: "delay", Order: arrowsort.Descending}}
	ranks, err := arrowsort.Rank(ctx, flights, keys, arrowsort.TiesMin, arrowsort.Options{})
	if err != nil {
		return err
	}
	defer ranks.Release()
	fmt.Println(ranks)
	return nil
}

func Example_cookbookRank() {
	record := flights()
	defer record.Release()
	if err := rank(context.Background(), record); err != nil {
		log.Fatal(err)
	}
	// Output: [1 3 1]
}

// groups prints how many rows have each delay.
func groups(ctx context.Context, flights arrow.Record) error {
	keys := []arrowsort.Key{{Path: "delay"}}
	sorted, err := arrowsort.Sort(ctx, flights, keys, arrowsort.Options{})
	if err != nil {
		return err
	}
	defer sorted.Release()
	borders, err := arrowsort.Groups(ctx, sorted, keys, arrowsort.Options{})
	if err != nil {
		return err
	}
	defer borders.Release()
	for group := range borders.Len() - 1 {
		from, to := borders.Value(group), borders.Value(group+1)
		fmt.Println("delay", sorted.Column(0).ValueStr(int(from)), "rows", to-from)
	}
	return nil
}

func Example_cookbookGroups() {
	record := flights()
	defer record.Release()
	if err := groups(context.Background(), record); err != nil {
		log.Fatal(err)
	}
	// Output:
	// delay -13 rows 1
	// delay 19 rows 2
}

func texts(json string) arrow.Array {
	values, _, err := array.FromJSON(memory.DefaultAllocator, arrow.BinaryTypes.String, strings.NewReader(json))
	if err != nil {
		log.Fatal(err)
	}
	return values
}
