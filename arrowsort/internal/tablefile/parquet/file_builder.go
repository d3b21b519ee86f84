package parquet

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/writer"
)

// A fileBuilder joins column chunks to one file: all pages, then the page index, then the footer. What the last two say
// of a chunk is encoded as soon as its pages are written: a chunk takes about 105 bytes in the footer and 640 as
// structs, and a file of 300 columns has 300 chunks in each row group.
type fileBuilder struct {
	w       io.Writer
	n       int64                   // bytes written
	columns int                     // of a row group
	written int                     // columns so far
	footer  *metadata.FileMetaData  // of the file, whose row groups have no column chunks
	paths   []parquet.ColumnPath    // of the leaf columns in the footer; nil: those of the encoded columns
	chunks  byteList                // the ColumnChunk structs of the footer, in the order of the file
	index   [2]byteList             // the ColumnIndex and the OffsetIndex of each chunk; no bytes: it has none
	lacking []lackingBounds         // of the leaf columns
	pending []pendingFilter         // of the row group that is written
	filters map[int]page.IndexPlace // Bloom filters, by the numbers of chunks; not those of copied chunks
	encoder *structEncoder
}

// lackingBounds are the bounds that some chunk of a leaf column with values lacks in the metadata.
type lackingBounds struct{ min, max bool }

// An encodedPageIndex is the page index of a column chunk: its ColumnIndex and OffsetIndex structs, nil for none.
type encodedPageIndex struct{ columns, offsets []byte }

func (b *fileBuilder) write(data []byte) error {
	n, err := b.w.Write(data)
	b.n += int64(n)
	return err
}

// start writes the magic bytes of a file with the schema of a footer. A template that is not nil names the leaf
// columns.
func (b *fileBuilder) start(footer *metadata.FileMetaData, template *Template) error {
	b.footer, b.paths, b.encoder = footer, template.paths(footer), newStructEncoder()
	b.lacking, b.filters = make([]lackingBounds, footer.Schema.NumColumns()), make(map[int]page.IndexPlace)
	return b.write([]byte(page.Magic))
}

// append writes the column chunks of an encoded column and moves their metadata to where they are.
func (b *fileBuilder) append(p writer.EncodedColumn) error {
	shift := b.n - int64(len(page.Magic))
	group := *p.Footer.RowGroups[0]
	group.Columns = nil
	moveOffset(group.FileOffset, shift)
	if b.written%b.columns == 0 {
		ordinal := int16(len(b.footer.RowGroups))
		group.Ordinal = &ordinal
		b.footer.RowGroups = append(b.footer.RowGroups, &group)
	} else {
		whole := b.footer.RowGroups[len(b.footer.RowGroups)-1]
		whole.TotalByteSize += group.TotalByteSize
		if whole.TotalCompressedSize != nil && group.TotalCompressedSize != nil {
			*whole.TotalCompressedSize += *group.TotalCompressedSize
		}
	}
	b.written++
	for i, c := range p.Footer.RowGroups[0].Columns {
		c.FileOffset += shift
		c.MetaData.DataPageOffset += shift
		moveOffset(c.MetaData.DictionaryPageOffset, shift)
		moveOffset(c.MetaData.IndexPageOffset, shift)
		index := encodedPageIndex{p.Index[i].ColumnIndex(), p.Index[i].OffsetIndex(shift)}
		if i < len(p.Filters) && p.Filters[i] != nil {
			b.pending = append(b.pending, pendingFilter{b.chunks.n, p.Filters[i]})
		}
		bounds := writer.SetStatistics(p.Footer, 0, i, &p.Index[i])
		if err := b.addChunk(p.Footer, 0, i, index, bounds); err != nil {
			return err
		}
	}
	if err := b.write(p.File[len(page.Magic):]); err != nil || b.written%b.columns > 0 {
		return err
	}
	return b.writeFilters()
}

// A pendingFilter is a Bloom filter of a chunk with a number. It follows the pages of its row group: so there are no
// bytes between its chunks, and no filter stays in memory until the file ends.
type pendingFilter struct {
	chunk int
	bytes []byte
}

// writeFilters writes the Bloom filters of a row group.
func (b *fileBuilder) writeFilters() error {
	for _, f := range b.pending {
		b.filters[f.chunk] = page.IndexPlace{Offset: b.n, Length: len(f.bytes)}
		if err := b.write(f.bytes); err != nil {
			return err
		}
	}
	clear(b.pending)
	b.pending = b.pending[:0]
	return nil
}

func moveOffset(offset *int64, delta int64) {
	if offset != nil && *offset > 0 {
		*offset += delta
	}
}

// addChunk adds to the footer a column chunk of a row group of some metadata, which do not say where its page index
// lies, and have its bounds.
func (b *fileBuilder) addChunk(meta *metadata.FileMetaData, group, column int, index encodedPageIndex,
	bounds page.Bounds) error {
	c, leaf := meta.RowGroups[group].Columns[column], b.chunks.n%len(b.lacking)
	if b.paths != nil {
		c.MetaData.PathInSchema = b.paths[leaf]
	}
	lacking := &b.lacking[leaf]
	lacking.min, lacking.max = lacking.min || bounds.LacksMin(), lacking.max || bounds.LacksMax()
	data, err := b.encoder.encode(c)
	if err != nil {
		return err
	}
	b.chunks.append(data)
	b.index[0].append(index.columns)
	b.index[1].append(index.offsets)
	return nil
}

