// Command gpu sorts on the first NVIDIA GPU of the machine, and on the CPU where there is none: the two engines return
// the same bytes. The build tag cuda puts the GPU engine in; docs/gpu.md describes the build.
//
//	$ go run ./examples/gpu
//	1000000 trades by symbol, the largest first:
//	symbol  cents   trade
//	     0  99998  763440
//	     0  99991  632220
//	     0  99984  501000
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/gpu"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer) error {
	var options arrowsort.Options // without an engine: the CPU
	device, err := gpu.Open(gpu.Options{})
	switch {
	case err == nil:
		defer device.Close()
		options.Engine = device
		options.Allocator = device.Allocator() // pinned memory, which the device reads and writes by itself
		log.Printf("sorting on %s", device.Device().Name)
	case errors.Is(err, gpu.ErrNoDevice):
		log.Printf("sorting on the CPU: %v", err)
	default: // there is a GPU, but it does not work
		return err
	}

	trades := makeTrades(options.Allocator, 1_000_000)
	defer trades.Release()
	keys := []arrowsort.Key{{Path: "symbol"}, {Path: "cents", Order: arrowsort.Descending}}
	sorted, err := arrowsort.Sort(ctx, trades, keys, options)
	if err != nil {
		return err
	}
	defer sorted.Release()

	fmt.Fprintf(w, "%d trades by symbol, the largest first:\nsymbol  cents   trade\n", sorted.NumRows())
	symbols, cents := sorted.Column(0).(*array.Int32), sorted.Column(1).(*array.Int64)
	numbers := sorted.Column(2).(*array.Int64)
	for row := range 3 {
		fmt.Fprintf(w, "%6d  %5d  %6d\n", symbols.Value(row), cents.Value(row), numbers.Value(row))
	}
	return nil
}

// makeTrades makes a record of trades in the order of their numbers.
func makeTrades(allocator memory.Allocator, rows int) arrow.Record {
	if allocator == nil {
		allocator = memory.DefaultAllocator
	}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "symbol", Type: arrow.PrimitiveTypes.Int32},
		{Name: "cents", Type: arrow.PrimitiveTypes.Int64},
		{Name: "trade", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	builder := array.NewRecordBuilder(allocator, schema)
	defer builder.Release()
	builder.Reserve(rows)
	for row := range int64(rows) {
		builder.Field(0).(*array.Int32Builder).Append(int32(row * row % 240))
		builder.Field(1).(*array.Int64Builder).Append(row * 7919 % 100_003)
		builder.Field(2).(*array.Int64Builder).Append(row)
	}
	return builder.NewRecord()
}
