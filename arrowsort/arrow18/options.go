package arrow18

import (
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18/internal/bridge"
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
	return arrowsort.Options{Limit: o.Limit, Engine: o.Engine, Allocator: bridge.Allocator(o.Allocator),
		Threads: o.Threads, Progress: o.Progress, OnPlan: o.OnPlan, BatchRows: o.BatchRows}
}
