package ipc

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

func zstdFrame(t *testing.T, b []byte) []byte {
	w, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	defer w.Close()
	return w.EncodeAll(b, nil)
}

func TestMostOfZstdIsNeverLessThanTheContent(t *testing.T) {
	for _, n := range []int{0, 1, 1000, 1 << 17, 1<<17 + 1, 3 << 20} {
		zeros, mixed := make([]byte, n), make([]byte, n)
		for i := range mixed {
			mixed[i] = byte(i * i >> 3)
		}
		for _, content := range [][]byte{zeros, mixed} {
			frame := zstdFrame(t, content)
			require.GreaterOrEqual(t, maxDecompressedSize(codecZstd, frame), int64(n))
			require.GreaterOrEqual(t, maxDecompressedSize(codecZstd, append(bytes.Clone(frame), frame...)), int64(2*n))
			for cut := range min(len(frame), 40) {
				require.LessOrEqual(t, maxDecompressedSize(codecZstd, frame[:cut]),
					maxDecompressedSize(codecZstd, frame))
			}
		}
	}
	require.Zero(t, maxDecompressedSize(codecZstd, []byte("no frame")))
}

// TestLyingLengthsOfCompressedBuffersAreErrors: a buffer that claims a gigabyte must not get it.
func TestLyingLengthsOfCompressedBuffersAreErrors(t *testing.T) {
	table := arrowtest.RandomTable(arrow.PrimitiveTypes.Int64, 0, []int{1000}, 1)
	for _, codec := range []string{"lz4", "zstd"} {
		b := written(t, table, Options{Codec: codec})
		claim := binary.LittleEndian.AppendUint64(nil, 8000)
		at := bytes.LastIndex(b, claim)
		require.Positive(t, at, codec)
		for _, lie := range []uint64{1 << 30, 1 << 62, 1<<64 - 2} {
			broken := bytes.Clone(b)
			binary.LittleEndian.PutUint64(broken[at:], lie)
			_, err := read(broken, Options{})
			require.ErrorIs(t, err, errkind.ErrCorrupt, codec)
			require.ErrorContains(t, err, "claims to hold", codec)
		}
	}
}
