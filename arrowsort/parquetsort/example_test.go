package parquetsort_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// A CSV file becomes a sorted Parquet file, within a budget of 64 MiB.
func ExampleSort() {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	in, out := filepath.Join(folder, "flights.csv"), filepath.Join(folder, "sorted.parquet")
	if err := os.WriteFile(in, []byte("carrier,delay\nUA,12\nAA,3\nUA,\nAA,70\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	result, err := parquetsort.Sort(context.Background(), []string{in}, out, parquetsort.Options{
		Keys:   []arrowsort.Key{{Path: "delay", Order: arrowsort.Descending}},
		Rows:   parquetsort.Rows{Limit: 3},
		Output: parquetsort.Output{Compression: parquetsort.Zstd.Level(9), Preview: 3},
		Memory: parquetsort.Memory{Budget: 64 << 20, SpillDir: folder},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer result.Preview.Release()
	fmt.Println(result.Rows, "of", result.RowsIn, "rows in", result.Runs, "runs")
	for i := range int(result.Preview.NumCols()) {
		fmt.Println(result.Preview.Column(i).Data().Chunk(0))
	}
	// Output:
	// 3 of 4 rows in 0 runs
	// ["AA" "UA" "AA"]
	// [70 12 3]
}

// Record batches become a sorted file.
func ExampleSorter() {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	schema := arrow.NewSchema([]arrow.Field{{Name: "delay", Type: arrow.PrimitiveTypes.Int16}}, nil)
	sorter, err := parquetsort.NewSorter(context.Background(), schema, []arrowsort.Key{{Path: "delay"}},
		parquetsort.SorterOptions{Memory: parquetsort.Memory{Budget: 64 << 20}})
	if err != nil {
		log.Fatal(err)
	}
	defer sorter.Close() // removes what was spilled
	for _, text := range []string{`[{"delay": 12}, {"delay": 3}]`, `[{"delay": 70}, {"delay": -4}]`} {
		batch, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(text))
		if err != nil {
			log.Fatal(err)
		}
		err = sorter.Write(batch)
		batch.Release()
		if err != nil {
			log.Fatal(err)
		}
	}
	result, err := sorter.WriteFile(filepath.Join(folder, "sorted.parquet"), parquetsort.Output{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Rows, "rows by", sorter.Schema().Field(0).Name)
	// Output: 4 rows by delay
}
