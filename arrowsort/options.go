package arrowsort

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/allocators"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/keyencode"
)

// Options are how to do it; the zero value is right for most callers.
type Options struct {
	// Limit is the number of leading rows wanted: of the result in Sort, SortIndices, SortIndices32, Merge and
	// MergeReaders, of the rows to take or to search in Take and SearchSorted. All other functions read the first Limit
	// rows of the input. 0 is all rows.
	Limit int
	// Engine does the sorting; nil is the CPU. Take, Merge, MergeReaders, SearchSorted, IsSorted, Groups and Explain
	// are always done by the CPU, and so is what Rank, PartitionNth and SelectKPerGroup do after the sort.
	Engine engine.Engine
	// Allocator allocates results and temporary memory; nil is memory.DefaultAllocator. It is called from one
	// goroutine at a time by each call. Large blocks of a *memory.GoAllocator are had from Go without being zeroed:
	// every byte that counts is written.
	Allocator memory.Allocator
	// Threads is the largest number of threads of the CPU to use; 0 is GOMAXPROCS.
	Threads int
	// Progress, when set, is passed the progress of a sort at times, from one goroutine at a time: done of total
	// steps, whose size is up to the engine. Take, MergeReaders, SearchSorted, IsSorted, Groups and Explain do not
	// report it.
	Progress func(done, total int)
	// OnPlan, when set, is passed the plan of a finished sort or merge: the codes of the keys.
	OnPlan func(*keyencode.Plan)
}

// resolved checks the options and fills in the defaults.
func (o Options) resolved(ctx context.Context) (Options, error) {
	switch {
	case ctx == nil:
		return o, fmt.Errorf("%w: the context is nil; give context.Background()", ErrOption)
	case o.Limit < 0:
		return o, fmt.Errorf("%w: Options.Limit is %d; give 0 for all rows", ErrOption, o.Limit)
	case o.Threads < 0:
		return o, fmt.Errorf("%w: Options.Threads is %d; give 0 for GOMAXPROCS", ErrOption, o.Threads)
	}
	o.Allocator = allocators.Unzeroed(o.Allocator)
	if o.Engine == nil {
		o.Engine = cpu.New()
	}
	return o, nil
}

// limited is the number of rows wanted of n.
func (o *Options) limited(n int) int {
	if o.Limit > 0 {
		return min(o.Limit, n)
	}
	return n
}
