package parquetsort

import (
	"context"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
)

// inMemory sorts rows of which none was spilled.
func (s *Sorter) inMemory(rows int) (tables, error) {
	if s.rows == 0 {
		return &memoryTables{}, nil
	}
	sorted, err := s.sortRun()
	if err != nil {
		return nil, err
	}
	all := &memoryTables{table: sorted, rows: rows}
	if s.opts.filters() {
		return s.wanted(all, rows)
	}
	return all, nil
}

// memoryTables are pieces of a table; of none without one.
type memoryTables struct {
	table arrow.Table
	rows  int // of a piece
	first int64
}

func (m *memoryTables) next(ctx context.Context) (arrow.Table, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if m.table == nil || m.first == m.table.NumRows() {
		return nil, io.EOF
	}
	end := min(m.first+int64(m.rows), m.table.NumRows())
	piece := slice(m.table, m.first, end)
	m.first = end
	return piece, nil
}

func (m *memoryTables) close() {
	if m.table != nil {
		m.table.Release()
		m.table = nil
	}
}
