package tablefile

import (
	"bytes"
	"compress/bzip2"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A fileCodec compresses files as a whole. CSV is decompressed as it is read. The other formats are read at random
// places and compress their contents; such a file must be decompressed first.
type fileCodec struct {
	name, extension, magic string
	open                   func(io.Reader) (io.Reader, error) // nil: it is not decompressed here
}

// zstdFileWindow is the history that a file of zstd may ask for: that of zstd --long.
const zstdFileWindow = 128 << 20

var fileCodecs = []fileCodec{
	{"gzip", ".gz", "\x1f\x8b", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	{"zstd", ".zst", "\x28\xb5\x2f\xfd", func(r io.Reader) (io.Reader, error) {
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdFileWindow))
	}},
	{"bzip2", ".bz2", "BZh", func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }},
	{"xz", ".xz", "\xfd7zXZ\x00", nil},
}

// fileCodecOf finds the codec of an input by its first bytes; nil: there is none.
func fileCodecOf(head []byte) *fileCodec {
	for i, c := range fileCodecs {
		if bytes.HasPrefix(head, []byte(c.magic)) && !isText(head) {
			return &fileCodecs[i]
		}
	}
	return nil
}

// isCompressed reports whether a file's name has the extension of a codec.
func isCompressed(path string) bool {
	return slices.ContainsFunc(fileCodecs, func(c fileCodec) bool {
		return strings.EqualFold(filepath.Ext(path), c.extension)
	})
}

// withoutCodec returns a file's name without the extension of a codec.
func withoutCodec(path string) string {
	if isCompressed(path) {
		return strings.TrimSuffix(path, filepath.Ext(path))
	}
	return path
}

// textLimit returns how long the text of a compressed file of a size may be: a few bytes can be decompressed to any
// number. CSV is seldom a tenth of this.
func textLimit(size int64) int64 { return 16<<20 + 50*size }

// decompress returns a reader of the text of CSV, which may be compressed. Compressed text of more than limit bytes is
// an error; 0 is no limit.
func decompress(r io.Reader, head []byte, limit int64) (io.Reader, error) {
	codec := fileCodecOf(head)
	if codec == nil {
		return r, nil
	}
	d := &decompressor{fileCodec: codec, limit: limit, left: limit}
	d.packed.Reader = r
	text, err := codec.open(&d.packed)
	if err != nil {
		return nil, d.failure(err)
	}
	d.text = text
	return d, nil
}

// A decompressor reads compressed text, up to a limit.
type decompressor struct {
	*fileCodec
	packed      keptError
	text        io.Reader
	limit, left int64
}

// A keptError is a reader that keeps its error, unless that is io.EOF.
type keptError struct {
	io.Reader
	err error
}

func (k *keptError) Read(p []byte) (int, error) {
	n, err := k.Reader.Read(p)
	if err != nil && err != io.EOF {
		k.err = err
	}
	return n, err
}

// failure returns the error of the bytes that are decompressed, or else that they are not what the codec makes.
func (d *decompressor) failure(err error) error {
	if d.packed.err != nil {
		return d.packed.err
	}
	return fmt.Errorf("%w: %s: %w", ErrCorrupt, d.name, err)
}

func (d *decompressor) Read(p []byte) (int, error) {
	n, err := d.text.Read(p)
	if d.left -= int64(n); d.limit > 0 && d.left < 0 {
		return 0, fmt.Errorf("is compressed with %s, and its text takes more than %d MiB, the limit for this file: "+
			"decompress it first", d.name, d.limit>>20)
	}
	if err != nil && err != io.EOF {
		err = d.failure(err)
	}
	return n, err
}

// headSize is the number of bytes that an input is recognized by.
const headSize = 64

// isText reports whether bytes are UTF-8 without control characters; they may break off in a character.
func isText(b []byte) bool {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && n == 1:
			return !utf8.FullRune(b)
		case r < ' ' && !strings.ContainsRune("\t\r\n", r), r == 0x7f:
			return false
		}
		b = b[n:]
	}
	return true
}
