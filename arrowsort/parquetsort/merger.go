package parquetsort

import (
	"context"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A merger merges sorted rows into one sequence of pieces. It notes the numbers of the rows in their order and gathers
// the columns once a piece is full; batches that were read to their end stay until then, at most one for each of the runs
// beside what the piece itself takes.
type merger struct {
	opts    *Options
	schema  *arrow.Schema
	plan    *keyencode.Plan
	cursors []*cursor
	tree    *loserTree
	rows    int           // of a piece
	order   []uint32      // rows of the piece so far
	batches []arrow.Table // that order refers to, one behind the other
	first   uint32        // row number behind them
}

// newMerger merges sources, of which those with lower numbers win ties. It closes them with itself, also after an error.
func newMerger(ctx context.Context, sources []tables, schema *arrow.Schema, plan *keyencode.Plan, rows int, opts *Options) (*merger, error) {
	m := &merger{opts: opts, schema: schema, plan: plan, rows: rows}
	for _, source := range sources {
		m.cursors = append(m.cursors, &cursor{source: source, mem: heldMemory{Allocator: opts.Allocator}})
	}
	for _, c := range m.cursors {
		if err := m.load(ctx, c); err != nil {
			m.close()
			return nil, err
		}
	}
	m.tree = newLoserTree(m.cursors)
	return m, nil
}

// load steps a cursor to its next batch, which joins those to gather from.
func (m *merger) load(ctx context.Context, c *cursor) error {
	err := c.load(ctx, m.plan, m.opts.Keys)
	if c.piece != nil {
		m.batches = append(m.batches, c.piece)
		c.first = m.first
		m.first += uint32(c.piece.NumRows())
	}
	return err
}

// next returns the next piece; io.EOF behind the last.
func (m *merger) next(ctx context.Context) (arrow.Table, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	for len(m.order) < m.rows {
		c := m.tree.winner()
		if c.piece == nil {
			break
		}
		m.order = append(m.order, c.first+uint32(c.row))
		if !c.step() {
			if err := m.load(ctx, c); err != nil {
				return nil, err
			}
		}
		m.tree.replay()
	}
	if len(m.order) == 0 {
		return nil, io.EOF
	}
	piece, err := m.gather(ctx)
	if err == nil {
		m.forget()
	}
	return piece, err
}

// gather makes the piece of the noted rows.
func (m *merger) gather(ctx context.Context) (arrow.Table, error) {
	all := concatenate(m.schema, m.batches)
	defer all.Release()
	data := array.NewData(arrow.PrimitiveTypes.Uint32, len(m.order),
		[]*memory.Buffer{nil, memory.NewBufferBytes(arrow.Uint32Traits.CastToBytes(m.order))}, nil, 0, 0)
	defer data.Release()
	order := array.NewUint32Data(data)
	defer order.Release()
	return arrowsort.Take(ctx, all, order, m.opts.sorting())
}

// concatenate is the rows of some tables as one table, without a copy.
func concatenate(schema *arrow.Schema, parts []arrow.Table) arrow.Table {
	columns := make([]arrow.Column, schema.NumFields())
	rows := int64(0)
	for _, p := range parts {
		rows += p.NumRows()
	}
	for i := range columns {
		var chunks []arrow.Array
		for _, p := range parts {
			chunks = append(chunks, p.Column(i).Data().Chunks()...)
		}
		data := arrow.NewChunked(schema.Field(i).Type, chunks)
		columns[i] = *arrow.NewColumn(schema.Field(i), data)
		data.Release()
		defer columns[i].Release()
	}
	return array.NewTable(schema, columns, rows)
}

// forget begins the next piece: only the batches that cursors stand in are left.
func (m *merger) forget() {
	kept := m.batches[:0:0]
	m.order, m.first = m.order[:0], 0
	for _, c := range m.cursors {
		if c.piece != nil {
			c.piece.Retain()
			kept = append(kept, c.piece)
			c.first = m.first
			m.first += uint32(c.piece.NumRows())
		}
	}
	m.release()
	m.batches = kept
}

func (m *merger) release() {
	for _, b := range m.batches {
		b.Release()
	}
	m.batches = nil
}

func (m *merger) close() {
	m.release()
	for _, c := range m.cursors {
		c.close()
	}
	m.cursors = nil
}
