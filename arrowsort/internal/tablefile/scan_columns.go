package tablefile

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// Choose has Next return only some columns, by their positions in Schema, which becomes the schema of these. The others
// of Parquet and CSV are not read. It precedes Next.
func (s *Scanner) Choose(columns []int) {
	s.Schema = Pick(s.Schema, columns)
	switch p := s.pieces.(type) {
	case *parquetPieces:
		fields := make([]fileField, len(columns))
		for i, c := range columns {
			fields[i] = p.fields[c]
		}
		p.fields, p.schema = fields, s.Schema
		p.measure()
	case csvPieces:
		p.Choose(columns)
	default:
		s.chosen = columns
	}
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
