package tablefile

import (
	"encoding/binary"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Pages are compressed with zstd here: the codec of arrow/go makes an encoder with many megabytes of tables and history
// for every page, which takes longer than compressing. Its writer leaves the pages uncompressed, and zstdPages compresses
// them with encoders that are used again, as a flatEncoder does.

const (
	zstdCodec  = 6       // of parquet.thrift
	zstdWindow = 1 << 20 // a page is about as large
	sizeField  = 3       // compressed_page_size in the struct PageHeader
)

// zstdEncoders are pools of encoders by level.
var zstdEncoders [23]sync.Pool

func zstdEncoder(level int) (*zstd.Encoder, error) {
	if e, ok := zstdEncoders[level].Get().(*zstd.Encoder); ok {
		return e, nil
	}
	return newZstdEncoder(level)
}

func newZstdEncoder(level int) (*zstd.Encoder, error) {
	speed := zstd.SpeedFastest // zstd's level 1
	if level > 0 {
		speed = zstd.EncoderLevelFromZstd(level)
	}
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(zstdWindow), zstd.WithEncoderLevel(speed),
		zstd.WithZeroFrames(true), zstd.WithEncoderCRC(false))
}

// zstdPages compresses the pages of the piece's columns for which compressed is true.
func (p *piece) zstdPages(level int, compressed func(column int) bool) error {
	encoder, err := zstdEncoder(level)
	if err != nil {
		return err
	}
	defer zstdEncoders[level].Put(encoder)
	out := make([]byte, 0, len(p.file))
	out = append(out, p.file[:len(parquetMagic)]...)
	group := p.footer.RowGroups[0]
	for i, c := range group.Columns {
		m := c.MetaData
		from := m.DataPageOffset
		if m.DictionaryPageOffset != nil && *m.DictionaryPageOffset > 0 {
			from = *m.DictionaryPageOffset
		}
		chunk := p.file[from : from+m.TotalCompressedSize]
		start := int64(len(out))
		shift := start - from
		if !compressed(i) {
			out = append(out, chunk...)
		} else {
			dictionary := int64(0)
			out, dictionary = compressPages(out, chunk, encoder, m.DataPageOffset-from)
			m.Codec = zstdCodec
			m.DataPageOffset += dictionary
		}
		c.FileOffset += shift
		m.DataPageOffset += shift
		move(m.DictionaryPageOffset, shift)
		move(m.IndexPageOffset, shift)
		m.TotalCompressedSize = int64(len(out)) - start
	}
	if group.TotalCompressedSize != nil {
		*group.TotalCompressedSize = int64(len(out) - len(parquetMagic))
	}
	p.file = out
	return nil
}

// compressPages appends the pages of a column chunk, compressed. The data pages start behind the first bytes, those of a
// dictionary; it also returns by how much these grew.
func compressPages(out, chunk []byte, encoder *zstd.Encoder, first int64) ([]byte, int64) {
	grown := int64(0)
	start := int64(len(out))
	for at := int64(0); at < int64(len(chunk)); {
		header := readPageHeader(chunk[at:])
		body := chunk[at+int64(header.end):][:header.size]
		packed := encoder.EncodeAll(body, nil)
		out = append(out, chunk[at:at+int64(header.sizeAt)]...)
		out = binary.AppendUvarint(out, uint64(len(packed))<<1) // zigzag of a positive number
		out = append(out, chunk[at+int64(header.sizeEnd):at+int64(header.end)]...)
		out = append(out, packed...)
		if at += int64(header.end + header.size); at == first {
			grown = int64(len(out)) - start - at
		}
	}
	return out, grown
}

// A pageHeader says where in the bytes of a page its body and its field with the body's size are.
type pageHeader struct {
	size            int // bytes of the body
	sizeAt, sizeEnd int // where that is written
	end             int // of the header
}

func readPageHeader(b []byte) (h pageHeader) {
	r := &compactReader{b: b}
	r.fields(func(number int, typ byte) {
		if number != sizeField {
			r.skip(typ)
			return
		}
		h.sizeAt = r.at
		h.size = int(r.uvarint() >> 1)
		h.sizeEnd = r.at
	})
	h.end = r.at
	return h
}
