// Package extsort sorts any number of Arrow record batches within a memory budget.
//
// A [Sorter] takes batches, sorts them run by run, spills the runs to a folder as Arrow streams, and merges them. Rows
// that tie keep the order in which they were written; the order of keys is that of package arrowsort. Rows that fit in
// the budget are not spilled.
//
// The package imports no Parquet: programs that use the Parquet package of any version of Arrow can use it. Package
// parquetsort sorts files.
package extsort

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
)

// Options are the options of a Sorter. The zero value is right for most callers.
type Options struct {
	// Memory is the budget in bytes, at least MinMemory; 0 is half of what the machine or container has. It covers the
	// rows and the temporary memory of the sort. To keep garbage within it too, give the process a limit with
	// debug.SetMemoryLimit or GOMEMLIMIT.
	Memory int64
	// SpillDir is the folder in which runs are spilled; empty is os.TempDir. Runs that a killed process left there are
	// removed by the next sort that spills.
	SpillDir string
	// SpillCompression compresses the runs: lz4 or zstd; empty and none do not.
	SpillCompression string
	// BatchRows is the number of rows of a sorted batch: 0 is 262,144, or less where rows are wide. Batches that take
	// more than an eighth of the budget are ErrMemory.
	BatchRows int
	// Limit is the number of leading rows of the sorted order that are wanted, Tail that of the last rows; 0 is all.
	// Unique wants only the first row of each key. Of Limit, Tail and Unique only Limit and Unique go together.
	Limit, Tail int64
	Unique      bool
	// Engine sorts the runs, and the rows that are merged, one after the other; nil is the CPU.
	Engine engine.Engine
	// Threads is the largest number of threads of the CPU to use; 0 is GOMAXPROCS.
	Threads int
	// Allocator gives the memory of the rows; nil is memory.DefaultAllocator. It must be safe for concurrent use.
	Allocator memory.Allocator
	// Progress, when set, is called now and then after the last Write, with the rows of a phase that are done and all
	// of them; a total of 0 is not known. PhaseSort counts steps in place of rows. It is called from one goroutine at a
	// time.
	Progress func(phase Phase, done, total int64)
}

// MinMemory is the smallest budget.
const MinMemory = extsort.MinMemory

// A Phase is a step of a sort, for Options.Progress.
type Phase = extsort.Phase

// The phases. Runs are merged to longer runs if there are more than can be merged at once.
const (
	PhaseSort  = extsort.PhaseSort  // all rows are sorted in memory
	PhaseMerge = extsort.PhaseMerge // runs are merged to longer runs
	PhaseWrite = extsort.PhaseWrite // sorted batches are read
)

// The kinds of errors, for errors.Is: those of package arrowsort.
var (
	// ErrOption is returned for an invalid option, and for calls in the wrong order.
	ErrOption = arrowsort.ErrOption
	// ErrSchema is returned for a batch with other columns than the sorter's.
	ErrSchema = arrowsort.ErrSchema
	// ErrMemory is returned when something does not fit in the budget that cannot be spilled.
	ErrMemory = arrowsort.ErrMemory
)

// The kinds with the words of this package.
var (
	errOption = errkind.Reword(ErrOption, "extsort: invalid option")
	errSchema = errkind.Reword(ErrSchema, "extsort: schemas differ")
)

// A Sorter sorts record batches within a memory budget: Write and WriteFrom take them, Sorted gives all of them back in
// order. It is used by one goroutine. Close it in any case, after the release of the reader: it removes the runs.
type Sorter struct{ sorter *extsort.Sorter }

// NewSorter begins a sort of batches of a schema by keys, the most significant first. The context ends it early.
// Dictionary columns come back as their values.
func NewSorter(ctx context.Context, schema *arrow.Schema, keys []arrowsort.Key, opts Options) (*Sorter, error) {
	switch {
	case ctx == nil:
		return nil, fmt.Errorf("%w: the context is nil; give context.Background()", errOption)
	case schema == nil:
		return nil, fmt.Errorf("%w: the schema is nil", errOption)
	case len(keys) == 0:
		return nil, arrowsort.ErrNoKeys
	case opts.BatchRows < 0:
		return nil, fmt.Errorf("%w: BatchRows is %d", errOption, opts.BatchRows)
	}
	budget, err := extsort.ResolveMemory(opts.Memory)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errOption, err)
	}
	resolved := extsort.Options{Keys: keys, Budget: extsort.Budget{Total: budget, All: budget}, SpillDir: opts.SpillDir,
		SpillCompression: opts.SpillCompression, BatchRows: opts.BatchRows, Limit: opts.Limit, Tail: opts.Tail,
		Unique: opts.Unique, Engine: opts.Engine, Threads: opts.Threads, Allocator: opts.Allocator,
		Progress: opts.Progress, ErrOption: errOption, ErrSchema: errSchema}
	if err := resolved.Resolve(); err != nil {
		return nil, fmt.Errorf("%w: %w", errOption, err)
	}
	s, err := extsort.New(ctx, schema, resolved)
	if err != nil {
		return nil, err
	}
	return &Sorter{s}, nil
}

// Schema returns the schema of the sorted batches.
func (s *Sorter) Schema() *arrow.Schema { return s.sorter.Schema() }

// Write takes a batch of the sorter's schema; the caller may release it. It sorts and spills a run first if there is no
// memory for the batch. After an error the sorter can only be closed.
func (s *Sorter) Write(batch arrow.Record) error { return s.sorter.Write(batch) }

// WriteFrom writes all batches of a reader, which the caller releases. An error of the reader is returned.
func (s *Sorter) WriteFrom(reader array.RecordReader) error {
	if adapter.IsNil(reader) {
		return fmt.Errorf("%w: the reader is nil", errOption)
	}
	for reader.Next() {
		if err := s.Write(reader.Record()); err != nil {
			return err
		}
	}
	return reader.Err()
}

// Sorted returns the rows in order, in batches of Options.BatchRows. It is called once, after the last Write. The
// caller releases the reader, then closes the sorter.
func (s *Sorter) Sorted() (array.RecordReader, error) { return s.sorter.Sorted() }

// Stats are what a Sorter did so far.
type Stats struct {
	Rows         int64 // that were written
	Runs         int   // that are merged by Sorted, or were spilled before; 0: all rows are in memory
	BytesSpilled int64 // of all runs, in all passes
}

// Stats returns what the sorter did so far. It is complete after Sorted.
func (s *Sorter) Stats() Stats {
	runs, bytes := s.sorter.Spilled()
	return Stats{Rows: s.sorter.Rows(), Runs: runs, BytesSpilled: bytes}
}

// Close removes the runs. It may be called more than once.
func (s *Sorter) Close() error { return s.sorter.Close() }
