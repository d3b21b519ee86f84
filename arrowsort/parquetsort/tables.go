package parquetsort

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/keyencode"
)

// groups cut what a source gives into pieces of a number of rows, or of fewer that take some bytes, whose columns have
// one chunk.
type groups struct {
	source tables
	opts   *Options
	schema *arrow.Schema
	rows   int64         // of a piece
	bytes  int64         // of a piece; 0: any
	left   int64         // rows that are wanted in all
	parts  []arrow.Table // of the next piece
	have   int64         // their rows
	size   int64         // their bytes
	block  arrow.Table   // that is cut; nil before the first
	at     int64         // its rows that are cut off
}

func newGroups(source tables, schema *arrow.Schema, rows, bytes int64, opts *Options) *groups {
	g := &groups{source: source, opts: opts, schema: schema, rows: rows, bytes: bytes, left: 1<<63 - 1}
	if opts.Limit > 0 {
		g.left = opts.Limit
	}
	return g
}

func (g *groups) next(ctx context.Context) (arrow.Table, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	for want := min(g.rows, g.left); g.have < want && !g.full(); {
		if err := g.load(ctx); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		if err := g.cut(ctx, want-g.have); err != nil {
			return nil, err
		}
	}
	if g.have == 0 {
		return nil, io.EOF
	}
	group := arraydata.Concatenate(g.schema, g.parts)
	g.drop()
	g.left -= group.NumRows()
	for i := range int(group.NumCols()) {
		if len(group.Column(i).Data().Chunks()) > 1 {
			defer group.Release()
			return copyTable(ctx, group, g.opts)
		}
	}
	return group, nil
}

// full reports whether the next piece has its bytes.
func (g *groups) full() bool { return g.bytes > 0 && g.have > 0 && g.size >= g.bytes }

// load makes sure that there is a block with rows.
func (g *groups) load(ctx context.Context) (err error) {
	for g.block == nil || g.at == g.block.NumRows() {
		g.dropBlock()
		if g.block, err = g.source.next(ctx); err != nil {
			g.block = nil
			return err
		}
	}
	return nil
}

// cut takes up to some rows from the block. A small rest of a block is copied, as it would keep all of it in memory.
func (g *groups) cut(ctx context.Context, n int64) error {
	all := g.block.NumRows()
	n = min(n, all-g.at)
	if g.bytes > 0 {
		n = min(n, fitting(g.block, g.at, g.bytes-g.size))
	}
	part := arraydata.SliceTable(g.block, g.at, g.at+n)
	g.at += n
	g.size += arraydata.TableBytes(part)
	if g.at == all && n < g.rows && n < all/2 {
		copied, err := copyTable(ctx, part, g.opts)
		part.Release()
		if err != nil {
			return err
		}
		part = copied
	}
	g.parts = append(g.parts, part)
	g.have += n
	return nil
}

func (g *groups) drop() {
	arraydata.Release(g.parts)
	g.parts, g.have, g.size = nil, 0, 0
}

func (g *groups) dropBlock() {
	if g.block != nil {
		g.block.Release()
	}
	g.block, g.at = nil, 0
}

func (g *groups) close() {
	g.drop()
	g.dropBlock()
	g.source.close()
}

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
		rest := arraydata.SliceTable(piece, n, piece.NumRows())
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

// copyTable is a table with a copy of the rows, each column in one chunk unless its strings pass 2 GiB.
func copyTable(ctx context.Context, table arrow.Table, opts *Options) (arrow.Table, error) {
	rows := identity(table.NumRows(), opts.Allocator)
	defer rows.Release()
	return arrowsort.Take(ctx, table, rows, opts.sorting())
}

// identity are the numbers of n rows.
func identity(n int64, mem memory.Allocator) arrow.Array {
	b := array.NewUint32Builder(mem)
	defer b.Release()
	b.Reserve(int(n))
	for i := range n {
		b.UnsafeAppend(uint32(i))
	}
	return b.NewArray()
}

// reader gives tables as an array.RecordReader.
type reader struct {
	ctx    context.Context
	schema *arrow.Schema
	source tables
	rec    arrow.Record
	err    error
	refs   atomic.Int64
}

func newReader(ctx context.Context, schema *arrow.Schema, source tables) array.RecordReader {
	r := &reader{ctx: ctx, schema: schema, source: source}
	r.refs.Store(1)
	return r
}

func (r *reader) Schema() *arrow.Schema { return r.schema }
func (r *reader) Record() arrow.Record  { return r.rec }
func (r *reader) Err() error            { return r.err }
func (r *reader) Retain()               { r.refs.Add(1) }

func (r *reader) Release() {
	if r.refs.Add(-1) == 0 {
		r.drop()
		r.source.close()
	}
}

func (r *reader) drop() {
	if r.rec != nil {
		r.rec.Release()
		r.rec = nil
	}
}

// Next steps to the next batch, which stays until the next call.
func (r *reader) Next() bool {
	r.drop()
	if r.err != nil {
		return false
	}
	piece, err := r.source.next(r.ctx)
	if err == io.EOF {
		return false
	}
	if err == nil {
		r.rec, err = asRecord(piece)
		piece.Release()
	}
	r.err = err
	return err == nil
}

// asRecord is a table whose columns have one chunk as a record.
func asRecord(table arrow.Table) (arrow.Record, error) {
	columns := make([]arrow.Array, table.NumCols())
	for i := range columns {
		chunks := table.Column(i).Data().Chunks()
		if len(chunks) != 1 {
			return nil, fmt.Errorf("%w: column %q passes 2 GiB in a batch of %d rows; ask for fewer",
				errkind.ErrBudget, table.Schema().Field(i).Name, table.NumRows())
		}
		columns[i] = chunks[0]
	}
	return array.NewRecord(table.Schema(), columns, table.NumRows()), nil
}
