package page

import (
	"encoding/binary"
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
	levels     []byte // of a data page of the second version
	compressor compressor
	compress   func(dst, src []byte) []byte // nil: not at all
	lengths    [2][]int32                   // of texts and their prefixes
	second     bool                         // data pages are of the second version

	out   []byte // what is written
	size  int    // of out without compression
	at    int    // of the last page in out
	Index []Index
}

// Start starts a file in the memory of out, whose data pages are of the second version or the first one.
func (w *Writer) Start(out []byte, second bool) {
	w.out, w.size, w.Index, w.second = append(out, Magic...), len(Magic), nil, second
}

// StartChunk starts the next column chunk.
func (w *Writer) StartChunk(column *schema.Column, codec compress.Compression, level int) (err error) {
	w.Index = append(w.Index, Index{Column: column})
	w.compress, err = w.compressor.with(codec, level)
	return err
}

// PackedSize returns the bytes of a body as the pages of the column chunk are compressed.
func (w *Writer) PackedSize(body []byte) int {
	if w.compress == nil {
		return len(body)
	}
	w.packed = w.compress(w.packed[:0], body)
	return len(w.packed)
}

// Offset is the offset of the next page.
func (w *Writer) Offset() int64 { return int64(len(w.out)) }

// Uncompressed returns the offset of the next page if nothing were compressed.
func (w *Writer) Uncompressed() int64 { return int64(w.size) }

// AddDictionary appends a page with the entries of a dictionary.
func (w *Writer) AddDictionary(entries []byte, count, encoding int) {
	w.add(Dictionary, nil, entries, func(h *compactWriter, _ bool) { h.record(7, count, encoding) })
}

// AddData appends a data page of some values, whose body is that of the first version: levels, each after its length,
// and values. It adds the page, which starts at a row, to the index.
func (w *Writer) AddData(body []byte, row, values, encoding int, s Statistics) {
	if w.second {
		w.addSecond(body, values, encoding, &s)
	} else {
		w.add(Data, nil, body, func(h *compactWriter, _ bool) { h.record(5, values, encoding, RLE, RLE) })
	}
	chunk := &w.Index[len(w.Index)-1]
	entry := PageLocation{Offset: int64(w.at), Size: len(w.out) - w.at, Row: row, Statistics: s}
	chunk.Entries = append(chunk.Entries, entry)
}

// addSecond appends a data page of the second version, which has its levels without their lengths.
func (w *Writer) addSecond(body []byte, values, encoding int, s *Statistics) {
	cut := func(most int16) (levels []byte) {
		if most > 0 {
			end := 4 + int(binary.LittleEndian.Uint32(body))
			levels, body = body[4:end], body[end:]
		}
		return levels
	}
	column, rows := w.Index[len(w.Index)-1].Column, values
	repeats := cut(column.MaxRepetitionLevel())
	present := cut(column.MaxDefinitionLevel())
	if s.Repetitions != nil {
		rows = int(s.Repetitions[0])
	}
	w.levels = append(append(w.levels[:0], repeats...), present...)
	w.add(DataV2, w.levels, body, func(h *compactWriter, packed bool) {
		h.recordOf(8, packed, values, int(s.Nulls), rows, encoding, len(present), len(repeats))
	})
}

// add appends a page with its checksum: levels, which are not compressed, and a body. numbers writes those of its kind
// to the header. The body of a page with levels is compressed only if it gets smaller.
func (w *Writer) add(kind int, levels, body []byte, numbers func(h *compactWriter, packed bool)) {
	size, packed := len(levels)+len(body), w.compress != nil
	if packed {
		w.packed = w.compress(w.packed[:0], body)
		if packed = kind != DataV2 || len(w.packed) < len(body); packed {
			body = w.packed
		}
	}
	w.at = len(w.out)
	header := compactWriter{b: w.out}
	header.number(1, kind)
	header.number(2, size)
	header.number(3, len(levels)+len(body))
	header.word(4, crc32.Update(crc32.ChecksumIEEE(levels), crc32.IEEETable, body))
	numbers(&header, packed)
	w.out = append(header.b, thriftStop)
	w.size += len(w.out) - w.at + size
	w.out = append(append(w.out, levels...), body...)
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
