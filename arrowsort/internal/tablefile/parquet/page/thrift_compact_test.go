package page

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

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
