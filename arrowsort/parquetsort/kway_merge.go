package parquetsort

import (
	"context"
	"io"
	"slices"
	"sort"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A merger merges sorted sources, of which the first wins ties. In each round it has the next rows of every source in
// memory. The source whose rows there end first sets the limit: what sorts up to its last row is complete, is found in
// each source by bisection, and is sorted as one table, which the radix sort does in less time than a tree of
// comparisons takes for the rows one by one. Rows of a single source are given out as they are.
type merger struct {
	opts    *Options
	schema  *arrow.Schema
	cursors []*cursor
	bytes   int64 // of all cursors

	progress *rowProgress // of the rows that are read
}

// next returns the next rows; io.EOF after the last.
func (m *merger) next(ctx context.Context) (arrow.Table, error) {
	for {
		if err := m.fill(ctx); err != nil {
			return nil, err
		}
		if err := m.bind(); err != nil {
			return nil, err
		}
		parts, sources, more := m.cut()
		switch {
		case sources == 0 && !more:
			return nil, io.EOF
		case sources == 1:
			return m.join(parts), nil
		case sources > 1:
			all := m.join(parts)
			defer all.Release()
			sorting := m.opts.sorting()
			sorting.Engine = m.opts.Engine
			return arrowsort.Sort(ctx, all, m.opts.Keys, sorting)
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
	for _, l := range m.cursors {
		if l.source != nil && l.head == nil {
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

// bind makes one plan for the codes of all rows in memory.
func (m *merger) bind() error {
	var round keyStatistics
	empty := true
	for _, l := range m.cursors {
		if l.head != nil {
			round.merge(&l.head.stats)
		}
		for _, b := range l.batches {
			round.merge(&b.stats)
		}
		empty = empty && l.head == nil && len(l.batches) == 0
	}
	if empty {
		return nil
	}
	plan, err := round.plan()
	if err != nil {
		return err
	}
	for _, l := range m.cursors {
		if l.head != nil {
			l.head.plan = plan.On(l.head.keys)
		}
		for _, b := range l.batches {
			b.plan = plan.On(b.keys)
		}
	}
	return nil
}

// cut takes the rows that are complete, source by source. It returns the number of these sources, and whether more rows
// may follow.
func (m *merger) cut() (parts []arrow.Table, sources int, more bool) {
	var limit []uint64
	limiting := -1
	for i, l := range m.cursors {
		if l.source == nil {
			continue
		}
		if last, ok := l.last(); ok && (limiting < 0 || slices.Compare(last, limit) < 0) {
			limit, limiting = last, i
		}
	}
	for i, l := range m.cursors {
		n := len(parts)
		// Ties of later sources wait for those of the limiting one.
		parts = l.take(parts, limit, limiting >= 0, i <= limiting)
		if len(parts) > n {
			sources++
		}
	}
	if limiting >= 0 {
		m.cursors[limiting].begin()
	}
	return parts, sources, limiting >= 0
}

func (m *merger) close() {
	for _, l := range m.cursors {
		l.close()
	}
	m.cursors = nil
}

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

// A batch is rows of a sorted source in memory, with their keys as raw columns.
type batch struct {
	table arrow.Table
	first int // rows before it were given out
	rows  int
	bytes int64
	keys  []keyencode.Column
	stats keyStatistics
	mem   heldMemory      // of the keys
	plan  *keyencode.Plan // on the keys, of this round
}

// newBatch takes the table over.
func newBatch(ctx context.Context, table arrow.Table, keys []arrowsort.Key, opts *Options) (*batch, error) {
	b := &batch{table: table, rows: int(table.NumRows()), bytes: arraydata.TableBytes(table),
		mem: heldMemory{Allocator: opts.Allocator}}
	err := keyColumns(ctx, table, keys, &b.mem, func(job *engine.Job) error {
		b.keys = job.Columns
		b.stats.measure(job)
		return nil
	})
	if err != nil {
		b.release()
		return nil, err
	}
	return b, nil
}

// code is a row as code words, which compare as the rows do. Words that cannot decide any more are left out.
func (b *batch) code(row int) []uint64 {
	var words []uint64
	rows := [1]uint32{uint32(row)}
	for number := 0; number < b.plan.Words(); {
		var word [1]uint64
		b.plan.EncodeRows(word[:], number, rows[:])
		words = append(words, word[0])
		number = b.plan.Next(number, word[0])
	}
	return words
}

func (b *batch) release() {
	b.mem.release()
	b.table.Release()
}
