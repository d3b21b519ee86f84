package tablefile

import (
	"encoding/binary"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/klauspost/compress/zstd"
)

// pageRows is the rows of a page of a flat column, which makes up to 1 MiB.
const pageRows = 1 << 17

// A flatEncoder encodes flat columns in memory that it uses again: pqarrow goes through levels of 16 bits, a hash table, and
// several copies for each column chunk, and the page faults of all that take longer than encoding.
type flatEncoder struct {
	valueScratch
	dense    []int32 // indices of a page, without nulls
	body     []byte  // of a page
	packed   []byte  // compressed
	zstd     *zstd.Encoder
	compress func(dst, src []byte) []byte

	out     []byte // what is written
	size    int    // of out without compression
	present int    // rows of a page that are not null
}

// encode encodes rows as a column chunk behind the file's magic.
func (w *flatEncoder) encode(out []byte, v *flatValues, field arrow.Field, e *columnEncoder) (p piece, err error) {
	sc, err := pqarrow.ToParquet(arrow.NewSchema([]arrow.Field{field}, nil), e.props, e.arrowProps)
	if err != nil {
		return piece{}, err
	}
	column := sc.Column(0)
	if w.compress, err = w.compressor(column.Path(), e); err != nil {
		return piece{}, err
	}
	w.out, w.size = append(out, parquetMagic...), len(parquetMagic)
	info := metadata.ChunkMetaInfo{NumValues: int64(v.rows), IndexPageOffset: -1}
	stats := metadata.EncodingStats{DictEncodingStats: map[parquet.Encoding]int32{}, DataEncodingStats: map[parquet.Encoding]int32{}}
	encoding := parquet.Encodings.Plain
	if v.plain == nil {
		encoding = parquet.Encodings.RLEDict
		info.DictPageOffset = int64(len(w.out))
		stats.DictEncodingStats[parquet.Encodings.Plain] = 1
		w.body = append(w.body[:0], v.entries...)
		w.page(dictionaryPage, v.count, int(parquet.Encodings.Plain))
	}
	info.DataPageOffset = int64(len(w.out))
	for row := 0; row < v.rows; row += pageRows {
		w.dataPage(v, row, min(pageRows, v.rows-row), field.Nullable, int(encoding))
		stats.DataEncodingStats[encoding]++
	}
	info.CompressedSize = int64(len(w.out) - len(parquetMagic))
	info.UncompressedSize = int64(w.size - len(parquetMagic))
	p.file, w.out = w.out, nil
	p.footer, err = e.footer(sc, v, info, stats)
	return p, err
}

// footer is the metadata of a column chunk, as that of a file of its own.
func (e *columnEncoder) footer(sc *schema.Schema, v *flatValues, info metadata.ChunkMetaInfo, stats metadata.EncodingStats) (*metadata.FileMetaData, error) {
	column := sc.Column(0)
	file := metadata.NewFileMetadataBuilder(sc, e.props, nil)
	group := file.AppendRowGroup()
	group.SetNumRows(v.rows)
	chunk := group.NextColumnChunk()
	bounds := metadata.EncodedStatistics{Signed: column.SortOrder() == schema.SortSIGNED}
	bounds.SetNullCount(int64(v.nulls))
	if v.low != nil {
		bounds.SetMin(v.low)
		bounds.SetMax(v.high)
		bounds.ApplyStatSizeLimits(int(e.props.MaxStatsSizeFor(column.Path())))
	}
	chunk.SetStats(bounds)
	if err := chunk.Finish(info, v.plain == nil, false, stats, nil); err != nil {
		return nil, err
	}
	if err := group.Finish(info.UncompressedSize, 0); err != nil {
		return nil, err
	}
	footer, err := file.Finish()
	if err == nil && e.zstd[column.Path()] {
		footer.RowGroups[0].Columns[0].MetaData.Codec = zstdCodec
	}
	return footer, err
}

// dataPage encodes rows.
func (w *flatEncoder) dataPage(v *flatValues, row, rows int, nullable bool, encoding int) {
	w.body, w.present = w.body[:0], rows
	if nullable {
		w.levels(v, row, rows)
	}
	if v.plain != nil {
		w.integers(v, row, rows)
	} else {
		w.body = append(w.body, byte(v.width()))
		w.body = appendHybrid(w.body, w.withoutNulls(v, row, rows), v.width())
	}
	w.page(dataPage, rows, encoding, rleEncoding, rleEncoding)
}

// levels appends the definition levels of rows, 1 for a value and 0 for null: their length and a hybrid of one run, which is
// equal for all or else the bitmap.
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

// integers appends the rows that are not null.
func (w *flatEncoder) integers(v *flatValues, row, rows int) {
	w.body = slices.Grow(w.body, rows*arrow.Int64SizeBytes)
	for i, x := range v.plain[row : row+rows] {
		if w.present == rows || v.valid(row+i) {
			w.body = binary.LittleEndian.AppendUint64(w.body, uint64(x))
		}
	}
}

// withoutNulls are the indices of the rows that are not null.
func (w *flatEncoder) withoutNulls(v *flatValues, row, rows int) []int32 {
	indices := v.indices[row : row+rows]
	if w.present == rows {
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

// page appends a page with the body. The numbers are those of its kind's header.
func (w *flatEncoder) page(kind int, numbers ...int) {
	body := w.body
	if w.compress != nil {
		w.packed = w.compress(w.packed[:0], body)
		body = w.packed
	}
	start := len(w.out)
	header := compactWriter{b: w.out}
	header.number(1, kind)
	header.number(2, len(w.body))
	header.number(3, len(body))
	if kind == dataPage {
		header.record(5, numbers...)
	} else {
		header.record(7, numbers...)
	}
	w.out = append(header.b, thriftStop)
	w.size += len(w.out) - start + len(w.body)
	w.out = append(w.out, body...)
}

// compressor compresses for a column; nil when it is not to be compressed.
func (w *flatEncoder) compressor(path string, e *columnEncoder) (func(dst, src []byte) []byte, error) {
	if e.zstd[path] {
		if w.zstd == nil {
			var err error
			if w.zstd, err = newZstdEncoder(e.opts.Compression.Level); err != nil {
				return nil, err
			}
		}
		return func(dst, src []byte) []byte { return w.zstd.EncodeAll(src, dst) }, nil
	}
	id := e.props.CompressionFor(path)
	if id == compress.Codecs.Uncompressed {
		return nil, nil
	}
	codec, err := compress.GetCodec(id)
	if err != nil {
		return nil, err
	}
	level := e.props.CompressionLevelFor(path)
	return func(dst, src []byte) []byte {
		dst = slices.Grow(dst, int(codec.CompressBound(int64(max(1, len(src))))))
		return codec.EncodeLevel(dst, src, level)
	}, nil
}
