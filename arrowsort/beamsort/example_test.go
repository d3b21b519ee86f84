package beamsort_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/beamsort"
)

// ExampleSort sorts flights by their delay, the longest first, on the runner in this process.
func ExampleSort() {
	output, err := os.MkdirTemp("", "sorted")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(output)
	p, scope := beam.NewPipelineWithRoot()
	keys := []arrowsort.Key{{Path: "delay", Order: arrowsort.Descending}}
	_, err = beamsort.Sort(context.Background(), scope, []string{"../../examples/data/flights.parquet"}, output, keys,
		beamsort.Options{Shards: 2})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := prism.Execute(context.Background(), p); err != nil {
		log.Fatal(err)
	}
	shards, err := filepath.Glob(filepath.Join(output, "*"))
	if err != nil {
		log.Fatal(err)
	}
	for _, shard := range shards {
		fmt.Println(filepath.Base(shard))
	}
	// Output:
	// part-00001-of-00002.parquet
	// part-00002-of-00002.parquet
}
