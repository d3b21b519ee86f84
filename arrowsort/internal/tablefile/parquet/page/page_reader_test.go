package page

import (
	"bytes"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// TestLevelsOfFlatColumns: some writers write repetition levels of columns that repeat nothing into pages of the second
// version. They are dropped; levels that are too long are an error all the same.
func TestLevelsOfFlatColumns(t *testing.T) {
	column := schema.NewColumn(schema.NewInt32Node("n", parquet.Repetitions.Optional, -1), 1, 0)
	repeats, present, values := []byte{3 << 1, 0}, []byte{3 << 1, 1}, make([]byte, 3*4)
	for name, levels := range map[string][]byte{"": present, "levels of 3 bytes are 1 bytes longer": {3 << 1, 1, 0}} {
		var header compactWriter
		body := bytes.Join([][]byte{repeats, levels, values}, nil)
		header.number(1, DataV2)
		header.number(2, len(body))
		header.number(3, len(body))
		header.record(8, 3, 0, 3, Plain, len(levels), len(repeats))
		b := append(append(header.b, thriftStop), body...)
		s := NewBuffers(memory.DefaultAllocator)
		defer s.Release()
		r, err := s.Open(bytes.NewReader(append(b, make([]byte, RLESpare)...)), Chunk{Size: int64(len(b)), Values: 3,
			Codec: compress.Codecs.Uncompressed, Column: column}, 0)
		require.NoError(t, err)
		p, err := r.Next()
		if name != "" {
			require.ErrorContains(t, err, name)
			continue
		}
		require.NoError(t, err)
		require.Empty(t, p.RepetitionLevels)
		require.Equal(t, present, p.DefinitionLevels)
		require.Equal(t, values, p.Body)
	}
}

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

// TestGzipChecksumOfPages: the checksum and the size after the data are compared.
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

func TestCompactWriter(t *testing.T) {
	w := compactWriter{}
	w.number(1, 300)
	w.record(5, 1, 70000)
	w.number(7, 2)
	r := &CompactReader{Bytes: append(w.b, thriftStop)}
	got := map[int]int{}
	r.Fields(func(field int, typ byte) {
		if typ != ThriftStruct {
			got[field] = r.Number()
			return
		}
		r.Fields(func(inner int, _ byte) { got[10*field+inner] = r.Number() })
	})
	require.Equal(t, map[int]int{1: 300, 51: 1, 52: 70000, 7: 2}, got)
	require.Equal(t, len(r.Bytes), r.At)
}

func TestWordsOfAnySign(t *testing.T) {
	for _, v := range []uint32{0, 1, 1<<31 - 1, 1 << 31, 1<<31 + 5, 1<<32 - 1} {
		var w compactWriter
		w.word(4, v)
		require.Equal(t, byte(4<<4|ThriftI32), w.b[0])
		require.Equal(t, v, (&CompactReader{Bytes: w.b[1:]}).word())
	}
}

// TestCompactReaderEndsOnAnyBytes has structs that are too deep, and sizes that run backwards or for ever.
func TestCompactReaderEndsOnAnyBytes(t *testing.T) {
	huge := []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}
	for _, b := range [][]byte{
		bytes.Repeat([]byte{1<<4 | ThriftStruct}, 1000),
		append([]byte{1<<4 | thriftList}, bytes.Repeat([]byte{1<<4 | thriftList}, 1000)...),
		append([]byte{1<<4 | ThriftBinary}, huge...),
		append([]byte{1<<4 | thriftList, 0xf0 | ThriftTrue}, huge...),
		append([]byte{1<<4 | thriftList, 0xf0 | thriftByte}, huge...),
	} {
		require.ErrorIs(t, errkind.Contain(func() error {
			(&CompactReader{Bytes: b}).Skip(ThriftStruct)
			return nil
		}), errkind.ErrCorrupt)
	}
}
