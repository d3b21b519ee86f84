package parquetsort

import (
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// WriteFile writes the rows in order to a file, as Sort does, and is called in place of Sorted. Of the options it uses
// RowsPerFile, BytesPerFile, OutputFormat, Compression, PageRows, RowGroupRows, Delimiter, NoHeader and Progress, too.
// Result has no inputs.
func (s *Sorter) WriteFile(path string) (*Result, error) {
	out := &outputs{ctx: s.ctx, path: path, schema: s.decoded, head: head{opts: &s.opts}}
	out.closing.SetLimit(syncs)
	if s.opts.splits() {
		if err := checkOlder(path); err != nil {
			return nil, err
		}
	}
	var err error
	if out.options, err = s.opts.writing(path); err != nil {
		return nil, err
	}
	if out.options.Format == tablefile.Parquet {
		out.options.PageRows = s.opts.PageRows
		out.options.RowGroupRows = maxGroupRows // a table that is written is a row group
	}
	defer out.abort()
	sorted, err := s.merged()
	if err != nil {
		return nil, err
	}
	defer sorted.close()
	plan, err := s.stats.plan()
	if err != nil {
		return nil, err
	}
	if err := out.order(tablefile.SortingOf(plan, sortingOf(s.opts.Keys))); err != nil {
		return nil, err
	}
	result, err := s.writeAll(out, sorted, plan, s.rows)
	if err != nil {
		return nil, err
	}
	result.Runs, result.BytesSpilled = len(s.runs), s.spilled
	result.Columns, result.Schema, result.Outputs = s.decoded.NumFields(), s.decoded, out.paths
	if err := out.checkRows(-1, s.rows); err != nil {
		return nil, err
	}
	if result.BytesOut, err = out.commit(); err != nil {
		return nil, err
	}
	result.Head = out.head.table(s.decoded)
	return result, nil
}
