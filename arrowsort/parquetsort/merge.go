package parquetsort

import "context"

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
func (s *Sorter) mergeInto(in *inputs, order *fileOrder, out *outputs) (*Result, error) {
	plan, err := order.stats.plan()
	if err != nil {
		return nil, err
	}
	if err := out.order(in.sorting(plan)); err != nil {
		return nil, err
	}
	if files := order.sequence(); out.copies(in, files, nil) {
		if err := out.copyAll(s.ctx, in, files); err != nil {
			return nil, err
		}
		return order.copied()
	}
	if err := out.dictionaries.collectAll(s.ctx, in); err != nil {
		return nil, err
	}
	s.rows, s.allBytes = order.rows, in.memory+order.rows*rowOverhead
	rows, bytes, err := s.budget.group(s.rowBytes(), s.rows, s.opts.RowGroupRows)
	if err != nil {
		return nil, err
	}
	m, err := s.mergeFiles(in, order)
	if err != nil {
		return nil, err
	}
	sorted := newGroups(s.filter(m, plan, order.rows), s.decoded, rows, bytes, &s.opts)
	defer sorted.close()
	return s.writeAll(out, sorted, plan, order.rows)
}

// mergeFiles merges files: all at once, or as many at a time as the budget is for to runs.
func (s *Sorter) mergeFiles(in *inputs, order *fileOrder) (*merger, error) {
	fan := min(s.fan, s.budget.files(s.decoded.NumFields(), in.memory/int64(len(in.paths)), in.opts.footers))
	overlap := max(min(order.overlap(), fan), 1)
	read := *in
	read.flat, read.decode, read.piece = s.recycled, true, s.budget.merge()/int64(2*overlap)
	merging := func(files []orderedFile, progress *rowProgress) *merger {
		m := &merger{opts: &s.opts, schema: s.decoded, bytes: s.budget.merge(), progress: progress}
		for i := range files {
			f := &files[i]
			m.cursors = append(m.cursors, &cursor{source: &input{in: &read, path: f.path}, head: f.first})
			f.first = nil // is the cursor's
		}
		return m
	}
	if order.overlap() <= fan {
		s.writing.rows = order.rows
		return merging(order.files, &s.writing), nil
	}
	s.startReducing(order.rows, 1+s.passes((len(order.files)+fan-1)/fan))
	for files := order.files; len(files) > 0; {
		n := min(fan, len(files))
		r, err := s.spillAll(merging(files[:n], &s.reducing))
		if err != nil {
			return nil, err
		}
		s.runs = append(s.runs, r)
		files = files[n:]
	}
	if err := s.reduce(); err != nil {
		return nil, err
	}
	s.writing.rows = order.rows
	return s.mergeRuns(s.runs, &s.writing)
}
