package tablefile

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Copies reports whether a Writer of a schema can Copy the row groups of a file: both are Parquet, with the same
// columns, the compression is not to be changed, and the groups have statistics that are right, or in the columns of
// the order can be made, and sizes that readers can make use of.
func Copies(s *Scanner, schema *arrow.Schema, opts WriteOptions) bool {
	in, ok := s.pieces.(*parquetPieces)
	if !ok || opts.Format != Parquet || s.chosen != nil || len(in.fields) != s.Layout.meta.Schema.Root().NumFields() {
		return false
	}
	codec, chosen := parquetCodecs[opts.Compression.Codec]
	groups := s.Layout.meta.RowGroups
	if opts.Compression.Level != 0 || s.Layout.meta.NumRows < int64(len(groups))*fewCopied {
		return false
	}
	for _, group := range groups {
		for leaf, c := range group.Columns {
			if c.MetaData == nil || c.MetaData.Statistics == nil || s.Layout.misjudges(leaf) || chosen &&
				compress.Compression(c.MetaData.Codec) != codec {
				return false
			}
		}
		if group.NumRows > mostCopied {
			return false
		}
	}
	for _, key := range opts.Sorting { // whose statistics readers go by, so that they are made anew
		field := slices.IndexFunc(s.Schema.Fields(), func(f arrow.Field) bool { return f.Name == key.Path })
		if field < 0 || s.Layout.meta.NumRows > 0 && !in.indexes(field) {
			return false
		}
	}
	if opts.Allocator == nil {
		opts.Allocator = memory.DefaultAllocator
	}
	out, err := newParquetWriter(io.Discard, schema, opts)
	return err == nil && s.Layout.fits(out.out.footer)
}

// A row group that is copied has mostCopied rows at most, those of a file fewCopied on average: readers leave out
// little by larger ones, and smaller ones cost them more than they leave out.
const (
	mostCopied = 4 * DefaultRowGroupRows
	fewCopied  = DefaultRowGroupRows / 16
)

// misjudges reports whether the writer of the file computes the statistics of a leaf column wrong: where unsigned
// integers may be null, Arrow Go compared them as signed integers, and the bytes of nulls as values.
func (l *Layout) misjudges(leaf int) bool {
	column, writer := l.meta.Schema.Column(leaf), l.meta.WriterVersion()
	return writer.App == rightStatistics.App && writer.LessThan(rightStatistics) &&
		column.MaxDefinitionLevel() > 0 && column.SortOrder() == schema.SortUNSIGNED &&
		(column.PhysicalType() == parquet.Types.Int32 || column.PhysicalType() == parquet.Types.Int64)
}

// rightStatistics is the version of Arrow Go whose statistics are tested to be right. Earlier ones are not trusted.
var rightStatistics = metadata.NewAppVersionExplicit("parquet-go", 18, 8, 0)

// Copy appends the row groups of a file that Copies, byte by byte. Meanwhile their pages are read for a page index, so
// that a broken one is found, and statistics that are wrong are replaced; with a column that cannot be read without
// pqarrow, those that it has come along. It reports now and then how many more bytes are copied. Errors name one of the
// files.
func (w *Writer) Copy(ctx context.Context, s *Scanner, told func(bytes int64)) error {
	return w.named(contain(func() error { return w.pieces.(*parquetWriter).copy(ctx, s, told) }))
}

