package ipc

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// lowest is a file of which the lowest offset is noted at which it is read.
type lowest struct {
	*bytes.Reader
	at int64
}

func (l *lowest) ReadAt(p []byte, off int64) (int, error) {
	l.at = min(l.at, off)
	return l.Reader.ReadAt(p, off)
}

// TestOneBatchIsLookedAt of a file that is not compressed.
func TestOneBatchIsLookedAt(t *testing.T) {
	table := arrowtest.RandomTable(arrow.PrimitiveTypes.Int64, 0, []int{3000, 3000, 3000}, 1)
	for codec, read := range map[string]int{"": 2, "zstd": 0} {
		src := &lowest{Reader: bytes.NewReader(written(t, table, Options{File: true, Codec: codec}))}
		src.at = src.Size()
		r, err := OpenFile(src.Reader, src.Size(), arrowtest.Checked(t))
		require.NoError(t, err)
		defer r.Release()
		r.InMemory(src, src.Size())
		require.Equal(t, r.Places()[read][0], src.at, codec)
	}
}

// TestInMemoryIsEstimatedWithoutDecompression: what is compressed takes what the same takes without compression.
func TestInMemoryIsEstimatedWithoutDecompression(t *testing.T) {
	opened := func(b []byte, file bool) int64 {
		src := bytes.NewReader(b)
		mem := arrowtest.Checked(t)
		open := func() (*Reader, error) { return OpenStream(src, src.Size(), mem) }
		if file {
			open = func() (*Reader, error) { return OpenFile(src, src.Size(), mem) }
		}
		r, err := open()
		require.NoError(t, err)
		defer r.Release()
		before := mem.CurrentAlloc()
		defer func() { require.Equal(t, before, mem.CurrentAlloc()) }()
		return r.InMemory(src, src.Size())
	}
	index := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	for i, typ := range []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.ListOf(arrow.BinaryTypes.String), index} {
		table := arrowtest.RandomTable(typ, 0.9, []int{3000, 3000, 3000, 3000}, uint64(i))
		for _, file := range []bool{true, false} {
			plain := written(t, table, Options{File: file})
			require.EqualValues(t, len(plain), opened(plain, file), "nothing is compressed")
			for _, codec := range []string{"zstd", "lz4"} {
				b := written(t, table, Options{File: file, Codec: codec})
				require.Less(t, len(b), len(plain)*9/10)
				require.InEpsilon(t, len(plain), opened(b, file), 0.05, "%s %s", typ, codec)
				if !file {
					cut := b[:len(b)*2/3]
					require.GreaterOrEqual(t, opened(cut, file), int64(len(cut)), "errors wait for the reader")
				}
			}
		}
	}
	b := written(t, arrowtest.RandomTable(arrow.PrimitiveTypes.Int64, 0, []int{5000}, 1), Options{Codec: "zstd"})
	head := 8 + int(binary.LittleEndian.Uint32(b[4:]))
	meta := b[head+8:][:binary.LittleEndian.Uint32(b[head+4:])]
	c := newFlatChecker(meta)
	buffers, err := c.buffers(c.data())
	require.NoError(t, err)
	claim := b[head+8+len(meta)+int(buffers[1].offset):]
	binary.LittleEndian.PutUint64(claim, 1<<62)
	require.Greater(t, opened(b, false), int64(1)<<50, "a claim is what it is")
	binary.LittleEndian.PutUint64(claim, 1<<63)
	require.Less(t, opened(b, false), int64(1)<<20, "a negative one is none")
}
