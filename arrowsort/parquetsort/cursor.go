package parquetsort

import (
	"context"
	"io"
	"slices"
	"sort"

	"github.com/apache/arrow/go/v15/arrow"
)

// A cursor is the next rows of one of the sources that are merged. A source whose first row is known is not read before
// it is the next.
type cursor struct {
	source  tables // nil after its last row
	head    *batch // holds the keys of the first row, until the source is read; or nil
	batches []*batch
	bytes   int64 // of the batches
}

// fill reads until the cursor holds the number of bytes, or no rows remain.
func (c *cursor) fill(ctx context.Context, bytes int64, opts *Options, progress *rowProgress) error {
	for c.source != nil && c.head == nil && c.bytes < bytes {
		table, err := c.source.next(ctx)
		if err == io.EOF {
			c.source.close()
			c.source = nil
			return nil
		}
		if err != nil {
			return err
		}
		if table.NumRows() == 0 {
			table.Release()
			continue
		}
		b, err := newBatch(ctx, table, opts.Keys, opts)
		if err != nil {
			return err
		}
		c.batches = append(c.batches, b)
		c.bytes += b.bytes
		progress.add(int64(b.rows), 0)
	}
	return nil
}

// last is the code of the last row that is known; nil, false when there is none.
func (c *cursor) last() ([]uint64, bool) {
	if c.head != nil {
		return c.head.code(0), true
	}
	if len(c.batches) == 0 {
		return nil, false
	}
	b := c.batches[len(c.batches)-1]
	return b.code(b.rows - 1), true
}

// take appends the rows with codes up to a limit to parts, those that equal it if ties is set, and lets go of them.
// Parts are slices that the caller releases. Without a limit it takes all rows.
func (c *cursor) take(parts []arrow.Table, limit []uint64, bounded, ties bool) []arrow.Table {
	before := func(b *batch, row int) bool {
		order := slices.Compare(b.code(row), limit)
		return order < 0 || order == 0 && ties
	}
	for len(c.batches) > 0 {
		b := c.batches[0]
		end := b.rows
		if bounded && !before(b, b.rows-1) {
			end = b.first + sort.Search(b.rows-b.first, func(i int) bool { return !before(b, b.first+i) })
		}
		if end > b.first {
			parts = append(parts, slice(b.table, int64(b.first), int64(end)))
		}
		b.first = end
		if end < b.rows {
			break
		}
		c.drop()
	}
	return parts
}

// drop lets go of the first batch.
func (c *cursor) drop() {
	c.bytes -= c.batches[0].bytes
	c.batches[0].release()
	c.batches = c.batches[1:]
}

// begin has the source read from the next round on.
func (c *cursor) begin() {
	if c.head != nil {
		c.head.release()
		c.head = nil
	}
}

func (c *cursor) close() {
	c.begin()
	for len(c.batches) > 0 {
		c.drop()
	}
	if c.source != nil {
		c.source.close()
		c.source = nil
	}
}
