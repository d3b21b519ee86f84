package tablefile

import (
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow/memory"
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
	repeats  []byte // repetition levels of a page of the second version
	present  []byte // definition levels of a page of the second version
	body     []byte
}

// pageScratch is the memory that pages are read with, one after the other.
type pageScratch struct {
	packed, body *memory.Buffer
	entries      *memory.Buffer // of a dictionary
	starts       []uint32       // of its texts in entries
	unpacker     unpacker
}

func newPageScratch(mem memory.Allocator) *pageScratch {
	return &pageScratch{
		packed: memory.NewResizableBuffer(mem), body: memory.NewResizableBuffer(mem),
		entries: memory.NewResizableBuffer(mem)}
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

// pageReader walks over the pages of a column chunk. It reads the chunk as far as it needs, at least a window at a
// time.
type pageReader struct {
	src     io.ReaderAt
	at, end int64 // what is not read yet
	start   int64 // of the last page
	number  int   // of the next page, from 0
	values  int64 // that the pages left have
	window  int
	packed  []byte // read and not used yet
	codec   compress.Compression
	column  *schema.Column
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
	codec := compress.Compression(meta.Codec)
	if _, err := compress.GetCodec(codec); err != nil {
		return nil, err
	}
	start := chunkStart(meta.DictionaryPageOffset, meta.DataPageOffset)
	return &pageReader{
		src: f.src, at: start, end: start + meta.TotalCompressedSize, values: meta.NumValues, window: window,
		codec:  codec,
		column: f.file.MetaData().Schema.Column(column), scratch: s,
	}, nil
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
	repLevelsAre         int // encoding of the repetition levels, of the first version
	checked              bool
	checksum             uint32 // of the compressed bytes, if checked: their CRC-32
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

// read reads a header. It panics for one that lacks a field that all have: bits that are wrong make fields seem to be
// others.
func (h *pageHead) read(r *compactReader) {
	seen := 0
	r.fields(func(field int, typ byte) {
		switch field {
		case 1:
			h.kind = r.numberOf(typ)
		case 2:
			h.size = r.numberOf(typ)
		case 3:
			h.packed = r.numberOf(typ)
		case 4:
			h.checked, h.checksum = true, r.word()
		case 5: // a data page
			r.record(typ, 4, &h.values, &h.encoding, &h.levels, &h.repLevelsAre)
		case 7: // a dictionary
			r.record(typ, 2, &h.values, &h.encoding)
		case 8: // a data page of the second version
			r.record(typ, 6, &h.values, &h.nulls, &h.rows, &h.encoding, &h.defLevels, &h.repLevels, &h.compressed)
		default:
			r.skip(typ)
			return
		}
		seen |= 1 << field
	})
	wanted := 1<<1 | 1<<2 | 1<<3
	if known := map[int]int{dataPage: 5, dictionaryPage: 7, dataPageV2: 8}; known[h.kind] > 0 {
		wanted |= 1 << known[h.kind]
	}
	if seen&wanted != wanted {
		panic(corrupt("a page header of kind %d is incomplete", h.kind))
	}
	h.bytes = r.at
}

// offset is where the next page begins in the file.
func (r *pageReader) offset() int64 { return r.at - int64(len(r.packed)) }

// pass passes the next page, whose header was read.
func (r *pageReader) pass(h *pageHead) error {
	r.number++
	if n := h.bytes + h.packed; n <= len(r.packed) {
		r.packed = r.packed[n:]
	} else {
		if r.at += int64(n - len(r.packed)); r.at > r.end {
			return corrupt("a page passes its column chunk")
		}
		r.packed = nil
	}
	return r.count(h)
}

// count takes the values of a page, behind which it is called, off those of the chunk. With more or less than that in a
// page the rows of later pages would not be what they are.
func (r *pageReader) count(h *pageHead) error {
	if h.kind != dataPage && h.kind != dataPageV2 {
		return nil
	}
	if r.values -= int64(h.values); r.values < 0 || r.values == 0 && r.valuesFollow() {
		return corrupt("the pages have more values than their column chunk")
	}
	return nil
}

// valuesFollow says whether a page with values lies behind those that were read. Some writers leave bytes there that
// are no page.
func (r *pageReader) valuesFollow() bool {
	b := make([]byte, min(headWindow, r.end-r.offset()))
	if len(b) == 0 {
		return false
	}
	n, _ := r.src.ReadAt(b, r.offset())
	var h pageHead
	err := contain(func() error { h.read(&compactReader{b: b[:n]}); return nil })
	return err == nil && h.kind != dictionaryPage && h.values > 0
}

// next reads the next page; io.EOF behind the last.
func (r *pageReader) next() (p page, err error) {
	h, packed, err := r.take()
	if err == nil {
		p, err = r.unpack(&h, packed)
	}
	return p, r.named(err)
}

// named has an error name the page that was read last. io.EOF is none.
func (r *pageReader) named(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return fmt.Errorf("page %d: %w", r.number-1, err)
}

// take reads the next page as it lies in the file, and compares its checksum; io.EOF behind the last.
func (r *pageReader) take() (h pageHead, packed []byte, err error) {
	r.start = r.offset()
	if h, err = r.header(); err == io.EOF {
		return h, nil, err
	}
	r.number++
	if err != nil {
		return h, nil, err
	}
	if h.kind == dictionaryPage && h.values > h.size/r.leastBytes() {
		return h, nil, corrupt("a dictionary of %d entries in %d bytes", h.values, h.size)
	}
	r.packed = r.packed[h.bytes:]
	if err := r.fill(h.packed); err != nil {
		return h, nil, err
	}
	if len(r.packed) < h.packed {
		return h, nil, corrupt("a page passes its column chunk")
	}
	packed = r.packed[:h.packed]
	r.packed = r.packed[h.packed:]
	if found := crc32.ChecksumIEEE; h.checked && found(packed) != h.checksum {
		return h, nil, corrupt("the checksum of its bytes is %08x, its header says %08x", found(packed), h.checksum)
	}
	return h, packed, r.count(&h)
}

// leastBytes is the least number of bytes of an entry of a dictionary: of a fixed width, or of the length before a
// text.
func (r *pageReader) leastBytes() int {
	switch typ := r.column.PhysicalType(); typ {
	case parquet.Types.FixedLenByteArray:
		return max(r.column.TypeLength(), 1)
	case parquet.Types.ByteArray:
		return 4
	default:
		return typ.ByteSize()
	}
}

// unpack takes the levels of a page of the second version off and decompresses the others bytes.
func (r *pageReader) unpack(h *pageHead, packed []byte) (p page, err error) {
	p = h.page
	size := h.size
	if h.kind == dataPageV2 {
		levels := h.repLevels + h.defLevels
		if levels > min(len(packed), size) {
			return page{}, corrupt("levels of %d and %d bytes in a page of %d", h.repLevels, h.defLevels,
				min(len(packed), size))
		}
		p.repeats, p.present, packed = packed[:h.repLevels], packed[h.repLevels:levels], packed[levels:]
		size -= levels
		if err := r.checkLevels(&p); err != nil {
			return page{}, err
		}
	}
	if r.codec == compress.Codecs.Uncompressed || h.compressed == 0 || len(packed) == 0 {
		if p.body = packed; len(packed) != size {
			err = corrupt("it has %d bytes, its header says %d", len(packed), size)
		}
		return p, err
	}
	p.body = room(r.scratch.body, size)
	return p, r.scratch.unpacker.unpack(r.codec, p.body, packed)
}

// checkLevels makes sure that the levels of a page of the second version, whose bytes the header counts, are those of
// its values.
func (r *pageReader) checkLevels(p *page) error {
	for _, levels := range []struct {
		b    []byte
		most int16
	}{{p.repeats, r.column.MaxRepetitionLevel()}, {p.present, r.column.MaxDefinitionLevel()}} {
		hybrid := hybridReader{b: levels.b, width: bits.Len16(uint16(levels.most))}
		if levels.most > 0 {
			if _, err := hybrid.count(p.values, 0); err != nil {
				return err
			}
		}
		if rest := len(hybrid.b) - (hybrid.at+hybrid.bits*hybrid.width+7)/8; rest > 0 {
			return corrupt("levels of %d bytes are %d bytes longer than those of %d values", len(levels.b), rest,
				p.values)
		}
	}
	return nil
}
