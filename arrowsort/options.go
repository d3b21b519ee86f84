package arrowsort

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/allocators"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
)

// Options are the options of a call. The zero value is right for most callers. To set an option that a function does
// not use is ErrOption. Allocator and Threads hold for all functions.
type Options struct {
	// Limit is the number of leading rows of the result that are wanted; 0 is all of them. Sort, SortIndices,
	// SortIndices32, Merge, MergeReaders, Take and SearchSorted use it.
	Limit int
	// Engine does the sorting; nil is the CPU. Sort, SortIndices, SortIndices32, Rank, RankAverage, PartitionNth and
	// SelectKPerGroup use it; the last four do the rest of their work on the CPU.
	Engine engine.Engine
	// Allocator allocates results and temporary memory; nil is memory.DefaultAllocator. It is called from one goroutine
	// at a time by each call. Large blocks of a *memory.GoAllocator are not zeroed, since every byte that is read is
	// written first.
	Allocator memory.Allocator
	// Threads is the largest number of threads of the CPU to use, where more than one pays; 0 is GOMAXPROCS.
	Threads int
	// Progress, when set, is called now and then during a sort, from one goroutine at a time, with the number of steps
	// that are done and of all steps. The engine chooses the steps. Merge and the functions that use an Engine use it.
	Progress func(done, total int)
	// OnPlan, when set, is passed the plan of each finished sort or merge. Merge, MergeReaders and the functions that
	// use an Engine use it.
	OnPlan func(Plan)
	// BatchRows is the largest number of rows of a record of MergeReaders, which alone uses it; 0 is DefaultBatchRows.
	BatchRows int
}

// DefaultBatchRows is Options.BatchRows when none is given.
const DefaultBatchRows = 1 << 16

// An optionSet is a set of options.
type optionSet uint8

const (
	optionLimit optionSet = 1 << iota
	optionEngine
	optionProgress
	optionOnPlan
	optionBatchRows

	sortOptions = optionEngine | optionProgress | optionOnPlan // of functions that sort
)

// optionNames are the names of the options, by their bits.
var optionNames = [...]string{"Limit", "Engine", "Progress", "OnPlan", "BatchRows"}

// given returns the options that are set.
func (o *Options) given() (given optionSet) {
	if o.Limit != 0 {
		given |= optionLimit
	}
	if o.Engine != nil {
		given |= optionEngine
	}
	if o.Progress != nil {
		given |= optionProgress
	}
	if o.OnPlan != nil {
		given |= optionOnPlan
	}
	if o.BatchRows != 0 {
		given |= optionBatchRows
	}
	return given
}

// An operation is a function of this package with the options that not all functions use.
type operation struct {
	name string
	uses optionSet
}

// resolved checks the options of an operation and fills in the defaults.
func (o Options) resolved(ctx context.Context, op operation) (Options, error) {
	switch {
	case ctx == nil:
		return o, fmt.Errorf("%w: the context is nil; give context.Background()", ErrOption)
	case o.Limit < 0:
		return o, fmt.Errorf("%w: Options.Limit is %d; give 0 for all rows", ErrOption, o.Limit)
	case o.Threads < 0:
		return o, fmt.Errorf("%w: Options.Threads is %d; give 0 for GOMAXPROCS", ErrOption, o.Threads)
	case o.BatchRows < 0:
		return o, fmt.Errorf("%w: Options.BatchRows is %d; give 0 for %d", ErrOption, o.BatchRows, DefaultBatchRows)
	}
	if unused := o.given() &^ op.uses; unused != 0 {
		name := optionNames[bits.TrailingZeros8(uint8(unused))]
		return o, fmt.Errorf("%w: Options.%s is set, which %s does not use; leave it out", ErrOption, name, op.name)
	}
	o.Allocator = allocators.Unzeroed(o.Allocator)
	if o.Engine == nil {
		o.Engine = cpu.New()
	}
	return o, nil
}

// limited returns the number of rows wanted of n.
func (o *Options) limited(n int) int {
	if o.Limit > 0 {
		return min(o.Limit, n)
	}
	return n
}
