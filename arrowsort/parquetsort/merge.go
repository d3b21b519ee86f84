package parquetsort

import (
	"context"

	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
)

// Merge merges files, patterns and folders as Sort does, but each file has to be sorted by the keys already. The keys
// are read first to make sure of it: ErrUnsorted names the file and the first row that sorts before the one above it.
// Schemas, order of ties, outputs and their metadata are those of Sort.
//
// Rows are read side by side and nothing is sorted or spilled, unless more files overlap than fit in the budget: then
// some are merged to runs first. Of Parquet files that do not overlap the row groups are copied, byte by byte, if the
// output is to have their columns and compression, one file, and no other row groups, pages, limit or rows per file are
// asked for.
func Merge(ctx context.Context, paths []string, output string, opts Options) (*Result, error) {
	return sortOrMerge(ctx, paths, output, opts, true)
}

// mergeInto merges inputs that are in order.
func (in *inputs) mergeInto(ctx context.Context, s *extsort.Sorter, order *sortedness, out *outputs) (*Result, error) {
	plan, err := order.stats.Plan()
	if err != nil {
		return nil, err
	}
	if err := out.order(in.sorting(plan)); err != nil {
		return nil, err
	}
	if files := order.concatenable(); out.copies(in, files, nil) {
		if err := out.copyRowGroups(ctx, in, files); err != nil {
			return nil, err
		}
		return order.copied()
	}
	if err := out.collectDictionaries(ctx, in); err != nil {
		return nil, err
	}
	sorted, err := s.MergeSources(in.sources(s, order))
	if err != nil {
		return nil, err
	}
	defer sorted.Close()
	return writeAll(ctx, s, out, sorted)
}

// sources returns the files as sources of a merge, which get the first rows from the order.
func (in *inputs) sources(s *extsort.Sorter, order *sortedness) extsort.Sources {
	budget, columns := in.opts.budget(), s.Schema().NumFields()
	sources := extsort.Sources{Stats: order.stats, Rows: order.rows, Bytes: in.memory, Overlap: order.overlap(),
		FanIn: min(budget.FanIn(columns), budget.Files(columns, in.memory/int64(len(in.paths)), in.opts.footers))}
	read := *in
	read.flat, read.decode = s.Recycler(), true
	read.piece = budget.Merge() / int64(2*max(min(sources.Overlap, sources.FanIn), 1))
	for i := range order.files {
		f := &order.files[i]
		sources.Streams = append(sources.Streams, extsort.Source{Rows: &input{in: &read, path: f.path}, First: f.first})
		f.first = nil // is the source's
	}
	return sources
}
