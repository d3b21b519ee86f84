package page

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"slices"
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

// A compressor compresses pages, one after the other. It keeps the encoder of zstd, which is slow to make.
type compressor struct{ zstd *zstd.Encoder }

// with returns the function that compresses with a codec; nil for no compression.
func (c *compressor) with(id compress.Compression, level int) (func(dst, src []byte) []byte, error) {
	switch id {
	case compress.Codecs.Uncompressed:
		return nil, nil
	case compress.Codecs.Zstd:
		if c.zstd == nil {
			var err error
			if c.zstd, err = newZstdEncoder(level); err != nil {
				return nil, err
			}
		}
		return func(dst, src []byte) []byte { return c.zstd.EncodeAll(src, dst) }, nil
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
		zstd.WithZeroFrames(true), zstd.WithEncoderCRC(false), zstd.WithAllLitEntropyCompression(true))
}

// Codecs are the compressions by name.
var Codecs = map[string]compress.Compression{
	"none": compress.Codecs.Uncompressed, "snappy": compress.Codecs.Snappy, "gzip": compress.Codecs.Gzip,
	"brotli": compress.Codecs.Brotli, "zstd": compress.Codecs.Zstd, "lz4": compress.Codecs.Lz4Raw,
}
