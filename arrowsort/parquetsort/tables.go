package parquetsort

import (
	"context"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/keyencode"
)

// filters reports whether rows are left out of the sorted order by more than a limit.
func (o *Options) filters() bool { return o.Unique || o.Tail > 0 }

// filter leaves rows of the sorted order out that are not wanted; the total is that of all rows. It closes the source
// with itself.
func (s *Sorter) filter(source tables, plan *keyencode.Plan, total int64) tables {
	switch {
	case s.opts.Unique:
		return &uniqueTables{tables: source, plan: plan, opts: &s.opts}
	case s.opts.Tail > 0:
		return &tailTables{source, max(total-s.opts.Tail, 0)}
	}
	return source
}

// tailTables leave out the first rows.
type tailTables struct {
	tables
	skip int64
}

func (t *tailTables) next(ctx context.Context) (arrow.Table, error) {
	for {
		piece, err := t.tables.next(ctx)
		if err != nil || t.skip == 0 {
			return piece, err
		}
		n := min(t.skip, piece.NumRows())
		t.skip -= n
		rest := slice(piece, n, piece.NumRows())
		piece.Release()
		if rest.NumRows() > 0 {
			return rest, nil
		}
		rest.Release()
	}
}

// uniqueTables keep the first row of each key.
type uniqueTables struct {
	tables
	plan *keyencode.Plan
	opts *Options
	keys distinctKeys
}

func (u *uniqueTables) next(ctx context.Context) (arrow.Table, error) {
	for {
		piece, err := u.tables.next(ctx)
		if err != nil {
			return nil, err
		}
		b, err := newBatch(ctx, piece, u.opts.Keys, u.opts)
		if err != nil {
			return nil, err
		}
		b.plan = u.plan.On(b.keys)
		rows := make([]uint64, b.rows)
		for i := range rows {
			rows[i] = uint64(i)
		}
		var kept arrow.Table
		if rows = u.keys.first(b, rows); len(rows) > 0 {
			kept, err = takeRows(ctx, piece, rows, u.opts)
		}
		b.release()
		if kept != nil || err != nil {
			return kept, err
		}
	}
}

// distinctKeys finds the first row of each key among rows in order.
type distinctKeys struct {
	last []uint64 // the code of the last row, which is empty where all rows tie
	any  bool     // there was one
}

// first keeps those of the next rows that are the first of their key.
func (d *distinctKeys) first(b *batch, rows []uint64) []uint64 {
	return slices.DeleteFunc(rows, func(row uint64) bool {
		code := b.code(int(row))
		again := d.any && slices.Equal(code, d.last)
		d.last, d.any = code, true
		return again
	})
}

// wanted are the numbers of those rows of a table, in sorted order, that the options want: of each key the first, then
// the leading or the last of them.
func (l *loaded) wanted(ctx context.Context, sorted []uint64) ([]uint64, error) {
	if l.opts.Unique && len(sorted) > 0 {
		l.rows.Retain()
		b, err := newBatch(ctx, l.rows, l.opts.Keys, l.opts)
		if err != nil {
			return nil, err
		}
		defer b.release()
		plan, err := b.stats.plan()
		if err != nil {
			return nil, err
		}
		b.plan = plan.On(b.keys)
		sorted = new(distinctKeys).first(b, slices.Clone(sorted))
	}
	all := int64(len(sorted))
	if n := l.opts.Limit; n > 0 {
		sorted = sorted[:min(n, all)]
	}
	if n := l.opts.Tail; n > 0 {
		sorted = sorted[max(all-n, 0):]
	}
	return sorted, nil
}

// takeRows is the rows of a table with some numbers.
func takeRows(ctx context.Context, table arrow.Table, rows []uint64, opts *Options) (arrow.Table, error) {
	b := array.NewUint64Builder(opts.Allocator)
	defer b.Release()
	b.AppendValues(rows, nil)
	numbers := b.NewArray()
	defer numbers.Release()
	return arrowsort.Take(ctx, table, numbers, opts.sorting())
}
