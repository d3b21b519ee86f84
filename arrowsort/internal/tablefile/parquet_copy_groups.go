package tablefile

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/parquet/compress"
)

// Copies reports whether Copy can take the row groups of a file: both are Parquet, with the same columns, the compression is
// not to be changed, and the groups have statistics and sizes that readers can make use of.
func (w *Writer) Copies(s *Scanner) bool {
	out, ok := w.pieces.(*parquetWriter)
	in, parquet := s.pieces.(*parquetPieces)
	if !ok || !parquet || s.chosen != nil || len(in.fields) != s.Layout.meta.Schema.Root().NumFields() || !s.Layout.fits(out.out.footer) {
		return false
	}
	codec, chosen := parquetCodecs[out.encoder.opts.Compression.Codec]
	groups := s.Layout.meta.RowGroups
	if out.encoder.opts.Compression.Level != 0 || s.Layout.meta.NumRows < int64(len(groups))*fewCopied {
		return false
	}
	for _, group := range groups {
		for _, c := range group.Columns {
			if c.MetaData == nil || c.MetaData.Statistics == nil || chosen && compress.Compression(c.MetaData.Codec) != codec {
				return false
			}
		}
		if group.NumRows > mostCopied {
			return false
		}
	}
	return true
}

// A row group that is copied has mostCopied rows at most, those of a file fewCopied on average: readers leave out little by
// larger ones, and smaller ones cost them more than they leave out.
const (
	mostCopied = 4 * DefaultRowGroupRows
	fewCopied  = DefaultRowGroupRows / 16
)

// Copy appends the row groups of a file that Copies, byte by byte. Their pages are read for a page index; where some column
// cannot be read without pqarrow, the index that they have comes along.
func (w *Writer) Copy(ctx context.Context, s *Scanner) error {
	return w.named(contain(func() error { return w.pieces.(*parquetWriter).copy(ctx, s) }))
}

func (f *parquetWriter) copy(ctx context.Context, s *Scanner) error {
	meta := s.Layout.meta
	if n := len(f.out.footer.RowGroups) + len(meta.RowGroups); n > math.MaxInt16 {
		return fmt.Errorf("%d row groups are more than the %d of Parquet: give the rows of a row group", n, math.MaxInt16)
	}
	made, err := s.pieces.(*parquetPieces).makeIndex(ctx)
	if err != nil {
		return inFile(s.path, "standard input", err)
	}
	buffer := make([]byte, copyStep)
	for i := range meta.RowGroups {
		if meta.RowGroups[i].NumRows == 0 { // has no pages
			continue
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		var index []chunkIndex
		if made != nil {
			index = made[i*len(meta.RowGroups[i].Columns):][:len(meta.RowGroups[i].Columns)]
		}
		if err := f.out.copyGroup(s, i, index, buffer); err != nil {
			return err
		}
		f.rows += meta.RowGroups[i].NumRows
	}
	return nil
}

// copyGroup appends a row group of a file, column by column, with the index that was made for it, or else with its own.
func (s *stitcher) copyGroup(from *Scanner, number int, made []chunkIndex, buffer []byte) error {
	group := from.Layout.meta.RowGroups[number]
	at := s.n
	for leaf, c := range group.Columns {
		m := c.MetaData
		start := chunkStart(m.DictionaryPageOffset, m.DataPageOffset)
		shift := s.n - start
		if made == nil {
			s.index = append(s.index, indexOf(from, c.ColumnIndexOffset, c.ColumnIndexLength, c.OffsetIndexOffset, c.OffsetIndexLength, shift))
		} else {
			s.index = append(s.index, chunkIndex{made[leaf].columns, moveOffsets(made[leaf].offsets, shift)})
		}
		m.DataPageOffset += shift
		move(m.DictionaryPageOffset, shift)
		move(m.IndexPageOffset, shift)
		m.BloomFilterOffset = nil // is not copied
		c.FilePath, c.FileOffset = nil, s.n
		c.ColumnIndexOffset, c.ColumnIndexLength, c.OffsetIndexOffset, c.OffsetIndexLength = nil, nil, nil, nil
		if err := s.copyBytes(from, start, m.TotalCompressedSize, buffer); err != nil {
			return err
		}
	}
	ordinal := int16(len(s.footer.RowGroups))
	group.Ordinal, group.FileOffset = &ordinal, &at
	s.footer.RowGroups = append(s.footer.RowGroups, group)
	s.pieces += s.fields
	return nil
}

func (s *stitcher) copyBytes(from *Scanner, at, n int64, buffer []byte) error {
	for n > 0 {
		b := buffer[:min(n, int64(len(buffer)))]
		if got, err := from.file.ReadAt(b, at); err != nil && !(err == io.EOF && got == len(b)) {
			return inFile(from.path, "standard input", err)
		}
		if err := s.write(b); err != nil {
			return err
		}
		at, n = at+int64(len(b)), n-int64(len(b))
	}
	return nil
}

// makeIndex makes the index of all column chunks; nil when there are columns that only pqarrow reads.
func (p *parquetPieces) makeIndex(ctx context.Context) ([]chunkIndex, error) {
	for i := range p.fields {
		if _, ok := p.direct(i); !ok || p.schema.Field(i).Type.ID() == arrow.DICTIONARY {
			return nil, nil
		}
	}
	return (&sortedCopy{parquetFile: p.parquetFile}).index(ctx)
}

// indexOf reads the page index of a column chunk, as it is where the chunk is moved. What is not a whole index is left out.
func indexOf(from *Scanner, columnsAt *int64, columns *int32, offsetsAt *int64, offsets *int32, shift int64) (index chunkIndex) {
	read := func(at *int64, n *int32) []byte {
		if at == nil || n == nil || *at <= 0 || *n <= 0 || *at > from.Bytes-int64(*n) {
			return nil
		}
		b := make([]byte, *n)
		if _, err := from.file.ReadAt(b, *at); err != nil {
			return nil
		}
		return b
	}
	if found := read(offsetsAt, offsets); found != nil && contain(func() error {
		index.offsets = moveOffsets(found, shift)
		return nil
	}) == nil {
		index.columns = read(columnsAt, columns)
	}
	return index
}

// moveOffsets encodes an offset index for pages that are moved. It panics for bytes that are none.
func moveOffsets(b []byte, shift int64) []byte {
	var pages []indexedPage
	r := compactReader{b: b}
	r.fields(func(number int, typ byte) {
		if number != 1 || typ != thriftList {
			r.skip(typ)
			return
		}
		for range r.listOf(thriftStruct) {
			var p indexedPage
			r.fields(func(number int, typ byte) {
				switch {
				case number == 1 && typ == thriftI64:
					p.at = r.long()
				case number == 2 && typ == thriftI32:
					p.size = r.number()
				case number == 3 && typ == thriftI64:
					p.row = int(r.long())
				default:
					r.skip(typ)
				}
			})
			pages = append(pages, p)
		}
	})
	return (&pageIndex{pages: pages}).offsetIndex(shift)
}
