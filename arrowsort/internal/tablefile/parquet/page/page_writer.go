package page

import (
	"hash/crc32"
	"slices"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// MaxBytes is about the bytes of a page at most.
const MaxBytes = 1 << 20

// A Writer writes column chunks to the start of a file in memory, and makes their page index.
type Writer struct {
	packed     []byte // compressed
	compressor compressor
	compress   func(dst, src []byte) []byte // nil: not at all

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
	w.compress, err = w.compressor.with(codec, level)
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
func (w *Writer) IndexPage(row int, s Statistics) {
	chunk := &w.Index[len(w.Index)-1]
	entry := PageLocation{Offset: int64(w.at), Size: len(w.out) - w.at, Row: row, Statistics: s}
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
