package parquetsort

import (
	"context"
	"io"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
)

// groups cut what a source gives into pieces of a number of rows, whose columns have one chunk.
type groups struct {
	source tables
	opts   *Options
	schema *arrow.Schema
	rows   int64         // of a piece
	left   int64         // rows that are wanted in all
	parts  []arrow.Table // of the next piece
	have   int64         // their rows
	block  arrow.Table   // that is cut; nil before the first
	at     int64         // its rows that are cut off
}

func newGroups(source tables, schema *arrow.Schema, rows int, opts *Options) *groups {
	g := &groups{source: source, opts: opts, schema: schema, rows: int64(rows), left: 1<<63 - 1}
	if opts.Limit > 0 {
		g.left = opts.Limit
	}
	return g
}

func (g *groups) next(ctx context.Context) (arrow.Table, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	for want := min(g.rows, g.left); g.have < want; {
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
	group := concatenate(g.schema, g.parts)
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
	part := slice(g.block, g.at, g.at+n)
	g.at += n
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
	g.parts, g.have = nil, 0
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
