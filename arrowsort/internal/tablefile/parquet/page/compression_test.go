package page

import (
	"bytes"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// TestUnpackedSizesMatch: a page is what its header says, no more, no less, and is not followed by anything.
func TestUnpackedSizesMatch(t *testing.T) {
	var u decompressor
	want := bytes.Repeat([]byte("some text "), 50)
	for name, id := range Codecs {
		if name == "none" {
			continue
		}
		codec, err := compress.GetCodec(id)
		require.NoError(t, err)
		packed := codec.EncodeLevel(nil, want, 4)
		for size := range len(want) + 10 {
			body := make([]byte, size, size+RLESpare)
			err := u.decompress(id, body, packed)
			require.Equal(t, size == len(want), err == nil, "%s of %d bytes: %v", name, size, err)
			if err != nil {
				require.ErrorIs(t, err, errkind.ErrCorrupt)
			} else {
				require.Equal(t, want, body)
			}
		}
		body := make([]byte, len(want), len(want)+RLESpare)
		require.Error(t, u.decompress(id, body, packed[:len(packed)-1]), name)
		if name != "brotli" { // its reader does not report it
			require.Error(t, u.decompress(id, body, append(bytes.Clone(packed), 1, 2, 3)), name)
		}
	}
}

// TestGzipChecksumOfPages: the checksum and the size behind the data are compared.
func TestGzipChecksumOfPages(t *testing.T) {
	codec, err := compress.GetCodec(compress.Codecs.Gzip)
	require.NoError(t, err)
	want := []byte("some text")
	packed, body := codec.Encode(nil, want), make([]byte, len(want))
	var u decompressor
	for i := range 8 {
		broken := bytes.Clone(packed)
		broken[len(broken)-1-i] ^= 4
		require.ErrorContains(t, u.decompress(compress.Codecs.Gzip, body, broken), "invalid checksum")
	}
	require.NoError(t, u.decompress(compress.Codecs.Gzip, body, packed))
}
