package tablefile

import (
	"hash/crc32"
	"slices"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// pageBytes is about the bytes of a page at most.
const pageBytes = 1 << 20

// A pageWriter writes the pages of column chunks to a piece, and their index.
type pageWriter struct {
	packed   []byte // compressed
	zstd     *zstd.Encoder
	compress func(dst, src []byte) []byte // nil: not at all

	out   []byte // what is written
	size  int    // of out without compression
	at    int    // of the last page in out
	index []pageIndex
}

// start begins a piece, in memory that is used again.
func (w *pageWriter) start(out []byte) {
	w.out, w.size, w.index = append(out, parquetMagic...), len(parquetMagic), nil
}

// chunk begins the next column chunk.
func (w *pageWriter) chunk(column *schema.Column, codec compress.Compression, level int) (err error) {
	w.index = append(w.index, pageIndex{column: column})
	w.compress, err = w.compressor(codec, level)
	return err
}

// offset is where the next page begins in the piece.
func (w *pageWriter) offset() int64 { return int64(len(w.out)) }

// uncompressed is the offset of the next page in the piece if nothing were compressed.
func (w *pageWriter) uncompressed() int64 { return int64(w.size) }

// page appends a page with a body and its checksum. The numbers are those of its kind's header.
func (w *pageWriter) page(kind int, body []byte, numbers ...int) {
	size := len(body)
	if w.compress != nil {
		w.packed = w.compress(w.packed[:0], body)
		body = w.packed
	}
	w.at = len(w.out)
	header := compactWriter{b: w.out}
	header.number(1, kind)
	header.number(2, size)
	header.number(3, len(body))
	header.word(4, crc32.ChecksumIEEE(body))
	if kind == dataPage {
		header.record(5, numbers...)
	} else {
		header.record(7, numbers...)
	}
	w.out = append(header.b, thriftStop)
	w.size += len(w.out) - w.at + size
	w.out = append(w.out, body...)
}

// indexed puts the page that was written last, a data page that starts at a row, into the index.
func (w *pageWriter) indexed(row int, bounds pageBounds) {
	chunk := &w.index[len(w.index)-1]
	chunk.pages = append(chunk.pages, indexedPage{at: int64(w.at), size: len(w.out) - w.at, row: row, pageBounds: bounds})
}

// expect makes room for a number of further pages like the last one: a piece that grows as it is written goes through
// several times its memory.
func (w *pageWriter) expect(pages int) {
	n := pages * (len(w.out) - w.at)
	w.out = slices.Grow(w.out, n+n/8)
}

// finish ends the piece and gives it away.
func (w *pageWriter) finish() (file []byte, index []pageIndex) {
	file, index = w.out, w.index
	w.out, w.index = nil, nil
	return file, index
}

// compressor compresses with a codec; nil for none.
func (w *pageWriter) compressor(id compress.Compression, level int) (func(dst, src []byte) []byte, error) {
	switch id {
	case compress.Codecs.Uncompressed:
		return nil, nil
	case compress.Codecs.Zstd:
		if w.zstd == nil {
			var err error
			if w.zstd, err = newZstdEncoder(level); err != nil {
				return nil, err
			}
		}
		return func(dst, src []byte) []byte { return w.zstd.EncodeAll(src, dst) }, nil
	case compress.Codecs.Snappy: // faster than arrow's, which takes fresh memory for each page besides
		return func(dst, src []byte) []byte {
			most := s2.MaxEncodedLen(len(src))
			return s2.EncodeSnappy(slices.Grow(dst, most)[:most], src)
		}, nil
	}
	codec, err := compress.GetCodec(id)
	if err != nil {
		return nil, err
	}
	if level == 0 {
		level = compress.DefaultCompressionLevel
	}
	return func(dst, src []byte) []byte {
		dst = slices.Grow(dst, int(codec.CompressBound(int64(max(1, len(src))))))
		return codec.EncodeLevel(dst, src, level)
	}, nil
}
