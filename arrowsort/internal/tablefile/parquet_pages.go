package tablefile

import (
	"encoding/binary"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet/compress"
)

// Kinds of pages, of parquet.thrift.
const (
	dataPage       = 0
	dictionaryPage = 2
)

// A page is one of a column chunk. The capacity of its body reaches hybridSpare bytes beyond the length.
type page struct {
	kind     int
	values   int
	encoding int
	levels   int // encoding of the definition levels
	body     []byte
}

// pageScratch is the memory that pages are read with, one after the other.
type pageScratch struct {
	chunk, body *memory.Buffer
	entries     *memory.Buffer // of a dictionary of numbers
	numbers     int            // how many those are
}

func newPageScratch(mem memory.Allocator) *pageScratch {
	return &pageScratch{
		chunk: memory.NewResizableBuffer(mem), body: memory.NewResizableBuffer(mem), entries: memory.NewResizableBuffer(mem)}
}

func (s *pageScratch) release() {
	s.chunk.Release()
	s.body.Release()
	s.entries.Release()
}

// room makes place for n bytes and those behind them. What the buffer had is lost.
func room(buffer *memory.Buffer, n int) []byte {
	buffer.ResizeNoShrink(n + hybridSpare)
	return buffer.Bytes()[:n]
}

// pageReader walks over the pages of a column chunk.
type pageReader struct {
	compactReader
	codec   compress.Codec // nil: none
	scratch *pageScratch
}

// open reads a column chunk of a row group.
func (s *pageScratch) open(f *parquetFile, group, column int) (*pageReader, error) {
	meta := f.file.MetaData().RowGroups[group].Columns[column].MetaData
	start := meta.DataPageOffset
	if at := meta.DictionaryPageOffset; at != nil && *at > 0 {
		start = min(start, *at)
	}
	r := &pageReader{scratch: s}
	s.numbers = 0
	if codec := compress.Compression(meta.Codec); codec != compress.Codecs.Uncompressed {
		var err error
		if r.codec, err = compress.GetCodec(codec); err != nil {
			return nil, err
		}
	}
	r.b = room(s.chunk, int(meta.TotalCompressedSize))
	_, err := f.src.ReadAt(r.b, start)
	return r, err
}

// next reads the next page. It panics where the bytes are none.
func (r *pageReader) next() (p page, err error) {
	size, packed := 0, 0
	r.fields(func(field int, typ byte) {
		switch field {
		case 1:
			p.kind = r.number()
		case 2:
			size = r.number()
		case 3:
			packed = r.number()
		case 5: // a data page
			r.record(typ, &p.values, &p.encoding, &p.levels)
		case 7: // a dictionary
			r.record(typ, &p.values, &p.encoding)
		default:
			r.skip(typ)
		}
	})
	body := r.b[r.at:]
	r.pass(uint64(packed))
	if r.codec == nil || size == 0 {
		p.body = body[:packed]
		return p, nil
	}
	p.body = room(r.scratch.body, size)
	if got := r.codec.Decode(p.body, body[:packed]); len(got) != size || &got[0] != &p.body[0] {
		return p, corrupt("a page of %d bytes decompresses to %d", size, len(got))
	}
	return p, nil
}

// record reads a struct whose fields from 1 on are the numbers.
func (r *compactReader) record(typ byte, numbers ...*int) {
	if typ != thriftStruct {
		panic(corrupt("a page header has a field of type %d for a struct", typ))
	}
	r.fields(func(field int, typ byte) {
		if field >= 1 && field <= len(numbers) && typ == thriftI32 {
			*numbers[field-1] = r.number()
		} else {
			r.skip(typ)
		}
	})
}

// present reads the definition levels of a data page, whose rows start at a row of the bitmap, and returns how many rows
// have values.
func (p *page) present(bitmap []byte, row int) (int, error) {
	if p.levels != rleEncoding || len(p.body) < 4 {
		return 0, corrupt("definition levels of encoding %d in %d bytes", p.levels, len(p.body))
	}
	end := 4 + int(binary.LittleEndian.Uint32(p.body))
	if end > len(p.body) {
		return 0, corrupt("definition levels of %d bytes in a page of %d", end-4, len(p.body))
	}
	levels := hybridReader{b: p.body[4:end], width: 1}
	p.body = p.body[end:]
	return levels.readBits(bitmap, row, p.values)
}

// indices opens the indices into a dictionary, the rest of a page.
func (p *page) indices() (*hybridReader, error) {
	if len(p.body) == 0 || p.body[0] > hybridWidest {
		return nil, corrupt("indices without a width, or too wide")
	}
	return &hybridReader{b: p.body[1:], width: int(p.body[0])}, nil
}
