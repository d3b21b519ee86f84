package parquetsort

import (
	"context"
	"io"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
	"github.com/arrowsort/arrowsort/internal/workers"
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
			return arrowsort.Sort(ctx, all, m.opts.Keys, m.opts.sorting())
		}
	}
}

// join makes one table of parts, which it consumes.
func (m *merger) join(parts []arrow.Table) arrow.Table {
	all := concatenate(m.schema, parts)
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
	return fileerror.Contain(func() error {
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
