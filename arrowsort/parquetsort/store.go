package parquetsort

import (
	"context"
	"fmt"
	"io"

	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
)

// A Store has files that are elsewhere, in an object store for instance, under addresses such as s3://bucket/x.parquet.
// Paths without a scheme are local files, whatever the store. Its methods may be called by several goroutines. Module
// arrowsort/blob has one for S3, Google Cloud Storage and Azure.
type Store interface {
	// Has reports whether an address is one of the store, by its scheme. Those of no store are taken for paths.
	Has(address string) bool
	// Open opens a file for reading.
	Open(ctx context.Context, address string) (File, error)
	// List returns the addresses of all files that begin with a prefix.
	List(ctx context.Context, prefix string) ([]string, error)
	// Check returns why no file can be created at an address, before the work that it is to hold is done.
	Check(ctx context.Context, address string) error
	// Create begins a file, which appears at its address with Commit.
	Create(ctx context.Context, address string) (NewFile, error)
	// Limit sets how many bytes of memory the store may take: for what is fetched ahead, and for what is not stored
	// yet. It is called before the first file is opened.
	Limit(bytes int64)
}

// A File is an open file that an Opener or a Store opens. ReadAt may be called by several goroutines; where it is
// called, the file is read and nowhere else: the metadata, and what is needed of the columns that are read. A file that
// has a method Announce is passed what will be read, see Announcer. One that has a method Version() string returns what
// no other file at its address does, even if it is of the same size; see Part.
type File interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// An Announcer is a File that can fetch ahead. Announce is called with ranges of bytes before they are read, each from
// front to back: the columns of a row group that are needed, of all that follow, or the whole file. Nobody waits for
// what was announced and is not read in the end.
type Announcer = tablefile.Announcer

// A Range is the bytes of a file from one offset up to another.
type Range = tablefile.Range

// A NewFile is a file of a Store that is not complete yet. Flush and Commit follow the last Write, in this order.
type NewFile interface {
	io.Writer
	Flush() error  // writes what is buffered, as far as that is possible
	Commit() error // makes the file appear; after an error it does not
	Abort()        // in place of Commit: nothing is left
}

// leastStoreBudget is the smallest budget of a sort with a store.
const leastStoreBudget = 64 << 20

// divideBudget returns the parts of a budget: for the sort, and for what the store fetches ahead and has not stored.
func divideBudget(budget int64) (sort, store int64, err error) {
	if budget < leastStoreBudget {
		return 0, 0, fmt.Errorf("%w: a budget of %d bytes is too small for an object store, which needs %d", errOption,
			budget, int64(leastStoreBudget))
	}
	store = extsort.StoreMemory(budget)
	return budget - store, store, nil
}

// storeFor returns the files of a store for the packages below; nil: there is no store.
func storeFor(ctx context.Context, s Store) *tablefile.Elsewhere {
	if s == nil {
		return nil
	}
	return &tablefile.Elsewhere{
		Has:  s.Has,
		Open: func(address string) (tablefile.File, error) { return s.Open(ctx, address) },
		List: func(prefix string) ([]string, error) { return s.List(ctx, prefix) },
		Create: func(ctx context.Context, address string) (atomicfile.File, error) {
			return s.Create(ctx, address)
		},
		Check: func(address string) error { return s.Check(ctx, address) },
	}
}

// List is Expand and Skipped for paths of which some are addresses of a store: files of it, patterns, which follow the
// rules of those of local files, and folders, which end in a slash. A nil store has none.
func List(ctx context.Context, paths []string, store Store) (files, skipped []string, err error) {
	return dataset.List(paths, storeFor(ctx, store))
}

// The paths of the command and of programs stand for the same files as those of Sort; package dataset lists them.

// Expand lists the files that some paths mean, in this order. A file is itself. A folder is the Parquet and Arrow files
// right in it. A pattern with *, ? or [ is the files that match it in the order of their paths; ** between slashes
// stands for any number of folders. As in a shell, wildcards match no hidden names, and ** follows no links; nor does
// it stand for folders whose names begin with an underscore. A pattern or folder without files, a pattern that ends in
// a slash, and a folder that cannot be read, is an error.
func Expand(paths []string) ([]string, error) {
	files, _, err := dataset.List(paths, nil)
	return files, err
}

// Skipped describes entries of the folders, and matches of the patterns, among some paths that Expand does not return:
// subfolders, CSV and other files of folders, one line for each kind.
func Skipped(paths []string) []string {
	_, skipped, _ := dataset.List(paths, nil) // Expand returns the error
	return skipped
}
