package rows

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/rawmem"
)

// ErrRow is returned when bytes to decode are not rows of the converter. It matches arrow.ErrInvalid.
var ErrRow = fmt.Errorf("arrowsort/rows: malformed row: %w", arrow.ErrInvalid)

// Options are how to do it; the zero value is right for most callers.
type Options struct {
	// Allocator allocates results and temporary memory; nil is memory.DefaultAllocator. It is called from one
	// goroutine at a time by each call.
	Allocator memory.Allocator
	// Threads is the largest number of threads to use; 0 is GOMAXPROCS.
	Threads int
}

// resolved checks the options and fills in the defaults.
func (o Options) resolved(ctx context.Context) (Options, error) {
	if ctx == nil {
		return o, fmt.Errorf("%w: the context is nil; give context.Background()", arrowsort.ErrOption)
	}
	if o.Threads < 0 {
		return o, fmt.Errorf("%w: Options.Threads is %d; give 0 for GOMAXPROCS", arrowsort.ErrOption, o.Threads)
	}
	o.Allocator = rawmem.Of(o.Allocator)
	return o, nil
}
