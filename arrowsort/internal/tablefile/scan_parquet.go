package tablefile

import (
	"context"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// parquetPieces reads the rows of a row group from the front on, all columns at once in parallel.
type parquetPieces struct {
	*parquetFile
	rows    int64          // of a piece
	group   int            // row group that is read
	left    int64          // of its rows
	done    int64          // rows in all
	columns []*pieceColumn // of the row group
	rests   bool           // pages are not kept from piece to piece
}

func newParquetPieces(f *parquetFile, pieceBytes int64) *parquetPieces {
	p := &parquetPieces{parquetFile: f, group: -1}
	if p.rests = f.pageBytes() > 2*pieceBytes; p.rests {
		pieceBytes *= restingPieces // since some pages are read again for each
	}
	p.rows = max(minPieceRows, pieceBytes/max(f.rowBytes(), 1))
	return p
}

// restingPieces are how much larger the pieces are when pages are not kept.
const restingPieces = 2

// pageBytes estimates the memory for pages when a row group is read from the front on: one of each column.
func (f *parquetFile) pageBytes() (bytes int64) {
	if f.file.NumRowGroups() == 0 {
		return 0
	}
	for _, c := range f.file.MetaData().RowGroups[0].Columns {
		const usual = 1 << 20 // where most writers end a page
		bytes += min(c.MetaData.TotalUncompressedSize, usual) + min(c.MetaData.TotalCompressedSize, pieceWindow)
	}
	return bytes
}

// minPieceRows is the fewest rows of a piece, below which opening and joining arrays takes the time.
const minPieceRows = 1 << 10

// rowBytes estimates the bytes of a row in memory: what its pages take uncompressed, or for values that a dictionary
// makes small there, their width.
func (f *parquetFile) rowBytes() int64 {
	meta := f.file.MetaData()
	var bytes int64
	for _, group := range meta.RowGroups {
		for i, c := range group.Columns {
			n := c.MetaData.TotalUncompressedSize
			if typ := meta.Schema.Column(i).PhysicalType(); typ.ByteSize() > 0 {
				n = max(n, c.MetaData.NumValues*int64(typ.ByteSize()))
			} else {
				n = max(n, c.MetaData.NumValues*offsetAndText)
			}
			bytes += n
		}
	}
	return bytes / max(meta.NumRows, 1)
}

// offsetAndText is what a short string takes in memory.
const offsetAndText = 16

func (p *parquetPieces) next(ctx context.Context) (arrow.Table, error) {
	for p.left == 0 {
		p.close()
		if p.group++; p.group >= p.file.NumRowGroups() {
			return nil, io.EOF
		}
		p.left = p.file.MetaData().RowGroups[p.group].NumRows
	}
	rows := min(p.rows, p.left)
	if p.left < p.rows+p.rows/4 { // no small rest
		rows = p.left
	}
	p.left -= rows
	p.done += rows
	if p.columns == nil {
		p.columns = make([]*pieceColumn, len(p.fields))
	}
	columns := make([]arrow.Column, len(p.fields))
	defer func() {
		for i := range columns {
			if columns[i].Data() != nil {
				columns[i].Release()
			}
		}
	}()
	err := each(ctx, len(p.fields), threads(p.opts.Threads), func(i int) error {
		arrays, err := p.nextOf(ctx, i, rows)
		if err != nil {
			return err
		}
		defer releaseAll(arrays)
		columns[i] = joinChunks(p.schema.Field(i), [][]arrow.Array{arrays})
		return nil
	})
	if err == io.EOF { // of the file, which somebody has cut meanwhile
		err = corrupt("row group %d ends before its last row", p.group)
	}
	if err != nil {
		return nil, err
	}
	return array.NewTable(p.schema, columns, rows), nil
}

// nextOf reads the next rows of a column.
func (p *parquetPieces) nextOf(ctx context.Context, field int, rows int64) (arrays []arrow.Array, err error) {
	if p.columns[field] == nil {
		if p.columns[field], err = p.openPieces(field, p.group); err != nil {
			return nil, err
		}
	}
	if arrays, err = p.columns[field].next(ctx, rows); err != nil {
		return nil, err
	}
	if p.rests {
		p.columns[field].rest()
	}
	return arrays, p.check(arrays, field, p.group, rows)
}

func (p *parquetPieces) share() float64 {
	return float64(p.done) / float64(max(p.file.NumRows(), 1))
}

func (p *parquetPieces) close() {
	for _, c := range p.columns {
		if c != nil {
			c.release()
		}
	}
	p.columns = nil
}
