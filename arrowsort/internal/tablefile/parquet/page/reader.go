package tablefile

import (
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
)

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

// headWindow is the bytes that are read for a page header, which may have long statistics.
const headWindow = 4 << 10

// A columnChunk is where the pages of a leaf column of a row group lie, and how they are stored.
type columnChunk struct {
	start, size int64
	values      int64
	codec       compress.Compression
	column      *schema.Column
}

// chunkStart is where a column chunk begins: with its dictionary, if it has one, or its first page.
func chunkStart(dictionary *int64, data int64) int64 {
	if dictionary != nil && *dictionary > 0 {
		return min(*dictionary, data)
	}
	return data
}

// open opens the pages of a column chunk of a file. It reads window bytes at a time at least.
func (s *pageScratch) open(src io.ReaderAt, c columnChunk, window int) (*pageReader, error) {
	if _, err := compress.GetCodec(c.codec); err != nil {
		return nil, err
	}
	return &pageReader{
		src: src, at: c.start, end: c.start + c.size, values: c.values, window: window,
		codec: c.codec, column: c.column, scratch: s,
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
		err = fileerror.Contain(func() error { h.read(&compactReader{b: r.packed}); return nil })
		if err == nil || r.at == r.end {
			return h, err
		}
	}
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
			return fileerror.Corrupt("a page passes its column chunk")
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
		return fileerror.Corrupt("the pages have more values than their column chunk")
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
	err := fileerror.Contain(func() error { h.read(&compactReader{b: b[:n]}); return nil })
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
		return h, nil, fileerror.Corrupt("a dictionary of %d entries in %d bytes", h.values, h.size)
	}
	r.packed = r.packed[h.bytes:]
	if err := r.fill(h.packed); err != nil {
		return h, nil, err
	}
	if len(r.packed) < h.packed {
		return h, nil, fileerror.Corrupt("a page passes its column chunk")
	}
	packed = r.packed[:h.packed]
	r.packed = r.packed[h.packed:]
	if found := crc32.ChecksumIEEE; h.checked && found(packed) != h.checksum {
		return h, nil, fileerror.Corrupt("the checksum of its bytes is %08x, its header says %08x", found(packed), h.checksum)
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
			return page{}, fileerror.Corrupt("levels of %d and %d bytes in a page of %d", h.repLevels, h.defLevels,
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
			err = fileerror.Corrupt("it has %d bytes, its header says %d", len(packed), size)
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
			return fileerror.Corrupt("levels of %d bytes are %d bytes longer than those of %d values", len(levels.b), rest,
				p.values)
		}
	}
	return nil
}
