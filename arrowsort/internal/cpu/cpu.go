// Package cpu is the engine on the host's processors: a most significant digit partition of all columns at once,
// straight into the result, then a sort of each bin in cache. How a sort runs, each package calling those below it:
//
//	cpu        which way a job goes (sort_*.go), and merge, search, rank
//	partition  classifier -> histogram -> prefix sum -> scatter of all columns
//	binsort    the sort of one bin in cache, ties included
//	payload    what moves for each column, and how it becomes buffers of the result
//	keys       codes of rows: plan, sample, dictionaries of strings, order of neighbors, searches
//	scatter    kernels: gather, scatter, write combining
//
// docs/onesweep.md describes what follows the paper and what differs.
package cpu

import (
	"context"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/keyencode"
)

// New returns the CPU engine. It keeps nothing between calls but whether streaming stores are faster on this machine.
func New() engine.Engine { return cpu{usualThresholds} }

type cpu struct{ thresholds }

func (cpu) Name() string { return "cpu" }

// Sort carries out a job. Temp storage in addition to the result, in bytes per row:
//
//	0 to 2  codes that can be computed again from the sorted columns
//	8       more, codes that cannot; 4 more where ties then need row numbers
//	1       a nullable or Bool column
//	8       a string column; 2 if few strings are distinct
//	8       row numbers of 4 bytes
//	14      many columns of few rows
//	0 to 2  nearly sorted rows
//
// Each worker has 20 bytes, and those of the widest value, for each row of the longest bin of up to 65,536 rows. It has
// in addition 1 MiB, or 64 bytes for each bin, or for many columns of few rows up to 6 MiB and 8,192 values, or 2 MiB
// for the bytes of a bin of strings, and up to 640 KiB for each column of long strings and share of the rows where
// these move by write combining.
func (e cpu) Sort(ctx context.Context, job *engine.Job, mem engine.Allocator) (*engine.Result, error) {
	if fitsTiny(job) {
		return sortTiny(ctx, job, mem)
	}
	s, err := newMeasuredSorter(ctx, job, mem, e.thresholds)
	if err != nil {
		return nil, err
	}
	defer s.mem.Release()
	return s.sort()
}

// Explain measures the keys of a job and returns the plan, without sorting.
func Explain(ctx context.Context, job *engine.Job, mem engine.Allocator) (*keyencode.Plan, error) {
	explained := *job
	explained.Plan = true
	s, err := newSorter(ctx, &explained, mem)
	if err != nil {
		return nil, err
	}
	defer s.mem.Release()
	if err := s.keys.Measure(s.pool, false); err != nil {
		return nil, err
	}
	return s.keys.Plan, nil
}

// FirstUnsorted returns the first row that sorts before its predecessor, -1 when the rows are in order.
func FirstUnsorted(ctx context.Context, job *engine.Job, mem engine.Allocator) (int, error) {
	s, err := newSorter(ctx, job, mem)
	if err != nil {
		return 0, err
	}
	defer s.mem.Release()
	if err := s.keys.Measure(s.pool, false); err != nil {
		return 0, err
	}
	if s.keys.Plan.Words() == 0 || s.keys.Plan.Sorted() {
		return -1, nil
	}
	return s.keys.FirstUnsorted(s.pool, s.keys.Source(), s.rows, nil)
}

// MarkGroups marks the first row of each group of rows that tie in the keys of a job: it sets a bit in starts, which
// has a word for every 64 rows. Rows are taken in the order that rows lists; nil is the order of the input. It
// returns -1, or the first row that sorts before its predecessor; then starts is undefined.
func MarkGroups(
	ctx context.Context, job *engine.Job, rows []uint32, starts []uint64, mem engine.Allocator,
) (unsorted int, err error) {
	s, err := newSorter(ctx, job, mem)
	if err != nil {
		return 0, err
	}
	defer s.mem.Release()
	if err := s.keys.MeasureWords(s.pool); err != nil {
		return 0, err
	}
	if rows != nil {
		return s.keys.FirstUnsorted(s.pool, keys.NewList(s.keys.Source(), rows, 0), len(rows), starts)
	}
	return s.keys.FirstUnsorted(s.pool, s.keys.Source(), s.rows, starts)
}
