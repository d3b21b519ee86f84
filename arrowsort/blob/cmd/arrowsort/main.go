// Command arrowsort is the command of arrowsort/cmd/arrowsort that reads and writes object stores as well.
//
//	arrowsort sort -k delay:desc -o s3://bucket/sorted.parquet 's3://bucket/flights/*.parquet'
//
// docs/objects.md describes addresses and credentials.
package main

import (
	"os"

	"github.com/arrowsort/arrowsort/arrowsort/blob"
	"github.com/arrowsort/arrowsort/arrowsort/internal/command"
)

func main() {
	os.Exit(command.Main(os.Args[1:], func() command.Store { return store{blob.NewStore(blob.Options{})} }))
}

// A store is one of package blob with its report.
type store struct{ *blob.Store }

func (s store) Traffic() command.Traffic { return command.Traffic(s.Stats()) }