func (f *parquetWriter) copy(ctx context.Context, s *Scanner, told func(bytes int64)) error {
	if n := len(f.out.footer.RowGroups) + len(s.Layout.meta.RowGroups); n > math.MaxInt16 {
		return fmt.Errorf("%d row groups are more than the %d of Parquet: give the rows of a row group", n,
			math.MaxInt16)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var made []*pageIndex
	var indexing sync.WaitGroup
	indexing.Go(func() {
		err := contain(func() (err error) {
			made, err = s.pieces.(*parquetPieces).chunkIndexes(ctx)
			return err
		})
		if err != nil {
			cancel(inFile(s.path, "standard input", err))
		}
	})
	shifts, err := f.copyGroups(ctx, s, told)
	if err != nil {
		cancel(err)
	}
	if indexing.Wait(); ctx.Err() != nil {
		return context.Cause(ctx)
	}
	f.out.index = append(f.out.index, movedIndex(s, made, shifts)...)
	return nil
}

// copyGroups copies the row groups that have rows. It returns by how much each of their column chunks has moved.
func (f *parquetWriter) copyGroups(ctx context.Context, s *Scanner, told func(bytes int64)) (shifts []int64,
	err error) {
	buffer := make([]byte, copyStep)
	for _, group := range s.Layout.meta.RowGroups {
		if group.NumRows == 0 { // has no pages
			continue
		}
		ordinal, at := int16(len(f.out.footer.RowGroups)), f.out.n
		for _, c := range group.Columns {
			start := chunkStart(c.MetaData.DictionaryPageOffset, c.MetaData.DataPageOffset)
			shifts = append(shifts, f.out.n-start)
			if err := f.out.copyBytes(ctx, s, start, c.MetaData.TotalCompressedSize, buffer, told); err != nil {
				return nil, err
			}
		}
		group.Ordinal, group.FileOffset = &ordinal, &at
		f.out.footer.RowGroups = append(f.out.footer.RowGroups, group)
		f.out.pieces += f.out.fields
		f.rows += group.NumRows
	}
	return shifts, nil
}

// movedIndex writes to the metadata of column chunks where they have moved, and returns their index: the one that was
// made, and then their statistics are made from it as well, or else the one that they have.
func movedIndex(from *Scanner, made []*pageIndex, shifts []int64) (index []chunkIndex) {
	meta := from.Layout.meta
	for number, group := range meta.RowGroups {
		if group.NumRows == 0 {
			continue
		}
		for leaf, c := range group.Columns {
			shift, m := shifts[len(index)], c.MetaData
			if x := made[number*meta.Schema.NumColumns()+leaf]; x != nil {
				index = append(index, chunkIndex{x.columnIndex(), x.offsetIndex(shift)})
				setStatistics(meta, number, leaf, x)
			} else {
				index = append(index,
					indexOf(from, c.ColumnIndexOffset, c.ColumnIndexLength, c.OffsetIndexOffset, c.OffsetIndexLength,
						shift))
				if mayBeNaN(meta.Schema.Column(leaf)) { // nobody has looked
					index[len(index)-1].columns = nil
					m.Statistics.Min, m.Statistics.Max, m.Statistics.MinValue, m.Statistics.MaxValue = nil, nil, nil,
						nil
				}
			}
			m.DataPageOffset += shift
			move(m.DictionaryPageOffset, shift)
			move(m.IndexPageOffset, shift)
			m.BloomFilterOffset = nil // is not copied
			c.FilePath, c.FileOffset = nil, chunkStart(m.DictionaryPageOffset, m.DataPageOffset)
			c.ColumnIndexOffset, c.ColumnIndexLength, c.OffsetIndexOffset, c.OffsetIndexLength = nil, nil, nil, nil
		}
	}
	return index
}

const copyStep = 1 << 20

func (s *stitcher) copyBytes(ctx context.Context, from *Scanner, at, n int64, buffer []byte,
	told func(bytes int64)) error {
	for n > 0 {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		b := buffer[:min(n, int64(len(buffer)))]
		if got, err := from.file.ReadAt(b, at); err != nil && !(err == io.EOF && got == len(b)) {
			return inFile(from.path, "standard input", err)
		}
		if err := s.write(b); err != nil {
			return err
		}
		told(int64(len(b)))
		at, n = at+int64(len(b)), n-int64(len(b))
	}
	return nil
}

// indexOf reads the page index of a column chunk, as it is where the chunk is moved. What is not a whole index is left
// out.
func indexOf(from *Scanner, columnsAt *int64, columns *int32, offsetsAt *int64, offsets *int32,
	shift int64) (index chunkIndex) {
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
