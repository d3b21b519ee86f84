// Command demo makes a table to try arrowsort-iceberg on: demo.flights, of the flights of the examples, with a SQLite
// catalog, in a folder that is empty or not there.
//
//	go run ./demo FOLDER
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"

	"github.com/arrowsort/arrowsort/arrowsort/icebergsort"
)

func main() {
	files := flag.Int("files", 8, "the number of data files, each from a commit")
	copies := flag.Int("copies", 1, "the number of times that each row is in the table")
	source := flag.String("source", "../../examples/data/flights.parquet", "the Parquet file of the rows")
	flag.Parse()
	if flag.NArg() != 1 || *files < 1 || *copies < 1 {
		fmt.Fprintln(os.Stderr, "demo: give a folder, and 1 or more files and copies")
		os.Exit(2)
	}
	if err := run(context.Background(), flag.Arg(0), *source, *files, *copies); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// run makes the table.
func run(ctx context.Context, folder, source string, files, copies int) error {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		return errors.Join(err, fmt.Errorf("%s is not empty", folder))
	}
	rows, err := read(ctx, source)
	if err != nil {
		return err
	}
	defer rows.Release()
	database := filepath.Join(folder, "catalog.db")
	cat, err := icebergsort.OpenCatalog(ctx, "sqlite:"+database, icebergsort.CatalogOptions{
		Name: "demo", Create: true, Warehouse: "file://" + filepath.Join(folder, "warehouse")})
	if err != nil {
		return err
	}
	if err := cat.CreateNamespace(ctx, []string{"demo"}, nil); err != nil {
		return err
	}
	t, err := create(ctx, cat, rows.Schema())
	if err != nil {
		return err
	}
	perFile := (rows.NumRows() + int64(files) - 1) / int64(files)
	for range copies {
		if t, err = fill(ctx, t, rows, perFile); err != nil {
			return err
		}
	}
	fmt.Printf("table demo.flights of catalog sqlite:%s: %d rows\n", database, rows.NumRows()*int64(copies))
	return nil
}

func read(ctx context.Context, path string) (arrow.Table, error) {
	r, err := file.OpenParquetFile(path, false)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	columns, err := pqarrow.NewFileReader(r, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	return columns.ReadTable(ctx)
}

func create(ctx context.Context, cat catalog.Catalog, columns *arrow.Schema) (*table.Table, error) {
	schema, err := table.ArrowSchemaToIcebergWithFreshIDs(columns, false)
	if err != nil {
		return nil, err
	}
	return cat.CreateTable(ctx, []string{"demo", "flights"}, schema)
}

// fill appends rows, a number of them in each commit.
func fill(ctx context.Context, t *table.Table, rows arrow.Table, perFile int64) (*table.Table, error) {
	batches := array.NewTableReader(rows, perFile)
	defer batches.Release()
	for batches.Next() {
		batch, err := array.NewRecordReader(rows.Schema(), []arrow.RecordBatch{batches.RecordBatch()})
		if err != nil {
			return nil, err
		}
		t, err = t.Append(ctx, batch, nil)
		batch.Release()
		if err != nil {
			return nil, err
		}
	}
	return t, batches.Err()
}
