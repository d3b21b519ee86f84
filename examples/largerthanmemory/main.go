// Command largerthanmemory sorts record batches that do not fit into memory: 80 MB of measurements of 40 sensors, with
// a budget of 32 MiB. A extsort.Sorter takes the batches, spills sorted runs to a temporary folder, and returns all
// rows in order, again as batches.
//
//	$ go run ./examples/largerthanmemory
//	5000000 measurements in 40 batches
//	5000000 measurements in order; the longest silence is 15 s, of sensor 10
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/extsort"
)

const (
	sensors   = 40
	batches   = 40
	batchRows = 125_000
)

var schema = arrow.NewSchema([]arrow.Field{
	{Name: "second", Type: arrow.FixedWidthTypes.Timestamp_s},
	{Name: "sensor", Type: arrow.PrimitiveTypes.Int32},
	{Name: "degrees", Type: arrow.PrimitiveTypes.Float32},
}, nil)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer) (err error) {
	sorter, err := extsort.NewSorter(ctx, schema, []arrowsort.Key{{Path: "sensor"}, {Path: "second"}},
		extsort.Options{Memory: 32 << 20})
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := sorter.Close(); err == nil { // removes what was spilled
			err = closeErr
		}
	}()
	if err := writeMeasurements(w, sorter); err != nil {
		return err
	}
	sorted, err := sorter.Sorted()
	if err != nil {
		return err
	}
	defer sorted.Release()
	return report(w, sorted)
}

// writeMeasurements writes random batches, where a program would write those of a database or a network.
func writeMeasurements(w io.Writer, sorter *extsort.Sorter) error {
	random := rand.New(rand.NewPCG(1, 2))
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer builder.Release()
	for batch := range batches {
		for row := range batchRows {
			builder.Field(0).(*array.TimestampBuilder).Append(arrow.Timestamp(batch*batchRows+row) / sensors)
			builder.Field(1).(*array.Int32Builder).Append(random.Int32N(sensors))
			builder.Field(2).(*array.Float32Builder).Append(100 * random.Float32())
		}
		record := builder.NewRecord()
		err := sorter.Write(record)
		record.Release()
		if err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "%d measurements in %d batches\n", batches*batchRows, batches)
	return nil
}

// report finds the longest time between two measurements of one sensor, which takes them in the order of the keys.
func report(w io.Writer, sorted array.RecordReader) error {
	var rows, longest int64
	var silent, lastSensor int32
	var last arrow.Timestamp
	for sorted.Next() {
		record := sorted.Record()
		seconds := record.Column(0).(*array.Timestamp).TimestampValues()
		numbers := record.Column(1).(*array.Int32).Int32Values()
		for row, second := range seconds {
			sensor := numbers[row]
			if sensor < lastSensor || sensor == lastSensor && second < last {
				return fmt.Errorf("row %d is out of order", rows+int64(row))
			}
			if pause := int64(second - last); sensor == lastSensor && pause > longest {
				longest, silent = pause, sensor
			}
			lastSensor, last = sensor, second
		}
		rows += record.NumRows()
	}
	fmt.Fprintf(w, "%d measurements in order; the longest silence is %d s, of sensor %d\n", rows, longest, silent)
	return sorted.Err()
}
