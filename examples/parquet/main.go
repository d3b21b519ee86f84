// Command parquet prepares a Parquet file for fast queries: it sorts the rows by delay and writes them again, so that a
// reader that looks for late flights skips row groups by their statistics. It checks what it wrote.
//
//	$ go run ./examples/parquet
//	1000000 rows by delay and date, 5 columns: in order
//	flights.parquet: 8 of 8 row groups may hold flights 60 minutes late
//	sorted.parquet: 1 of 8 row groups may hold flights 60 minutes late
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"

	"github.com/arrowsort/arrowsort/arrowsort"
)

const (
	rowGroupRows = 125_000
	late         = 60 // minutes
)

var keys = []arrowsort.Key{{Path: "delay", Order: arrowsort.Descending}, {Path: "date"}}

func main() {
	folder, err := os.MkdirTemp("", "arrowsort")
	if err != nil {
		log.Fatal(err)
	}
	err = run(context.Background(), os.Stdout, "examples/data/flights.parquet", filepath.Join(folder, "sorted.parquet"))
	if rmErr := os.RemoveAll(folder); err == nil {
		err = rmErr
	}
	if err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer, in, out string) error {
	if err := sortFile(ctx, in, out); err != nil {
		return err
	}
	written, err := read(ctx, out)
	if err != nil {
		return err
	}
	defer written.Release()
	sorted, row, err := arrowsort.IsSorted(ctx, written, keys, arrowsort.Options{})
	if err != nil {
		return err
	}
	if !sorted {
		return fmt.Errorf("%s: row %d sorts before its predecessor", out, row)
	}
	fmt.Fprintf(w, "%d rows by delay and date, %d columns: in order\n", written.NumRows(), written.NumCols())
	for _, path := range []string{in, out} {
		hit, all, err := rowGroupsWithLateFlights(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s: %d of %d row groups may hold flights %d minutes late\n", filepath.Base(path), hit, all,
			late)
	}
	return nil
}

func sortFile(ctx context.Context, in, out string) error {
	flights, err := read(ctx, in)
	if err != nil {
		return err
	}
	defer flights.Release()
	sorted, err := arrowsort.Sort(ctx, flights, keys, arrowsort.Options{})
	if err != nil {
		return err
	}
	defer sorted.Release()
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	defer f.Close() // WriteTable closes it too and returns errors
	return pqarrow.WriteTable(sorted, f, rowGroupRows,
		parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd)),
		pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
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

// rowGroupsWithLateFlights counts the row groups whose largest delay is late enough, from the footer alone.
func rowGroupsWithLateFlights(path string) (hit, all int, err error) {
	f, err := file.OpenParquetFile(path, false)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	delay := f.MetaData().Schema.ColumnIndexByName("delay")
	for group := range f.NumRowGroups() {
		column, err := f.MetaData().RowGroup(group).ColumnChunk(delay)
		if err != nil {
			return 0, 0, err
		}
		statistics, err := column.Statistics()
		if err != nil {
			return 0, 0, err
		}
		if delays, ok := statistics.(*metadata.Int64Statistics); !ok || delays.Max() >= late {
			hit++
		}
	}
	return hit, f.NumRowGroups(), nil
}