// finish writes the page index and the footer. A row group without all of its columns is an error.
func (b *fileBuilder) finish() error {
	groups, leaves := len(b.footer.RowGroups), b.footer.Schema.NumColumns()
	if b.chunks.n != groups*leaves {
		return fmt.Errorf("%d row groups of %d columns have %d column chunks", groups, leaves, b.chunks.n)
	}
	indexAt := [2]int64{}
	for part := range b.index {
		indexAt[part] = b.n
		for r := (byteReader{list: &b.index[part]}); r.more(); {
			if err := b.write(r.next()); err != nil {
				return err
			}
		}
	}
	return b.writeFooter(indexAt)
}

// footerStep is the number of bytes of the footer that are written at once.
const footerStep = 1 << 16

// writeFooter writes the footer. The parts of the page index begin at two places.
func (b *fileBuilder) writeFooter(indexAt [2]int64) error {
	file := *b.footer.FileMetaData
	file.RowGroups = nil
	encoded, err := b.encoder.encode(&file)
	if err != nil {
		return err
	}
	before, _, after, err := aroundRowGroups(encoded)
	if err != nil {
		return err
	}
	start, groups, leaves := b.n, b.footer.RowGroups, b.footer.Schema.NumColumns()
	out := page.AppendList(before, page.ThriftStruct, len(groups))
	chunks := footerChunks{fileBuilder: b, indexAt: indexAt, chunks: byteReader{list: &b.chunks},
		index: [2]byteReader{{list: &b.index[0]}, {list: &b.index[1]}}}
	for _, group := range groups {
		encoded, err := b.encoder.encode(group)
		if err != nil {
			return err
		}
		// Its first field is the list of the column chunks: the header of the field, and one that says 0 of them.
		out = page.AppendList(append(out, encoded[0]), page.ThriftStruct, leaves)
		for leaf := range leaves {
			if out, err = chunks.appendNext(out, leaf); err != nil {
				return err
			}
			if len(out) >= footerStep {
				if err := b.write(out); err != nil {
					return err
				}
				out = out[:0]
			}
		}
		out = append(out, encoded[2:]...)
	}
	out = append(out, after...)
	out = binary.LittleEndian.AppendUint32(out, uint32(b.n-start+int64(len(out))))
	return b.write(append(out, page.Magic...))
}

// footerChunks gives the column chunks of the footer, in their order.
type footerChunks struct {
	*fileBuilder
	indexAt [2]int64 // where the index of the next chunk lies
	chunks  byteReader
	index   [2]byteReader
}

// appendNext appends the next ColumnChunk struct, of a leaf column.
func (f *footerChunks) appendNext(out []byte, leaf int) ([]byte, error) {
	chunk := f.chunks.next()
	if filter, ok := f.filters[f.chunks.read-1]; ok || f.lacking[leaf] != (lackingBounds{}) {
		var err error
		if chunk, err = f.completed(chunk, leaf, filter); err != nil {
			return nil, err
		}
	}
	var places [2]page.IndexPlace
	for part := range places {
		places[part] = page.IndexPlace{Offset: f.indexAt[part], Length: len(f.index[part].next())}
		f.indexAt[part] += int64(places[part].Length)
	}
	return page.AppendColumnChunk(out, chunk, places[0], places[1]), nil
}

// completed returns an encoded chunk of a leaf column with what is known only after it was encoded: the place of its
// Bloom filter, of length 0 for none, and the bounds that all chunks of the column allow.
//
// DataFusion takes the bounds that it finds for those of the file, and skips a file for values of a chunk that lacks a
// bound. It heeds the mark of an inexact bound of bytes; of numbers no chunk may have the bound.
func (b *fileBuilder) completed(encoded []byte, leaf int, filter page.IndexPlace) ([]byte, error) {
	chunk := grow(b.footer.RowGroups[0].Columns)[0]
	if err := decodeStruct(encoded, chunk); err != nil {
		return nil, err
	}
	m, lacking, exact := chunk.MetaData, b.lacking[leaf], false
	if filter.Length > 0 {
		m.BloomFilterOffset, m.BloomFilterLength = &filter.Offset, new(int32(filter.Length))
	}
	switch s := m.Statistics; {
	case s == nil:
	case page.HoldsBytes(b.footer.Schema.Column(leaf)):
		if lacking.min && s.MinValue != nil {
			s.IsMinValueExact = &exact
		}
		if lacking.max && s.MaxValue != nil {
			s.IsMaxValueExact = &exact
		}
	case lacking.min || lacking.max:
		s.Min, s.Max = nil, nil
		if lacking.min {
			s.MinValue, s.IsMinValueExact = nil, nil
		}
		if lacking.max {
			s.MaxValue, s.IsMaxValueExact = nil, nil
		}
	}
	return b.encoder.encode(chunk)
}
