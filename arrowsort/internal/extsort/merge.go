package extsort

import (
	"context"
	"io"
	"slices"
	"sort"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/internal/workers"
)

// A merger merges sorted sources; rows that tie come in the order of the sources. In each round it has the next rows of
// every source in memory. The source whose rows there end first sets the limit: rows that sort up to its last row are
// complete. They are found in each source by bisection and sorted as one table: the radix sort takes less time than a
// tree of comparisons for each row. Rows of a single source are returned as they are.
type merger struct {
	opts    *Options
	schema  *arrow.Schema
	cursors []*cursor
	bytes   int64 // of all cursors

	progress *rowProgress // of the rows that are read
}

// Next returns the next rows; io.EOF after the last.
func (m *merger) Next(ctx context.Context) (arrow.Table, error) {
	for {
		if err := m.fill(ctx); err != nil {
			return nil, err
		}
		if err := m.planCodes(); err != nil {
			return nil, err
		}
		parts, sources, more := m.takeComplete()
		switch {
		case sources == 0 && !more:
			return nil, io.EOF
		case sources == 1:
			return m.join(parts), nil
		case sources > 1:
			all := m.join(parts)
			defer all.Release()
			return arrowsort.Sort(ctx, all, m.opts.Keys, m.opts.sorting())
		}
	}
}

// join makes one table of parts, which it consumes.
func (m *merger) join(parts []arrow.Table) arrow.Table {
	all := arraydata.Concatenate(m.schema, parts)
	arraydata.Release(parts)
	return all
}

// fill reads until every cursor has its bytes, or all rows of its source.
func (m *merger) fill(ctx context.Context) error {
	reading := int64(0)
	for _, c := range m.cursors {
		if c.source != nil && c.first == nil {
			reading++
		}
	}
	window := m.bytes / max(reading, 1)
	return errkind.Contain(func() error {
		return workers.Each(ctx, len(m.cursors), m.opts.Threads, func(i int) error {
			return m.cursors[i].fill(ctx, window, m.opts, m.progress)
		})
	})
}

// planCodes makes one plan for the codes of all rows in memory.
func (m *merger) planCodes() error {
	var round KeyStatistics
	empty := true
	for _, c := range m.cursors {
		if c.first != nil {
			round.merge(&c.first.stats)
		}
		for _, b := range c.batches {
			round.merge(&b.stats)
		}
		empty = empty && c.first == nil && len(c.batches) == 0
	}
	if empty {
		return nil
	}
	plan, err := round.Plan()
	if err != nil {
		return err
	}
	for _, c := range m.cursors {
		if c.first != nil {
			c.first.Bind(plan)
		}
		for _, b := range c.batches {
			b.Bind(plan)
		}
	}
	return nil
}

// takeComplete takes the rows that are complete, source by source. It returns the number of these sources, and whether
// more rows may follow.
func (m *merger) takeComplete() (parts []arrow.Table, sources int, more bool) {
	var limit []uint64
	limiting := -1
	for i, c := range m.cursors {
		if c.source == nil {
			continue
		}
		if last, ok := c.last(); ok && (limiting < 0 || slices.Compare(last, limit) < 0) {
			limit, limiting = last, i
		}
	}
	for i, c := range m.cursors {
		n := len(parts)
		// Ties of later sources wait for those of the limiting one.
		parts = c.takeUpTo(parts, limit, limiting >= 0, i <= limiting)
		if len(parts) > n {
			sources++
		}
	}
	if limiting >= 0 {
		m.cursors[limiting].begin()
	}
	return parts, sources, limiting >= 0
}

func (m *merger) Close() {
	for _, c := range m.cursors {
		c.Close()
	}
	m.cursors = nil
}

// A Source is sorted rows that are merged with others. One whose first row is known is not read before it is the next.
type Source struct {
	Rows  TableStream
	First *KeyedRows // the keys of the first row; nil: it is not known
}

