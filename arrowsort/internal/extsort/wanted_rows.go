package extsort

import (
	"context"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/keyencode"
)

// tailStream leaves out the first rows. A limit is kept by rebatch, which makes the batches of the output, and by
// sortRun for each run.
type tailStream struct {
	TableStream
	skip int64
}

func (t *tailStream) Next(ctx context.Context) (arrow.Table, error) {
	for {
		piece, err := t.TableStream.Next(ctx)
		if err != nil || t.skip == 0 {
			return piece, err
		}
		n := min(t.skip, piece.NumRows())
		t.skip -= n
		rest := arraydata.SliceTable(piece, n, piece.NumRows())
		piece.Release()
		if rest.NumRows() > 0 {
			return rest, nil
		}
		rest.Release()
	}
}

// uniqueStream keeps the first row of each key.
type uniqueStream struct {
	TableStream
	plan *keyencode.Plan
	opts *Options
	keys distinctKeys
}

func (u *uniqueStream) Next(ctx context.Context) (arrow.Table, error) {
	for {
		piece, err := u.TableStream.Next(ctx)
		if err != nil {
			return nil, err
		}
		b, err := newKeyedRows(ctx, piece, u.opts.Keys, u.opts.Allocator)
		if err != nil {
			return nil, err
		}
		b.Bind(u.plan)
		rows := make([]uint64, b.rows)
		for i := range rows {
			rows[i] = uint64(i)
		}
		var kept arrow.Table
		if rows = u.keys.first(b, rows); len(rows) > 0 {
			kept, err = TakeRows(ctx, piece, rows, u.opts.taking())
		}
		b.Release()
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
func (d *distinctKeys) first(b *KeyedRows, rows []uint64) []uint64 {
	return slices.DeleteFunc(rows, func(row uint64) bool {
		code := b.Code(int(row))
		again := d.any && slices.Equal(code, d.last)
		d.last, d.any = code, true
		return again
	})
}

// FirstOfEachKey returns the first row of each key of a table, from the numbers of its rows in sorted order.
func FirstOfEachKey(ctx context.Context, table arrow.Table, sorted []uint64, keys []arrowsort.Key,
	mem memory.Allocator) ([]uint64, error) {
	if len(sorted) == 0 {
		return nil, nil
	}
	table.Retain()
	b, err := newKeyedRows(ctx, table, keys, mem)
	if err != nil {
		return nil, err
	}
	defer b.Release()
	plan, err := b.stats.Plan()
	if err != nil {
		return nil, err
	}
	b.Bind(plan)
	return new(distinctKeys).first(b, slices.Clone(sorted)), nil
}
