package parquetsort

import (
	"context"
	"io"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
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
	part := slice(g.block, g.at, g.at+n)
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
