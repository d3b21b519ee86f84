package parquetsort

import (
	"context"
	"io"
	"slices"
	"sort"

	"github.com/apache/arrow/go/v15/arrow"
)

// A lane is the next rows of one of the sources that are merged. A source whose first row is known is not read before
// it is the next.
type lane struct {
	source  tables // nil behind its last row
	head    *batch // holds the keys of the first row, until the source is read; or nil
	batches []*batch
	bytes   int64 // of the batches
}

// fill reads until there are so many bytes, or no more rows.
func (l *lane) fill(ctx context.Context, bytes int64, opts *Options) error {
	for l.source != nil && l.head == nil && l.bytes < bytes {
		table, err := l.source.next(ctx)
		if err == io.EOF {
			l.source.close()
			l.source = nil
			return nil
		}
		if err != nil {
			return err
		}
		if table.NumRows() == 0 {
			table.Release()
			continue
		}
		b, err := newBatch(ctx, table, opts)
		if err != nil {
			return err
		}
		l.batches = append(l.batches, b)
		l.bytes += b.bytes
	}
	return nil
}

// last is the code of the last row that is known; nil, false when there is none.
func (l *lane) last() ([]uint64, bool) {
	if l.head != nil {
		return l.head.code(0), true
	}
	if len(l.batches) == 0 {
		return nil, false
	}
	b := l.batches[len(l.batches)-1]
	return b.code(b.rows - 1), true
}

// take appends the rows with codes up to a limit to parts, those that equal it if ties is set, and lets go of them.
// Parts are slices that the caller releases. Without a limit it takes all rows.
func (l *lane) take(parts []arrow.Table, limit []uint64, bounded, ties bool) []arrow.Table {
	before := func(b *batch, row int) bool {
		c := slices.Compare(b.code(row), limit)
		return c < 0 || c == 0 && ties
	}
	for len(l.batches) > 0 {
		b := l.batches[0]
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
		l.drop()
	}
	return parts
}

// drop lets go of the first batch.
func (l *lane) drop() {
	l.bytes -= l.batches[0].bytes
	l.batches[0].release()
	l.batches = l.batches[1:]
}

// begin has the source read from the next round on.
func (l *lane) begin() {
	if l.head != nil {
		l.head.release()
		l.head = nil
	}
}

func (l *lane) close() {
	l.begin()
	for len(l.batches) > 0 {
		l.drop()
	}
	if l.source != nil {
		l.source.close()
		l.source = nil
	}
}
