package parquetsort

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/allocators"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/output"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/roworder"
)

// mergeFiles merges files that are in order, or copies them where they follow one another.
func (j *job) mergeFiles(ctx context.Context, order *roworder.Sortedness, fanIn int) (*Result, error) {
	plan, err := order.Stats.Plan()
	if err != nil {
		return nil, err
	}
	written := roworder.Written(plan, j.rows)
	return j.withSorter(ctx, func(s *extsort.Sorter, out *output.Files) (*Result, error) {
		if err := out.Begin(written); err != nil {
			return nil, err
		}
		if files := order.Concatenable(); j.copies(files, s.Schema(), written, nil) {
			if err := j.copyRowGroups(ctx, out, files); err != nil {
				return nil, err
			}
			return copied(order)
		}
		if err := j.collectDictionaries(ctx, &out.Dictionaries); err != nil {
			return nil, err
		}
		sorted, err := s.MergeSources(j.sources(order, fanIn, s.Recycler()))
		if err != nil {
			return nil, err
		}
		defer sorted.Close()
		return writeSorted(ctx, s, out, sorted)
	})
}

// sources returns the files as sources of a merge, which get the first rows from the order.
func (j *job) sources(order *roworder.Sortedness, fanIn int, pool *allocators.Recycler) extsort.Sources {
	sources := extsort.Sources{Stats: order.Stats, Rows: order.Rows, Bytes: j.rows.Memory(j.files),
		Overlap: order.Overlap(), FanIn: fanIn}
	scan := dataset.ScanOptions{Columns: j.rows, Pool: pool, DecodeDictionaries: true,
		BatchBytes: j.files.Budget.Merge() / int64(2*max(min(sources.Overlap, fanIn), 1))}
	sources.Streams = order.Sources(func(path string) extsort.TableStream { return j.files.File(path, scan) })
	return sources
}

// collectDictionaries collects the dictionaries of all files, if there are any.
func (j *job) collectDictionaries(ctx context.Context, dictionaries *output.Dictionaries) error {
	if dictionaries.Columns() == nil {
		return nil
	}
	picked := dictionaries.Picked()
	scan := dataset.ScanOptions{Columns: j.rows.Pick(dictionaries.Columns()),
		Progress: j.opts.progress(PhaseDictionaries)}
	_, err := j.files.Scan(ctx, scan, func(_ int, batch arrow.Table) error {
		return picked.Collect(ctx, batch, j.opts.sorting())
	})
	if err != nil {
		return err
	}
	return dictionaries.Join(j.opts.Run.Allocator)
}
