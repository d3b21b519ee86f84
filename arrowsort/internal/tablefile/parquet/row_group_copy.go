package parquet

import (
	"cmp"
	"context"
	"io"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/writer"
	"github.com/arrowsort/arrowsort/internal/workers"
)

// Copies reports whether a Writer of a schema can Copy the row groups of the file: the columns match, the compression
// stays, no statistics are missing or known to be wrong, key columns can be decoded, and row groups are neither too
// large nor too small.
func (f *File) Copies(schema *arrow.Schema, opts WriteOptions) bool {
	if opts.Level != 0 || !f.Template.copiesGroups(opts.Codec) ||
		f.Schema().NumFields() != f.Template.meta.Schema.Root().NumFields() {
		return false
	}
	for _, key := range opts.Order.Sorting { // readers prune by these, so their statistics are computed anew
		field := key.Column
		if key.Path != "" {
			field = slices.IndexFunc(f.Schema().Fields(), func(c arrow.Field) bool { return c.Name == key.Path })
		}
		if field < 0 || f.Template.meta.NumRows > 0 && !f.DecodesValues(field) {
			return false
		}
	}
	opts.Allocator = cmp.Or(opts.Allocator, memory.DefaultAllocator)
	out, err := NewWriter(io.Discard, schema, opts)
	return err == nil && f.Template.fits(out.out.footer)
}

// copiesGroups reports whether the row groups can be part of a file whose columns have a codec, by name; any for none.
func (t *Template) copiesGroups(name string) bool {
	codec, chosen := page.Codecs[name]
	if t.meta.NumRows < int64(len(t.meta.RowGroups))*leastMeanCopied {
		return false
	}
	if t.hasGaps() {
		return false
	}
	for _, group := range t.meta.RowGroups {
		for leaf, c := range group.Columns {
			if c.MetaData == nil || c.MetaData.Statistics == nil || t.hasWrongStatistics(leaf) || chosen &&
				compress.Compression(c.MetaData.Codec) != codec {
				return false
			}
		}
		if group.NumRows > mostCopiedRows {
			return false
		}
	}
	return true
}

// hasGaps reports whether bytes lie between the chunks of a row group. Then a chunk may be longer than its metadata
// say.
func (t *Template) hasGaps() bool {
	for _, group := range t.meta.RowGroups {
		for i := 1; i < len(group.Columns) && group.NumRows > 0; i++ {
			this, next := group.Columns[i-1].MetaData, group.Columns[i].MetaData
			start := page.ChunkStart(this.DictionaryPageOffset, this.DataPageOffset)
			if start+this.TotalCompressedSize != page.ChunkStart(next.DictionaryPageOffset, next.DataPageOffset) {
				return true
			}
		}
	}
	return false
}

// A row group that is copied has mostCopiedRows rows at most, those of a file on average leastMeanCopied at least. With
// larger groups readers skip little; smaller ones cost more than skipping saves.
const (
	mostCopiedRows  = 4 * writer.DefaultRowGroupRows
	leastMeanCopied = writer.DefaultRowGroupRows / 16
)

// hasWrongStatistics reports whether the writer of the file computes the statistics of a leaf column wrong: where
// unsigned integers may be null, Arrow Go compared them as signed integers, and the bytes of nulls as values.
func (t *Template) hasWrongStatistics(leaf int) bool {
	column, writer := t.meta.Schema.Column(leaf), t.meta.WriterVersion()
	return writer.App == rightStatistics.App && writer.LessThan(rightStatistics) &&
		column.MaxDefinitionLevel() > 0 && column.SortOrder() == schema.SortUNSIGNED &&
		(column.PhysicalType() == parquet.Types.Int32 || column.PhysicalType() == parquet.Types.Int64)
}

// rightStatistics is the version of Arrow Go whose statistics are tested to be right. Earlier ones are not trusted.
var rightStatistics = metadata.NewAppVersionExplicit("parquet-go", 18, 8, 0)

