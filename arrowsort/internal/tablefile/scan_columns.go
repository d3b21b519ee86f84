package tablefile

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
)

// Choose has Next return only some columns, by their positions in Schema, which becomes the schema of these. The others
// of Parquet and CSV are not read. It precedes Next.
func (s *Scanner) Choose(columns []int) {
	s.Schema = arraydata.Pick(s.Schema, columns)
	if p, ok := s.pieces.(interface{ Choose(columns []int) }); ok {
		p.Choose(columns)
		return
	}
	s.chosen = columns
}

// choose takes the chosen columns of a piece, which it consumes.
func (s *Scanner) choose(piece arrow.Table) arrow.Table {
	if s.chosen == nil {
		return piece
	}
	defer piece.Release()
	columns := make([]arrow.Column, len(s.chosen))
	for i, c := range s.chosen {
		columns[i] = *piece.Column(c)
	}
	return array.NewTable(s.Schema, columns, piece.NumRows())
}
