package page

import (
	"bytes"
	"encoding/binary"
	"io"
	"sync"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// A decompressor decompresses pages, one after the other. The codecs of Arrow Go stop after the last byte that is
// asked for, before the checksum of gzip, and do not report that there are more.
type decompressor struct {
	gzip *gzip.Reader
}

// decompress decompresses a page to body. Another size than that of body is an error. The checksums of zstd and gzip
// are verified; snappy and brotli have none.
func (u *decompressor) decompress(codec compress.Compression, body, packed []byte) (err error) {
	n := 0
	switch codec {
	case compress.Codecs.Snappy:
		n, err = decompressSnappy(body, packed)
	case compress.Codecs.Zstd:
		n, err = decompressZstd(body, packed)
	case compress.Codecs.Gzip:
		if u.gzip == nil {
			u.gzip = new(gzip.Reader)
		}
		if err = u.gzip.Reset(bytes.NewReader(packed)); err == nil {
			n, err = readAll(u.gzip, body)
		}
	default:
		other, missing := compress.GetCodec(codec)
		if missing != nil {
			return missing
		}
		if stream, ok := other.(compress.StreamingCodec); ok {
			n, err = readAll(stream.NewReader(bytes.NewReader(packed)), body)
		} else {
			var got []byte
			got, err = compress.Decode(other, body, packed)
			n = len(got)
		}
	}
	switch {
	case err != nil:
		return errkind.Corrupt("it cannot be decompressed: %v", err)
	case n > len(body):
		return errkind.Corrupt("it decompresses to more than the %d bytes that its header says", len(body))
	case n < len(body):
		return errkind.Corrupt("it decompresses to %d bytes, its header says %d", n, len(body))
	}
	return nil
}

// decompressSnappy decompresses to body if the size is right. It returns the size.
func decompressSnappy(body, packed []byte) (int, error) {
	n, err := s2.DecodedLen(packed)
	if err == nil && n == len(body) {
		_, err = s2.Decode(body, packed)
	}
	return n, err
}

// zstdDecoder decodes all pages: it has a decoder for each processor.
var zstdDecoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		panic(err) // of options that do not fit
	}
	return d
})

// decompressZstd decompresses to the body, and returns the size that there is, of which RLESpare bytes may pass the
// body.
func decompressZstd(body, packed []byte) (int, error) {
	got, err := zstdDecoder().DecodeAll(packed, body[:0])
	return len(got), err
}

// readAll fills the body with all that a reader has. It returns how much that is, or one byte more than the body when
// there is more.
func readAll(r io.Reader, body []byte) (int, error) {
	n, err := io.ReadFull(r, body)
	if err == nil {
		var more [1]byte
		var extra int
		extra, err = io.ReadFull(r, more[:])
		n += extra
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF && n < len(body) {
		err = nil
	}
	return n, err
}

// decompressedSize returns the decompressed size of a page if the codec stores it, and either decoders verify it or a
// checksum covers it.
func decompressedSize(codec compress.Compression, packed []byte, checked bool) (int, bool) {
	switch codec {
	case compress.Codecs.Snappy:
		n, err := s2.DecodedLen(packed)
		return n, err == nil
	case compress.Codecs.Zstd:
		var h zstd.Header
		err := h.Decode(packed)
		return int(h.FrameContentSize), err == nil && h.HasFCS
	case compress.Codecs.Gzip:
		if size := len(packed) - 4; checked && size >= 0 {
			return int(binary.LittleEndian.Uint32(packed[size:])), true
		}
	}
	return 0, false
}