// Copy appends the row groups of a file for which Copies reports true, byte by byte. Meanwhile it reads and verifies
// their pages and makes page index and statistics from them, since other writers get those wrong. For pages in
// encodings that are not decoded here, it copies bounds if keepsBounds reports true. It reports the number of bytes
// that were copied since the last report. named adds the name of the file that is read to an error.
func (f *Writer) Copy(ctx context.Context, from *File, named func(error) error,
	report func(bytes int64)) error {
	if err := f.checkGroups(len(from.Template.meta.RowGroups)); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	chunks := from.copiedChunks(f.out.n)
	var indexing sync.WaitGroup
	indexing.Go(func() {
		if err := errkind.Contain(func() error { return f.addCopied(ctx, from, chunks) }); err != nil {
			cancel(named(err))
		}
	})
	if err := f.copyGroups(ctx, from, chunks, named, report); err != nil {
		cancel(err)
	}
	if indexing.Wait(); ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// A copiedChunk is a column chunk that is copied.
type copiedChunk struct {
	group, leaf int
	start, size int64 // of its pages in the file that is read
	shift       int64 // what its offsets grow by

	filter, filterSize int64 // its Bloom filter in the file that is read; of size 0: it has none
	filterTo           int64 // where the filter is copied to
}

// copiedChunks lists the column chunks of row groups that have rows, which are copied to a place in another file.
func (f *File) copiedChunks(to int64) (chunks []copiedChunk) {
	for number, group := range f.Template.meta.RowGroups {
		if group.NumRows == 0 { // there are no pages
			continue
		}
		for leaf, c := range group.Columns {
			m := c.MetaData
			start := page.ChunkStart(m.DictionaryPageOffset, m.DataPageOffset)
			chunk := copiedChunk{group: number, leaf: leaf, start: start, size: m.TotalCompressedSize,
				shift: to - start}
			if m.BloomFilterOffset != nil {
				chunk.filter, chunk.filterSize = *m.BloomFilterOffset, f.bloomFilterSize(*m.BloomFilterOffset)
			}
			chunks = append(chunks, chunk)
			to += m.TotalCompressedSize
		}
		for i := len(chunks) - len(group.Columns); i < len(chunks); i++ {
			chunks[i].filterTo = to
			to += chunks[i].filterSize
		}
	}
	return chunks
}

// bloomFilterSize returns the bytes of the Bloom filter at an offset; 0 for none that readers know.
func (f *File) bloomFilterSize(at int64) int64 {
	var head [page.BloomHeader]byte
	if at <= 0 || at >= f.size {
		return 0
	}
	n, _ := f.src.ReadAt(head[:], at) // less at the end of the file
	if size := page.BloomFilterSize(head[:n]); size <= f.size-at {
		return size
	}
	return 0
}

// copyGroups copies the row groups that have rows.
func (f *Writer) copyGroups(ctx context.Context, from *File, chunks []copiedChunk, named func(error) error,
	report func(bytes int64)) error {
	buffer := make([]byte, copyStep)
	for _, group := range from.Template.meta.RowGroups {
		if group.NumRows == 0 {
			continue
		}
		ordinal, at := int16(len(f.out.footer.RowGroups)), f.out.n
		for _, c := range chunks[:len(group.Columns)] {
			pages := io.NewSectionReader(from.src, c.start, c.size)
			if err := f.out.copyBytes(ctx, pages, named, buffer, report); err != nil {
				return err
			}
		}
		for _, c := range chunks[:len(group.Columns)] {
			filter := io.NewSectionReader(from.src, c.filter, c.filterSize)
			if err := f.out.copyBytes(ctx, filter, named, buffer, report); err != nil {
				return err
			}
		}
		chunks = chunks[len(group.Columns):]
		copied := *group
		copied.Columns, copied.Ordinal, copied.FileOffset = nil, &ordinal, &at
		f.out.footer.RowGroups = append(f.out.footer.RowGroups, &copied)
		f.out.written += f.out.columns
		f.rows += group.NumRows
	}
	return nil
}

// addCopied adds copied column chunks to the output where they have moved, while their bytes are copied. It reads every
// page. Page index and statistics are made from the pages, for a few chunks at a time, or else those of keptIndex.
func (f *Writer) addCopied(ctx context.Context, from *File, chunks []copiedChunk) error {
	meta, decoded, next := from.Template.meta, from.Decoded(), 0
	produce := func(i int) (*page.Index, error) { // nil for old levels that only pqarrow reads
		x, err := from.PageIndex(chunks[i].group, chunks[i].leaf)
		if err != nil && !decoded[chunks[i].leaf] {
			return nil, from.Verify(chunks[i].group, chunks[i].leaf)
		}
		return x, err
	}
	return workers.Ordered(ctx, len(chunks), from.threads, produce, func(x *page.Index) error {
		at, index, bounds := chunks[next], encodedPageIndex{}, page.Bounds{}
		next++
		c := meta.RowGroups[at.group].Columns[at.leaf]
		if x != nil && !x.Foreign {
			index = encodedPageIndex{x.ColumnIndex(), x.OffsetIndex(at.shift)}
			bounds = writer.SetStatistics(meta, at.group, at.leaf, x)
		} else {
			index, bounds = from.keptIndex(at.group, at.leaf, x, at.shift)
		}
		m := c.MetaData
		m.DataPageOffset += at.shift
		moveOffset(m.DictionaryPageOffset, at.shift)
		moveOffset(m.IndexPageOffset, at.shift)
		if m.BloomFilterOffset, m.BloomFilterLength = nil, nil; at.filterSize > 0 {
			m.BloomFilterOffset, m.BloomFilterLength = &at.filterTo, new(int32(at.filterSize))
		}
		c.FilePath, c.FileOffset = nil, page.ChunkStart(m.DictionaryPageOffset, m.DataPageOffset)
		c.ColumnIndexOffset, c.ColumnIndexLength, c.OffsetIndexOffset, c.OffsetIndexLength = nil, nil, nil, nil
		c.CryptoMetadata, c.EncryptedColumnMetadata = nil, nil
		return f.out.addChunk(meta, at.group, at.leaf, index, bounds)
	})
}

// keptIndex returns the page index, without bounds of pages, and the bounds of a chunk in encodings that are not
// decoded here. Offsets, moved by shift, and counts come from made; of nil there are none. Bounds are left out unless
// keepsBounds reports true.
func (f *File) keptIndex(group, leaf int, made *page.Index, shift int64) (index encodedPageIndex, _ page.Bounds) {
	c, column := f.Template.meta.RowGroups[group].Columns[leaf], f.Template.meta.Schema.Column(leaf)
	s := c.MetaData.Statistics
	if made != nil {
		nulls := made.Statistics().Nulls
		s.NullCount, index.offsets = &nulls, made.OffsetIndex(shift)
		writer.SetSizes(f.Template.meta, group, leaf, made)
	}
	if !keepsBounds(column, s.MinValue, s.MaxValue) {
		s.Min, s.Max, s.MinValue, s.MaxValue = nil, nil, nil, nil
		s.IsMinValueExact, s.IsMaxValueExact = nil, nil
	}
	return index, page.Bounds{Min: s.MinValue, Max: s.MaxValue,
		AllNull: s.NullCount != nil && *s.NullCount == c.MetaData.NumValues}
}

// keepsBounds reports whether bounds of another writer are there and plausible, of a type that is ordered and cannot
// hold NaN.
func keepsBounds(column *schema.Column, low, high []byte) bool {
	if page.ValueOrder(column) == nil || page.HoldsFloats(column) {
		return false
	}
	low, high = plausible(column, low, high)
	return low != nil && high != nil
}

const copyStep = 1 << 20

// copyBytes copies all bytes of a column chunk.
func (b *fileBuilder) copyBytes(ctx context.Context, chunk *io.SectionReader, named func(error) error, buffer []byte,
	report func(bytes int64)) error {
	for left := chunk.Size(); left > 0; left -= int64(len(buffer)) {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		buffer = buffer[:min(left, int64(len(buffer)))]
		if _, err := io.ReadFull(chunk, buffer); err != nil {
			return named(err)
		}
		if err := b.write(buffer); err != nil {
			return err
		}
		report(int64(len(buffer)))
	}
	return nil
}
