package tablefile

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// parquetPieces reads the rows of a row group from the front on, all columns at once in parallel.
type parquetPieces struct {
	*parquetFile
	bytes   int64          // of a piece, about
	rows    int64          // of a piece
	group   int            // row group that is read
	left    int64          // of its rows
	done    int64          // rows in all
	columns []*pieceColumn // of the row group
	rests   bool           // pages are not kept from piece to piece
}

func newParquetPieces(f *parquetFile, pieceBytes int64) *parquetPieces {
	p := &parquetPieces{parquetFile: f, group: -1, bytes: pieceBytes}
	p.measure()
	return p
}

// measure finds the number of rows of a piece, for the fields that are read.
func (p *parquetPieces) measure() {
	bytes, row := p.bytes, max(p.rowBytes(), 1)
	if p.rests = p.pageBytes() > 2*bytes; p.rests {
		p.spare = nil
		bytes *= restingPieces // since some pages are read again for each
	} else if p.spare == nil {
		p.spare = new(spares[*pageScratch])
	}
	p.rows = bytes / row
	if p.rows < fewPieceRows {
		p.rows = max(min(longPieces*bytes/row, fewPieceRows), leastPieceRows)
	}
}

const (
	restingPieces  = 2       // how much larger the pieces are when pages are not kept
	fewPieceRows   = 1 << 10 // of a piece, below which opening and joining arrays takes the time
	longPieces     = 4       // how much larger the pieces are so that they do not have so few rows
	leastPieceRows = 16      // of a piece, however long the rows are
)

// pageBytes estimates the memory for pages when a row group is read from the front on: one of each column.
func (p *parquetPieces) pageBytes() (bytes int64) {
	if p.file.NumRowGroups() == 0 {
		return 0
	}
	for _, leaf := range leavesOf(nil, p.fields) {
		const usual = 1 << 20 // where most writers end a page
		m := p.file.MetaData().RowGroups[0].Columns[leaf].MetaData
		bytes += min(m.TotalUncompressedSize, usual) + min(m.TotalCompressedSize, pieceWindow)
	}
	return bytes
}

// columnBytes estimates the bytes of a column in memory: what its pages take uncompressed, or for values that a
// dictionary makes small there, their width.
func columnBytes(meta *metadata.FileMetaData, leaf int) (bytes float64) {
	width := meta.Schema.Column(leaf).PhysicalType().ByteSize()
	if width <= 0 {
		width = offsetAndText
	}
	for _, group := range meta.RowGroups {
		m := group.Columns[leaf].MetaData
		bytes += max(float64(m.TotalUncompressedSize), float64(m.NumValues)*float64(width))
	}
	return bytes
}

// checkDeclared makes sure that a footer declares no more values than a file of its size may, before any work.
func checkDeclared(meta *metadata.FileMetaData, opts ReadOptions) error {
	bytes := float64(0)
	for leaf := range meta.Schema.NumColumns() {
		bytes += columnBytes(meta, leaf)
	}
	if opts.declared > 0 && bytes > float64(opts.declared) {
		return fmt.Errorf("%w: its %d rows take about %.0f bytes, a file of its size may take %d unless a larger "+
			"limit is set",
			ErrMemory, meta.NumRows, bytes, opts.declared)
	}
	return nil
}

// leavesOf appends the numbers of the leaf columns of some fields.
func leavesOf(leaves []int, fields []fileField) []int {
	for i := range fields {
		if isLeaf(&fields[i]) {
			leaves = append(leaves, fields[i].ColIndex)
		} else {
			leaves = leavesOf(leaves, fields[i].Children)
		}
	}
	return leaves
}

// offsetAndText is what a short string takes in memory.
const offsetAndText = 16

func (p *parquetPieces) next(ctx context.Context) (arrow.Table, error) {
	for p.left == 0 {
		p.drop()
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
	err := Each(ctx, len(p.fields), p.opts.Threads, func(i int) error {
		arrays, err := p.nextOf(ctx, i, rows)
		if err != nil {
			return err
		}
		defer releaseAll(arrays)
		columns[i] = joinChunks(p.schema.Field(i), [][]arrow.Array{arrays})
		return nil
	})
	if errors.Is(err, io.EOF) { // of the file, which somebody has cut meanwhile
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
	p.drop()
	if p.spare != nil {
		for _, s := range p.spare.free {
			s.release()
		}
		p.spare = nil
	}
}

// drop ends with a row group.
func (p *parquetPieces) drop() {
	for _, c := range p.columns {
		if c != nil {
			c.release()
		}
	}
	p.columns = nil
}