func closeSources(sources []Source) {
	for _, s := range sources {
		s.Rows.Close()
		if s.First != nil {
			s.First.Release()
		}
	}
}

// A cursor is the next rows of a source.
type cursor struct {
	source  TableStream // nil after its last row
	first   *KeyedRows  // holds the keys of the first row, until the source is read; or nil
	batches []*KeyedRows
	bytes   int64 // of the batches
}

// fill reads until the cursor holds the number of bytes, or no rows remain.
func (c *cursor) fill(ctx context.Context, bytes int64, opts *Options, progress *rowProgress) error {
	for c.source != nil && c.first == nil && c.bytes < bytes {
		table, err := c.source.Next(ctx)
		if err == io.EOF {
			c.source.Close()
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
		b, err := newKeyedRows(ctx, table, opts.Keys, opts.Allocator)
		if err != nil {
			return err
		}
		c.batches = append(c.batches, b)
		c.bytes += b.bytes
		progress.add(int64(b.rows), 0)
	}
	return nil
}

// last returns the code of the last row that is known; nil, false when there is none.
func (c *cursor) last() ([]uint64, bool) {
	if c.first != nil {
		return c.first.Code(0), true
	}
	if len(c.batches) == 0 {
		return nil, false
	}
	b := c.batches[len(c.batches)-1]
	return b.Code(b.rows - 1), true
}

// takeUpTo moves the rows with codes up to a limit to parts, those that equal it if ties is set. Parts are slices that
// the caller releases. Without a limit it takes all rows.
func (c *cursor) takeUpTo(parts []arrow.Table, limit []uint64, bounded, ties bool) []arrow.Table {
	before := func(b *KeyedRows, row int) bool {
		order := slices.Compare(b.Code(row), limit)
		return order < 0 || order == 0 && ties
	}
	for len(c.batches) > 0 {
		b := c.batches[0]
		end := b.rows
		if bounded && !before(b, b.rows-1) {
			end = b.first + sort.Search(b.rows-b.first, func(i int) bool { return !before(b, b.first+i) })
		}
		if end > b.first {
			parts = append(parts, arraydata.SliceTable(b.table, int64(b.first), int64(end)))
		}
		b.first = end
		if end < b.rows {
			break
		}
		c.drop()
	}
	return parts
}

// drop releases the first batch.
func (c *cursor) drop() {
	c.bytes -= c.batches[0].bytes
	c.batches[0].Release()
	c.batches = c.batches[1:]
}

// begin lets the source be read in the next round.
func (c *cursor) begin() {
	if c.first != nil {
		c.first.Release()
		c.first = nil
	}
}

func (c *cursor) Close() {
	c.begin()
	for len(c.batches) > 0 {
		c.drop()
	}
	if c.source != nil {
		c.source.Close()
		c.source = nil
	}
}

// A rowProgress counts the rows that are read to be merged, and written. Nil counts nothing.
type rowProgress struct {
	mu            sync.Mutex
	report        func(done, total int64) // nil before begin
	read, written int64
	rows          int64 // that are read to be merged in all; 0: they are in memory
	wanted        int64 // that are written in all; 0: the number is not known
}

// begin begins the phase in which rows are written.
func (p *rowProgress) begin(opts *Options, phase Phase, wanted int64) {
	p.wanted = wanted
	p.report = func(done, total int64) { opts.Progress(phase, done, total) }
	p.add(0, 0)
}

// add adds rows. A row that is merged counts half when it is read, and half when it is written.
func (p *rowProgress) add(read, written int64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.read, p.written = p.read+read, p.written+written
	switch {
	case p.report == nil:
	case p.wanted == 0 || p.rows == 0:
		p.report(p.written, p.wanted)
	default:
		written := int64(float64(p.written) / float64(p.wanted) * float64(p.rows))
		p.report((p.read+written)/2, p.rows)
	}
}
