package tablefile

import (
	"errors"
	"io"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/klauspost/compress/s2"
)

// Kinds of pages, of parquet.thrift.
const (
	dataPage       = 0
	dictionaryPage = 2
	dataPageV2     = 3
)

// A page is one of a column chunk. The capacity of its bodies reaches hybridSpare bytes beyond the length.
type page struct {
	kind     int
	values   int
	encoding int
	levels   int    // encoding of the definition levels
	present  []byte // definition levels of a page of the second version
	body     []byte
}

// pageScratch is the memory that pages are read with, one after the other.
type pageScratch struct {
	packed, body *memory.Buffer
	entries      *memory.Buffer // of a dictionary
	starts       []uint32       // of its texts in entries
}

func newPageScratch(mem memory.Allocator) *pageScratch {
	return &pageScratch{
		packed: memory.NewResizableBuffer(mem), body: memory.NewResizableBuffer(mem), entries: memory.NewResizableBuffer(mem)}
}

func (s *pageScratch) release() {
	s.packed.Release()
	s.body.Release()
	s.entries.Release()
}

// takeScratch gives the memory that somebody gave back, or new one.
func (f *parquetFile) takeScratch() *pageScratch {
	if f.spare != nil {
		if s := f.spare.take(); s != nil {
			return s
		}
	}
	return newPageScratch(f.opts.Allocator)
}

func (f *parquetFile) giveScratch(s *pageScratch) {
	if f.spare != nil {
		f.spare.give(s)
	} else {
		s.release()
	}
}

// room makes place for n bytes and those behind them. What the buffer had is lost.
func room(buffer *memory.Buffer, n int) []byte {
	if buffer.Cap() < n+hybridSpare {
		buffer.Resize(0) // nothing is to be copied
	}
	buffer.ResizeNoShrink(n + hybridSpare)
	return buffer.Bytes()[:n]
}

// pageReader walks over the pages of a column chunk. It reads the chunk as far as it needs, at least a window at a time.
type pageReader struct {
	src     io.ReaderAt
	at, end int64 // what is not read yet
	start   int64 // of the last page
	window  int
	packed  []byte         // read and not used yet
	codec   compress.Codec // nil: none
	snappy  bool
	scratch *pageScratch
}

// Bytes that are read at a time: of a chunk that is read as a whole, and of one of many that are read at once.
const (
	wholeWindow = 4 << 20
	pieceWindow = 128 << 10
	headWindow  = 4 << 10 // for a page header, which may have long statistics
)

