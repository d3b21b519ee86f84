package page

import (
	"cmp"
	"hash/crc32"
	"slices"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// MaxBytes is about the bytes of a page at most.
const MaxBytes = 1 << 20

// A Writer writes column chunks to the start of a file in memory, and makes their page index.
type Writer struct {
	packed   []byte // compressed
	zstd     *zstd.Encoder
	compress func(dst, src []byte) []byte // nil: not at all

	out   []byte // what is written
	size  int    // of out without compression
	at    int    // of the last page in out
	Index []Index
}

// Start starts a file in the memory of out.
func (w *Writer) Start(out []byte) {
	w.out, w.size, w.Index = append(out, Magic...), len(Magic), nil
}

// StartChunk starts the next column chunk.
func (w *Writer) StartChunk(column *schema.Column, codec compress.Compression, level int) (err error) {
	w.Index = append(w.Index, Index{Column: column})
	w.compress, err = w.compressor(codec, level)
	return err
}

// Offset is the offset of the next page.
func (w *Writer) Offset() int64 { return int64(len(w.out)) }

// Uncompressed returns the offset of the next page if nothing were compressed.
func (w *Writer) Uncompressed() int64 { return int64(w.size) }

// Add appends a page with a body and its checksum. The numbers are those of its kind's header.
func (w *Writer) Add(kind int, body []byte, numbers ...int) {
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
	if kind == Data {
		header.record(5, numbers...)
	} else {
		header.record(7, numbers...)
	}
	w.out = append(header.b, thriftStop)
	w.size += len(w.out) - w.at + size
	w.out = append(w.out, body...)
}

// IndexPage adds the last page, a data page that starts at a row, to the index.
func (w *Writer) IndexPage(row int, bounds Bounds) {
	chunk := &w.Index[len(w.Index)-1]
	entry := PageLocation{Offset: int64(w.at), Size: len(w.out) - w.at, Row: row, Bounds: bounds}
	chunk.Entries = append(chunk.Entries, entry)
}

// Reserve allocates memory for a number of pages like the last one. Growing page by page would allocate several times
// the memory.
func (w *Writer) Reserve(pages int) {
	n := pages * (len(w.out) - w.at)
	w.out = slices.Grow(w.out, n+n/8)
}

// Finish returns the file and the index, which the Writer no longer refers to.
func (w *Writer) Finish() (file []byte, index []Index) {
	file, index = w.out, w.Index
	w.out, w.Index = nil, nil
	return file, index
}

// compressor returns the function that compresses with a codec; nil for no compression.
func (w *Writer) compressor(id compress.Compression, level int) (func(dst, src []byte) []byte, error) {
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
	level = cmp.Or(level, compress.DefaultCompressionLevel)
	return func(dst, src []byte) []byte {
		dst = slices.Grow(dst, int(codec.CompressBound(int64(max(1, len(src))))))
		return codec.EncodeLevel(dst, src, level)
	}, nil
}

// zstdWindow is the window of zstd: about a page.
const zstdWindow = MaxBytes

// newZstdEncoder returns an encoder for many pages. Its window is a page, where that of Arrow Go's codec is several
// megabytes, and it writes no checksum, since page headers have one.
func newZstdEncoder(level int) (*zstd.Encoder, error) {
	speed := zstd.SpeedFastest // zstd's level 1
	if level > 0 {
		speed = zstd.EncoderLevelFromZstd(level)
	}
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(zstdWindow),
		zstd.WithEncoderLevel(speed),
		zstd.WithZeroFrames(true), zstd.WithEncoderCRC(false))
}
