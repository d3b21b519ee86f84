package page

import (
	"fmt"
	"hash/crc32"
	"io"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// A Reader reads the pages of a column chunk in their order. It reads at least a window of the file at a time.
type Reader struct {
	src     io.ReaderAt
	at, end int64 // what is not read yet
	Start   int64 // of the last page
	number  int   // of the next page, from 0
	values  int64 // that the pages left have
	window  int
	packed  []byte // read and not used yet
	codec   compress.Compression
	column  *schema.Column
	buffers *Buffers

	dictionary bool // one was read
	slack      int  // bytes by which the chunk may pass its end, see extend
	extended   bool
}

// A Chunk is where the pages of a leaf column of a row group lie, and how they are stored.
type Chunk struct {
	Start, Size int64
	Values      int64
	Codec       compress.Compression
	Column      *schema.Column
}

// ChunkStart is where a column chunk begins: with its dictionary, if it has one, or its first page.
func ChunkStart(dictionary *int64, data int64) int64 {
	if dictionary != nil && *dictionary > 0 {
		return min(*dictionary, data)
	}
	return data
}

// Open opens the pages of a column chunk of a file. The Reader reads at least window bytes at a time.
func (s *Buffers) Open(src io.ReaderAt, c Chunk, window int) (*Reader, error) {
	if _, err := compress.GetCodec(c.Codec); err != nil {
		return nil, err
	}
	return &Reader{
		src: src, at: c.Start, end: c.Start + c.Size, values: c.Values, window: window,
		codec: c.Codec, column: c.Column, buffers: s,
	}, nil
}

// fill reads until n bytes are buffered, or the rest of the chunk.
func (r *Reader) fill(n int) error {
	n = int(min(int64(n), int64(len(r.packed))+r.end-r.at))
	have := len(r.packed)
	if have >= n {
		return nil
	}
	size := int(min(int64(max(n, r.window)), int64(have)+r.end-r.at))
	buffer := r.buffers.packed
	if buffer.Cap() < size+RLESpare {
		rest := append([]byte(nil), r.packed...)
		copy(Grow(buffer, size), rest)
	} else {
		copy(Grow(buffer, size), r.packed)
	}
	r.packed = buffer.Bytes()[:size]
	got, err := r.src.ReadAt(r.packed[have:], r.at)
	r.at += int64(got)
	if got == size-have {
		return nil
	}
	return err
}

// Header reads the header of the next page. Headers may be long: it reads more bytes until one is whole.
func (r *Reader) Header() (h Header, err error) {
	for n := headWindow; ; n *= 8 {
		if err := r.fill(n); err != nil {
			return h, err
		}
		if len(r.packed) == 0 {
			if r.extend() {
				continue
			}
			return h, io.EOF
		}
		if h, err = headerAt(r.packed); err == nil || r.at == r.end && !r.extend() {
			return h, err
		}
	}
}

// extend moves the end of a chunk that lacks values by the size of the header of its dictionary page, which old writers
// did not count (PARQUET-816). It reports whether it did.
func (r *Reader) extend() bool {
	if r.slack == 0 || r.values == 0 {
		return false
	}
	r.end, r.slack, r.extended = r.end+int64(r.slack), 0, true
	return true
}

// Type returns the physical type of the column.
func (r *Reader) Type() parquet.Type { return r.column.PhysicalType() }

// Extended reports whether the pages pass the end that the metadata name.
func (r *Reader) Extended() bool { return r.extended }

// Offset is where the next page begins in the file.
func (r *Reader) Offset() int64 { return r.at - int64(len(r.packed)) }

// SkipPage skips the page whose header was read last.
func (r *Reader) SkipPage(h *Header) error {
	r.number++
	if n := h.bytes + h.CompressedSize; n <= len(r.packed) {
		r.packed = r.packed[n:]
	} else {
		if r.at += int64(n - len(r.packed)); r.at > r.end && (!r.extend() || r.at > r.end) {
			return errkind.Corrupt("a page passes its column chunk")
		}
		r.packed = nil
	}
	return r.count(h)
}

// count subtracts the values of the last page from those of the chunk. A page with more values than its header counts
// would shift the rows of all later pages.
func (r *Reader) count(h *Header) error {
	if h.Kind != Data && h.Kind != DataV2 {
		return nil
	}
	if r.values -= int64(h.Values); r.values < 0 || r.values == 0 && r.valuesFollow() {
		return errkind.Corrupt("the pages have more values than their column chunk")
	}
	return nil
}

// valuesFollow reports whether another page with values follows. Some writers leave bytes there that are no page.
func (r *Reader) valuesFollow() bool {
	b := make([]byte, min(headWindow, r.end-r.Offset()))
	if len(b) == 0 {
		return false
	}
	n, _ := r.src.ReadAt(b, r.Offset())
	h, err := headerAt(b[:n])
	return err == nil && h.Kind != Dictionary && h.Values > 0
}

// Next reads the next page; io.EOF after the last.
func (r *Reader) Next() (p Page, err error) {
	h, packed, err := r.readRaw()
	if err == nil {
		p, err = r.decompress(&h, packed)
	}
	return p, r.named(err)
}

// named adds the number of the last page to an error, except io.EOF.
func (r *Reader) named(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return fmt.Errorf("page %d: %w", r.number-1, err)
}

// readRaw reads the next page without decompressing it and verifies its CRC; io.EOF after the last page.
func (r *Reader) readRaw() (h Header, packed []byte, err error) {
	r.Start = r.Offset()
	if h, err = r.Header(); err == io.EOF {
		return h, nil, err
	}
	r.number++
	if err != nil {
		return h, nil, err
	}
	if h.Kind == Dictionary && h.Values > h.uncompressedSize/r.leastBytes() {
		return h, nil, errkind.Corrupt("a dictionary of %d entries in %d bytes", h.Values, h.uncompressedSize)
	}
	if h.Kind == Dictionary {
		r.dictionary, r.slack = true, h.bytes
	}
	r.packed = r.packed[h.bytes:]
	if err := r.fill(h.CompressedSize); err != nil {
		return h, nil, err
	}
	if len(r.packed) < h.CompressedSize && r.extend() {
		if err := r.fill(h.CompressedSize); err != nil {
			return h, nil, err
		}
	}
	if len(r.packed) < h.CompressedSize {
		return h, nil, errkind.Corrupt("a page passes its column chunk")
	}
	packed = r.packed[:h.CompressedSize]
	r.packed = r.packed[h.CompressedSize:]
	if found := crc32.ChecksumIEEE; h.checked && found(packed) != h.checksum {
		return h, nil, errkind.Corrupt("the checksum of its bytes is %08x, its header says %08x", found(packed),
			h.checksum)
	}
	return h, packed, r.count(&h)
}

// leastBytes returns the least size of a dictionary entry: its width, or the length prefix of a BYTE_ARRAY.
func (r *Reader) leastBytes() int {
	if size := ValueSize(r.column); size >= 0 {
		return max(size, 1)
	}
	return 4
}

// decompress decompresses a page. The levels of a data page V2 are not compressed.
func (r *Reader) decompress(h *Header, packed []byte) (p Page, err error) {
	p = h.Page
	size := h.uncompressedSize
	if h.Kind == DataV2 {
		levels := h.repLevels + h.defLevels
		if levels > min(len(packed), size) {
			return Page{}, errkind.Corrupt("levels of %d and %d bytes in a page of %d", h.repLevels, h.defLevels,
				min(len(packed), size))
		}
		p.RepetitionLevels, p.DefinitionLevels = packed[:h.repLevels], packed[h.repLevels:levels]
		packed = packed[levels:]
		size -= levels
		if err := r.checkLevels(&p); err != nil {
			return Page{}, err
		}
	}
	if r.codec == compress.Codecs.Uncompressed || h.compressed == 0 || len(packed) == 0 {
		if p.Body = packed; len(packed) != size {
			err = errkind.Corrupt("it has %d bytes, its header says %d", len(packed), size)
		}
		return p, err
	}
	p.Body = Grow(r.buffers.body, size)
	return p, r.buffers.decompressor.decompress(r.codec, p.Body, packed)
}

// Buffers are reused for all pages that are read one after the other.
type Buffers struct {
	packed, body *memory.Buffer
	plain        *memory.Buffer    // values in plain encoding, of a page in another one
	lengths      [2]*memory.Buffer // of its texts and their prefixes
	Entries      *memory.Buffer    // of a dictionary
	Starts       []uint32          // of its texts in entries
	decompressor decompressor
}

// NewBuffers returns empty buffers. The caller releases them.
func NewBuffers(mem memory.Allocator) *Buffers {
	s := new(Buffers)
	for _, b := range s.all() {
		*b = memory.NewResizableBuffer(mem)
	}
	return s
}

// Release gives the memory back.
func (s *Buffers) Release() {
	for _, b := range s.all() {
		(*b).Release()
	}
}

func (s *Buffers) all() []**memory.Buffer {
	return []**memory.Buffer{&s.packed, &s.body, &s.plain, &s.lengths[0], &s.lengths[1], &s.Entries}
}

// Grow returns n bytes of a buffer with RLESpare readable bytes after them. The old contents are lost.
func Grow(buffer *memory.Buffer, n int) []byte {
	if buffer.Cap() < n+RLESpare {
		buffer.Resize(0) // nothing is to be copied
	}
	buffer.ResizeNoShrink(n + RLESpare)
	return buffer.Bytes()[:n]
}
