package writer

import (
	"encoding/binary"
	"slices"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow/bitutil"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// A flatEncoder encodes flat columns and reuses its memory. pqarrow allocates levels of 16 bits, a hash table, and
// several copies for each column chunk, and their page faults take longer than encoding.
type flatEncoder struct {
	encodeBuffers
	page.Writer
	plain   page.PlainBounds
	body    []byte  // of a page
	values  []byte  // of a page or a sample, in plain encoding
	dense   []int32 // indices of a page, without nulls
	present int     // rows of a page that are not null
	leaf    leafValues
}

// encode encodes rows as a column chunk that follows the magic bytes of a file.
func (w *flatEncoder) encode(out []byte, v *flatValues, choice encodingChoice, sc *schema.Schema,
	with *properties) (p EncodedColumn, err error) {
	column := sc.Column(0)
	w.Start(out, with.opts.secondPages())
	if err := w.StartChunk(column, with.codecs[column.Path()], with.opts.Level); err != nil {
		return EncodedColumn{}, err
	}
	w.plain.Reset(column)
	info := metadata.ChunkMetaInfo{NumValues: int64(v.rows), IndexPageOffset: -1}
	stats := metadata.EncodingStats{
		DictEncodingStats: map[parquet.Encoding]int32{}, DataEncodingStats: map[parquet.Encoding]int32{}}
	encoding := w.chooseEncoding(v, choice, column.PhysicalType())
	if v.indices != nil {
		info.DictPageOffset = w.Offset()
		stats.DictEncodingStats[parquet.Encodings.Plain] = 1
		w.AddDictionary(v.entries, v.count, page.Plain)
		w.plain.SetEntries(v.entries, v.count)
	}
	info.DataPageOffset = w.Offset()
	for row, rows := 0, 0; row < v.rows; row += rows {
		rows = v.page(row, with.pageRows())
		if err := w.dataPage(v, row, rows, column, encoding); err != nil {
			return EncodedColumn{}, err
		}
		if row == 0 {
			w.Reserve(v.rows/rows - 1)
		}
		stats.DataEncodingStats[parquet.Encoding(encoding)]++
	}
	info.CompressedSize = w.Offset() - int64(len(page.Magic))
	info.UncompressedSize = w.Uncompressed() - int64(len(page.Magic))
	p.File, p.Index = w.Finish()
	if !page.HoldsFloats(column) { // whose values of other bits may be equal
		p.Index[0].Distinct = int64(v.count)
	}
	p.Footer, err = footerOf(sc, v, info, stats, with)
	if err == nil {
		setEnum(&p.Footer.RowGroups[0].Columns[0].MetaData.Encodings[0], encoding)
		setPageVersion(p.Footer, 0, with.opts.secondPages())
	}
	return p, err
}

// footerOf returns the metadata of a file with one column chunk.
func footerOf(sc *schema.Schema, v *flatValues, info metadata.ChunkMetaInfo, stats metadata.EncodingStats,
	with *properties) (*metadata.FileMetaData, error) {
	file := metadata.NewFileMetadataBuilder(sc, with.writer, nil)
	group := file.AppendRowGroup()
	group.SetNumRows(v.rows)
	chunk := group.NextColumnChunk()
	if err := chunk.Finish(info, v.indices != nil, false, stats); err != nil {
		return nil, err
	}
	if err := group.Finish(info.UncompressedSize, 0); err != nil {
		return nil, err
	}
	footer, err := file.Finish()
	if err == nil {
		setEnum(&footer.RowGroups[0].Columns[0].MetaData.Codec, with.codecs[sc.Column(0).Path()])
	}
	return footer, err
}

// dataPage encodes rows.
func (w *flatEncoder) dataPage(v *flatValues, row, rows int, column *schema.Column, encoding int) error {
	w.body, w.present = w.body[:0], rows
	if column.MaxDefinitionLevel() > 0 {
		w.levels(v, row, rows)
	}
	start, bounded := len(w.body), page.Plain
	w.body = w.appendValues(w.body, v, row, rows, encoding, column.PhysicalType())
	values := w.body[start:]
	if v.indices != nil {
		w.body = slices.Grow(w.body, page.RLESpare) // to be read again
		values, bounded = w.body[start:], encoding
	} else if encoding != page.Plain {
		values = w.values
	}
	statistics, err := w.plain.OfPage(bounded, values, w.present)
	if err != nil {
		return err
	}
	statistics.Nulls = int64(rows - w.present)
	w.AddData(w.body, row, rows, encoding, statistics)
	return nil
}

// appendValues appends the values of rows in an encoding other than plain by way of w.values.
func (w *flatEncoder) appendValues(out []byte, v *flatValues, row, rows, encoding int, typ parquet.Type) []byte {
	switch {
	case v.indices != nil:
		return w.appendIndices(out, v, row, rows)
	case encoding == page.Plain:
		return v.plain.appendTo(out, v, row, rows)
	}
	w.values = v.plain.appendTo(w.values[:0], v, row, rows)
	return w.AppendValues(out, encoding, typ, w.values)
}

// levels appends the definition levels of rows, 1 for a value and 0 for null: their length and a hybrid of one run,
// which is equal for all or else the bitmap.
func (w *flatEncoder) levels(v *flatValues, row, rows int) {
	start := len(w.body)
	w.body = append(w.body, 0, 0, 0, 0)
	if v.validity != nil {
		w.present = bitutil.CountSetBits(v.validity, v.offset+row, rows)
	}
	if w.present == rows {
		w.body = binary.AppendUvarint(w.body, uint64(rows)<<1)
		w.body = append(w.body, 1)
	} else {
		groups := int(bitutil.BytesForBits(int64(rows)))
		w.body = binary.AppendUvarint(w.body, uint64(groups)<<1|1)
		at := len(w.body)
		w.body = slices.Grow(w.body, groups)[:at+groups]
		clear(w.body[at:])
		bitutil.CopyBitmap(v.validity, v.offset+row, rows, w.body[at:], 0)
	}
	binary.LittleEndian.PutUint32(w.body[start:], uint32(len(w.body)-start-4))
}

// page returns the number of rows of the page that starts at row, at most most.
func (v *flatValues) page(row, most int) int {
	return v.within(row, min(most, v.rows-row), page.MaxBytes)
}

// within returns a number of rows from a row on, halved until they take at most some bytes.
func (v *flatValues) within(row, rows, bytes int) int {
	for v.plain != nil && rows > 1 && v.plain.bytes(row, rows) > bytes {
		rows /= 2
	}
	return rows
}

// appendIndices appends the indices of the rows that are not null.
func (w *flatEncoder) appendIndices(out []byte, v *flatValues, row, rows int) []byte {
	return page.AppendRLE(append(out, byte(v.width())), w.withoutNulls(v, row, rows), v.width())
}

// withoutNulls returns the indices of the rows that are not null.
func (w *flatEncoder) withoutNulls(v *flatValues, row, rows int) []int32 {
	indices := v.indices[row : row+rows]
	if v.validity == nil {
		return indices
	}
	w.dense = w.dense[:0]
	for i, k := range indices {
		if v.valid(row + i) {
			w.dense = append(w.dense, k)
		}
	}
	return w.dense
}