// open reads a column chunk of a row group.
func (s *pageScratch) open(f *parquetFile, group, column, window int) (*pageReader, error) {
	meta := f.file.MetaData().RowGroups[group].Columns[column].MetaData
	start := chunkStart(meta.DictionaryPageOffset, meta.DataPageOffset)
	r := &pageReader{src: f.src, at: start, end: start + meta.TotalCompressedSize, window: window, scratch: s}
	switch codec := compress.Compression(meta.Codec); codec {
	case compress.Codecs.Uncompressed:
	case compress.Codecs.Snappy:
		r.snappy = true
	default:
		var err error
		if r.codec, err = compress.GetCodec(codec); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// fill reads until n bytes are there, or all that are left.
func (r *pageReader) fill(n int) error {
	n = int(min(int64(n), int64(len(r.packed))+r.end-r.at))
	have := len(r.packed)
	if have >= n {
		return nil
	}
	size := int(min(int64(max(n, r.window)), int64(have)+r.end-r.at))
	buffer := r.scratch.packed
	if buffer.Cap() < size+hybridSpare {
		rest := append([]byte(nil), r.packed...)
		copy(room(buffer, size), rest)
	} else {
		copy(room(buffer, size), r.packed)
	}
	r.packed = buffer.Bytes()[:size]
	got, err := r.src.ReadAt(r.packed[have:], r.at)
	r.at += int64(got)
	if got == size-have {
		return nil
	}
	return err
}

// A pageHead is what precedes the body of a page.
type pageHead struct {
	page
	size, packed         int // bytes of the body, and compressed
	nulls, rows          int // of the second version
	defLevels, repLevels int // bytes before the compressed ones, of the second version
	compressed           int // 0: the codec is not used, of the second version
	bytes                int // of the header itself
}

// header reads the header of the next page, of which it reads more and more until it is whole.
func (r *pageReader) header() (h pageHead, err error) {
	for n := headWindow; ; n *= 8 {
		if err := r.fill(n); err != nil {
			return h, err
		}
		if len(r.packed) == 0 {
			return h, io.EOF
		}
		h = pageHead{compressed: 1}
		err = contain(func() error { h.read(&compactReader{b: r.packed}); return nil })
		if err == nil || r.at == r.end {
			return h, err
		}
	}
}

func (h *pageHead) read(r *compactReader) {
	r.fields(func(field int, typ byte) {
		switch field {
		case 1:
			h.kind = r.number()
		case 2:
			h.size = r.number()
		case 3:
			h.packed = r.number()
		case 5: // a data page
			r.record(typ, &h.values, &h.encoding, &h.levels)
		case 7: // a dictionary
			r.record(typ, &h.values, &h.encoding)
		case 8: // a data page of the second version
			r.record(typ, &h.values, &h.nulls, &h.rows, &h.encoding, &h.defLevels, &h.repLevels, &h.compressed)
		default:
			r.skip(typ)
		}
	})
	h.bytes = r.at
}

// offset is where the next page begins in the file.
func (r *pageReader) offset() int64 { return r.at - int64(len(r.packed)) }

// pass passes the next page, whose header was read.
func (r *pageReader) pass(h *pageHead) error {
	n := h.bytes + h.packed
	if n <= len(r.packed) {
		r.packed = r.packed[n:]
		return nil
	}
	if r.at += int64(n - len(r.packed)); r.at > r.end {
		return corrupt("a page passes its column chunk")
	}
	r.packed = nil
	return nil
}

// next reads the next page; io.EOF behind the last.
func (r *pageReader) next() (p page, err error) {
	r.start = r.offset()
	h, err := r.header()
	if err != nil {
		return page{}, err
	}
	r.packed = r.packed[h.bytes:]
	if err := r.fill(h.packed); err != nil {
		return page{}, err
	}
	if len(r.packed) < h.packed {
		return page{}, corrupt("a page passes its column chunk")
	}
	packed := r.packed[:h.packed]
	r.packed = r.packed[h.packed:]
	p = h.page
	levels := 0
	if h.kind == dataPageV2 {
		if levels = h.defLevels; h.repLevels > 0 || levels > min(h.packed, h.size) {
			return page{}, corrupt("a page of %d bytes has levels of %d and %d bytes", h.packed, h.repLevels, levels)
		}
		p.present = packed[:levels]
	}
	if p.body = packed[levels:]; h.compressed == 1 {
		p.body, err = r.unpack(p.body, h.size-levels)
	}
	return p, err
}

// unpack decompresses to size bytes.
func (r *pageReader) unpack(packed []byte, size int) ([]byte, error) {
	if r.codec == nil && !r.snappy || size == 0 || len(packed) == 0 {
		return packed, nil
	}
	body := room(r.scratch.body, size)
	if !r.snappy {
		if got := r.codec.Decode(body, packed); len(got) != size || &got[0] != &body[0] {
			return nil, corrupt("a page of %d bytes decompresses to %d", size, len(got))
		}
		return body, nil
	}
	if n, err := s2.DecodedLen(packed); err != nil || n != size {
		return nil, errors.Join(corrupt("a page of %d bytes decompresses to %d", size, n), err)
	}
	if _, err := s2.Decode(body, packed); err != nil {
		return nil, corrupt("a page cannot be decompressed: %v", err)
	}
	return body, nil
}

// record reads a struct whose fields from 1 on are the numbers, or booleans as 0 and 1.
func (r *compactReader) record(typ byte, numbers ...*int) {
	if typ != thriftStruct {
		panic(corrupt("a page header has a field of type %d for a struct", typ))
	}
	r.fields(func(field int, typ byte) {
		switch known := field >= 1 && field <= len(numbers); {
		case known && typ == thriftI32:
			*numbers[field-1] = r.number()
		case known && typ == thriftFalse:
			*numbers[field-1] = 0
		default:
			r.skip(typ)
		}
	})
}
