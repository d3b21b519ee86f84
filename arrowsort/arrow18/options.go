package arrow18

import (
	"errors"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	v15 "github.com/apache/arrow/go/v15/arrow"
	memory15 "github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
)

// Options are arrowsort.Options with an allocator of v18. The zero value is right for most callers. An option that a
// function does not use is arrowsort.ErrOption, but for Allocator and Threads.
type Options struct {
	// Limit is the number of leading rows of the result that are wanted; 0 is all of them. Sort, SortIndices,
	// SortIndices32, Merge, MergeReaders, Take and SearchSorted use it.
	Limit int
	// Engine does the sorting; nil is the CPU. Sort, SortIndices, SortIndices32, Rank, RankAverage, PartitionNth and
	// SelectKPerGroup use it; what the last four do after the sort is done by the CPU.
	Engine engine.Engine
	// Allocator allocates results and temporary memory; nil is memory.DefaultAllocator. It is called from one
	// goroutine at a time by each call. Large blocks of a *memory.GoAllocator are had from Go without being zeroed:
	// every byte that counts is written.
	Allocator memory.Allocator
	// Threads is the largest number of threads of the CPU to use, where more than one pays; 0 is GOMAXPROCS.
	Threads int
	// Progress, when set, is passed the progress of a sort at times, from one goroutine at a time: done of total
	// steps, whose size is up to the engine. Merge and the functions that use an Engine use it.
	Progress func(done, total int)
	// OnPlan, when set, is passed the plan of each finished sort or merge. Merge, MergeReaders and the functions that
	// use an Engine use it.
	OnPlan func(arrowsort.Plan)
	// BatchRows is the largest number of rows of a record of MergeReaders, which alone uses it; 0 is
	// arrowsort.DefaultBatchRows.
	BatchRows int
}

// core returns the options of the core. Allocators of both versions have the same methods.
func (o Options) core() arrowsort.Options {
	return arrowsort.Options{Limit: o.Limit, Engine: o.Engine, Allocator: allocator(o.Allocator), Threads: o.Threads,
		Progress: o.Progress, OnPlan: o.OnPlan, BatchRows: o.BatchRows}
}

// allocator returns the allocator for the core, which recognizes the Go allocator of v15.
func allocator(mem memory.Allocator) memory15.Allocator {
	if mem == nil {
		mem = memory.DefaultAllocator
	}
	if _, ok := mem.(*memory.GoAllocator); ok {
		return memory15.NewGoAllocator()
	}
	return mem
}

// twins are Arrow's errors in both versions.
var twins = []struct{ v18, v15 error }{
	{arrow.ErrInvalid, v15.ErrInvalid}, {arrow.ErrNotImplemented, v15.ErrNotImplemented},
	{arrow.ErrKey, v15.ErrKey}, {arrow.ErrIndex, v15.ErrIndex}, {arrow.ErrType, v15.ErrType},
}

// failure is an error of the core that matches Arrow's errors of v18 where it matches those of v15.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

func (f failure) Is(target error) bool {
	for _, twin := range twins {
		if target == twin.v18 {
			return errors.Is(f.error, twin.v15)
		}
	}
	return false
}

// translate lets an error match errors of both versions.
func translate(err error) error {
	if err == nil {
		return nil
	}
	return failure{err}
}
