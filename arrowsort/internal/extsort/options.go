// Package extsort sorts Arrow tables of any size within a memory budget. It collects rows, sorts them run by run,
// spills the runs as Arrow streams, and merges them by codes that compare as the keys do. It knows no files but its
// runs.
package extsort

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
)

// Options are the options of a sort, after Resolve.
type Options struct {
	Keys             []arrowsort.Key
	Budget           Budget
	SpillDir         string // the folder of the runs
	SpillCompression string // lz4 or zstd; empty or none: not compressed
	BatchRows        int    // of a sorted batch; 0: DefaultBatchRows, or fewer where rows are wide
	BatchName        string // of sorted batches in errors; empty: batches
	Limit, Tail      int64  // leading or last rows that are wanted; 0: all
	Unique           bool   // the first row of each key is wanted
	// PartOf, when set, returns for a table of sorted rows the name of the part of the output that a row is in. The
	// rows of a part follow one another, and a batch has rows of one part.
	PartOf    func(table arrow.Table) PartNames
	Engine    engine.Engine
	Threads   int
	Allocator memory.Allocator
	Progress  func(phase Phase, done, total int64)

	ErrOption, ErrSchema error // that errors wrap; nil: those of arrowsort
}

// PartNames returns the name of the part that a row of a table is in.
type PartNames func(row int64) (string, error)

// Resolve checks the options but the keys, and sets those that are left out. Its errors match no kind, so that callers
// add theirs.
func (o *Options) Resolve() error {
	for _, n := range []struct {
		name  string
		value int64
	}{{"Limit", o.Limit}, {"Tail", o.Tail}, {"Threads", int64(o.Threads)}} {
		if n.value < 0 {
			return fmt.Errorf("%s is %d", n.name, n.value)
		}
	}
	if o.SpillCompression == "none" {
		o.SpillCompression = ""
	}
	switch {
	case o.SpillCompression != "" && o.SpillCompression != "lz4" && o.SpillCompression != "zstd":
		return fmt.Errorf("SpillCompression %q; use lz4 or zstd", o.SpillCompression)
	case o.Tail > 0 && (o.Limit > 0 || o.Unique):
		return fmt.Errorf("%s together with Limit or Unique", "Tail")
	}
	o.BatchName = cmp.Or(o.BatchName, "batches")
	o.SpillDir = cmp.Or(o.SpillDir, os.TempDir())
	o.Allocator = cmp.Or(o.Allocator, memory.DefaultAllocator)
	o.ErrOption, o.ErrSchema = cmp.Or(o.ErrOption, arrowsort.ErrOption), cmp.Or(o.ErrSchema, arrowsort.ErrSchema)
	if o.Progress == nil {
		o.Progress = func(Phase, int64, int64) {}
	}
	return nil
}

// sorting returns the options of arrowsort.Sort.
func (o *Options) sorting() arrowsort.Options {
	return arrowsort.Options{Threads: o.Threads, Allocator: o.Allocator, Engine: o.Engine}
}

// taking returns the options of arrowsort.Take.
func (o *Options) taking() arrowsort.Options {
	return arrowsort.Options{Threads: o.Threads, Allocator: o.Allocator}
}

// wanted returns how many of some rows the options want; 0 when the number depends on the keys.
func (o *Options) wanted(rows int64) int64 {
	if o.Unique {
		return 0
	}
	for _, most := range []int64{o.Limit, o.Tail} {
		if most > 0 {
			rows = min(rows, most)
		}
	}
	return rows
}

// CheckKeys returns an error if a schema does not have the keys, or they cannot be sorted.
func CheckKeys(ctx context.Context, schema *arrow.Schema, keys []arrowsort.Key) error {
	empty := arraydata.Concatenate(schema, nil)
	defer empty.Release()
	indices, err := arrowsort.SortIndices32(ctx, empty, keys, arrowsort.Options{})
	if err == nil {
		indices.Release()
	}
	return err
}

// A Phase is a step of a sort, as progress reports call it.
type Phase string

// The phases of a Sorter, all after the last Write.
const (
	PhaseSort  Phase = "sorting"             // all rows, in memory
	PhaseMerge Phase = "merging runs"        // to longer runs, if there are more than are merged at once
	PhaseWrite Phase = "merging and writing" // the sorted rows
)
