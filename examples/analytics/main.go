// Command analytics answers two questions about a million flights: what is the table in the order of several keys, and
// which are the k rows that lead it in another order. A limit makes the second much cheaper than a full sort.
//
//	$ go run ./examples/analytics
//	1000000 flights by airport, the most delayed first:
//	date                  delay  distance  origin  destination
//	2001-06-06 13:14:00Z  366    654       ABE     ORD
//	2001-03-04 22:20:00Z  297    692       ABE     ATL
//	2001-05-15 22:08:00Z  250    654       ABE     ORD
//	2001-05-13 13:11:00Z  231    424       ABE     DTW
//
//	The five most delayed of all:
//	date                  delay  distance  origin  destination
//	2001-01-19 22:42:00Z  1688   3972      HNL     MSP
//	2001-01-06 15:01:00Z  1575   1310      MCO     MSP
//	2001-02-03 00:00:00Z  1433   1671      PHX     DTW
//	2001-02-04 17:53:00Z  1420   1389      LGA     DFW
//	2001-02-08 23:59:00Z  1408   1671      PHX     DTW
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"

	"github.com/arrowsort/arrowsort/arrowsort"
)

func main() {
	if err := run(context.Background(), os.Stdout, "examples/data/flights.parquet"); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer, path string) error {
	flights, err := read(ctx, path)
	if err != nil {
		return err
	}
	defer flights.Release()

	byAirport := []arrowsort.Key{{Path: "origin"}, {Path: "delay", Order: arrowsort.Descending}, {Path: "date"}}
	sorted, err := arrowsort.Sort(ctx, flights, byAirport, arrowsort.Options{})
	if err != nil {
		return err
	}
	defer sorted.Release()
	fmt.Fprintf(w, "%d flights by airport, the most delayed first:\n", sorted.NumRows())
	if err := show(w, sorted, 4); err != nil {
		return err
	}

	byDelay := []arrowsort.Key{{Path: "delay", Order: arrowsort.Descending}, {Path: "distance"}}
	top, err := arrowsort.Sort(ctx, flights, byDelay, arrowsort.Options{Limit: 5})
	if err != nil {
		return err
	}
	defer top.Release()
	fmt.Fprintln(w, "\nThe five most delayed of all:")
	return show(w, top, top.NumRows())
}

func read(ctx context.Context, path string) (arrow.Table, error) {
	f, err := file.OpenParquetFile(path, false)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	reader, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{Parallel: true}, memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	return reader.ReadTable(ctx)
}

// show prints the first rows of a table.
func show(w io.Writer, table arrow.Table, rows int64) error {
	reader := array.NewTableReader(table, rows)
	defer reader.Release()
	reader.Next()
	record := reader.Record()
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	cells := make([]string, record.NumCols())
	for i := range cells {
		cells[i] = record.ColumnName(i)
	}
	fmt.Fprintln(out, strings.Join(cells, "\t"))
	for row := range int(record.NumRows()) {
		for i, column := range record.Columns() {
			cells[i] = column.ValueStr(row)
		}
		fmt.Fprintln(out, strings.Join(cells, "\t"))
	}
	return out.Flush()
}
