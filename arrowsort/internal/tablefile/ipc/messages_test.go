package ipc

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
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

var (
	endMarker = []byte{255, 255, 255, 255, 0, 0, 0, 0}
	zeros     = make([]byte, 4096)
)

// streamRows reads a stream of known and of unknown size, which give the same, and returns its rows.
func streamRows(t *testing.T, b []byte) (rows int64, err error) {
	t.Helper()
	mem := arrowtest.Checked(t)
	read := func(size int64) (rows int64, err error) {
		r, err := OpenStream(bytes.NewReader(b), size, mem)
		if err != nil {
			return 0, err
		}
		defer r.Release()
		for {
			rec, err := r.Next()
			if err == io.EOF {
				return rows, nil
			} else if err != nil {
				return rows, err
			}
			rows += rec.NumRows()
		}
	}
	rows, err = read(int64(len(b)))
	again, unsized := read(-1)
	require.Equal(t, rows, again)
	if err != nil {
		require.EqualError(t, unsized, err.Error())
	} else {
		require.NoError(t, unsized)
	}
	return rows, err
}

// TestStreamsEndWithTheirInput: whatever follows the end marker would be lost, and so would what zeros have replaced.
func TestStreamsEndWithTheirInput(t *testing.T) {
	table := arrowtest.RandomTable(arrow.PrimitiveTypes.Int64, 0.3, []int{20, 30}, 1)
	stream := written(t, table, Options{})
	body := bytes.TrimSuffix(stream, endMarker)
	require.Less(t, len(body), len(stream))
	const after, unfinished, cut = "bytes follow the end marker", "zeros where a message should be", "breaks off"
	for _, c := range []struct {
		name, err string
		end       []byte
	}{
		{"an end marker", "", endMarker},
		{"the end marker of old formats", "", zeros[:4]},
		{"another stream after the end", after, slices.Concat(endMarker, stream)},
		{"a byte after the end", after, append(slices.Clone(endMarker), 7)},
		{"zeros after the end", after, slices.Concat(endMarker, zeros[:8])},
		{"two end markers", after, slices.Concat(endMarker, endMarker)},
		{"zeros", unfinished, zeros},
		{"a few zeros", unfinished, zeros[:5]},
		{"no end marker", cut, nil},
		{"a part of the end marker", cut, endMarker[:6]},
		{"some zeros", cut, zeros[:3]},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, err := streamRows(t, slices.Concat(body, c.end))
			if require.EqualValues(t, 50, rows); c.err == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, errkind.ErrCorrupt)
			require.ErrorContains(t, err, c.err)
		})
	}
}

// TestEmptyMessages: a message of a file that has no metadata is an error of a reader, and of one of metadata alone.
func TestEmptyMessages(t *testing.T) {
	file := written(t, arrowtest.RandomTable(arrow.PrimitiveTypes.Int64, 0.3, []int{20}, 1), Options{File: true})
	metadata, err := Inspect(bytes.NewReader(file), int64(len(file)), false, numbers, memory.DefaultAllocator)
	require.NoError(t, err)
	require.Len(t, metadata.Batches, 1)
	all, err := fileMessages(bytes.NewReader(file), int64(len(file)), memory.DefaultAllocator)
	require.NoError(t, err)
	clear(file[all.listed[0].offset+4:][:4]) // the length of the metadata
	_, err = read(file, Options{File: true})
	require.ErrorIs(t, err, errEmptyMessage)
	_, err = Inspect(bytes.NewReader(file), int64(len(file)), false, numbers, memory.DefaultAllocator)
	require.ErrorIs(t, err, errEmptyMessage)
}

var numbers = arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)

// TestFilesHaveNoOtherMessagesThanTheFooterLists: their rows would be lost. Padding is none.
func TestFilesHaveNoOtherMessagesThanTheFooterLists(t *testing.T) {
	table := arrowtest.RandomTable(arrow.PrimitiveTypes.Int64, 0.3, []int{20, 30}, 1)
	file := written(t, table, Options{File: true})
	message := bytes.TrimSuffix(written(t, table, Options{}), endMarker)
	footer := len(file) - 10 - int(binary.LittleEndian.Uint32(file[len(file)-10:]))
	before := func(b []byte) []byte { return slices.Concat(file[:footer], b, file[footer:]) }
	for name, b := range map[string][]byte{
		"as written":          file,
		"zeros at the footer": before(zeros),
		"a schema":            before(message[:8+binary.LittleEndian.Uint32(message[4:])]),
	} {
		got, err := read(b, Options{File: true})
		require.NoError(t, err, name)
		require.EqualValues(t, 50, got.NumRows(), name)
		got.Release()
	}
	for name, b := range map[string][]byte{
		"two files":                slices.Concat(file, file),
		"the messages of a stream": before(message),
		"other bytes":              before(bytes.Repeat([]byte("unlisted"), 20)),
	} {
		_, err := read(b, Options{File: true})
		require.ErrorIs(t, err, errkind.ErrCorrupt, name)
		require.ErrorContains(t, err, "the footer does not list", name)
	}
	_, err := read(append(slices.Clone(file), 0), Options{File: true})
	require.ErrorContains(t, err, "the footer is missing")
}
