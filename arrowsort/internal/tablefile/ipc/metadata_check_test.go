package ipc

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

func TestDeepSchemasAreRefused(t *testing.T) {
	for depth, fine := range map[int]bool{1: true, 60: true, 70: false, 2000: false} {
		typ := arrow.DataType(arrow.PrimitiveTypes.Int8)
		for range depth {
			typ = arrow.ListOf(typ)
		}
		_, err := read(written(t, arrowtest.RandomTable(typ, 0, nil, 1), Options{}), Options{})
		if fine {
			require.NoError(t, err, "depth %d", depth)
		} else {
			require.ErrorIs(t, err, errkind.ErrCorrupt, "depth %d", depth)
		}
	}
}

func TestFlatCheckerRefusesCountsBeyondItsBytes(t *testing.T) {
	// A table at 8 whose vtable at 0 places field 0 at 12: a vector at 16 that claims 2^31 elements.
	b := []byte{8, 0, 12, 0, 4, 0, 0, 0, 8, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 128, 0, 0, 0, 0}
	_, _, err := newFlatChecker(b).vector(8, 0, 4)
	require.ErrorIs(t, err, errkind.ErrCorrupt)
	b[19] = 0
	b[16] = 1
	at, n, err := newFlatChecker(b).vector(8, 0, 4)
	require.NoError(t, err)
	require.Equal(t, []int{20, 1}, []int{at, n})
}

// messageOf is a checker of the metadata of the last message of a stream.
func messageOf(t *testing.T, stream []byte) *flatChecker {
	var last []byte
	for at := 0; ; {
		length := int(binary.LittleEndian.Uint32(stream[at+4:]))
		if length == 0 {
			return newFlatChecker(last)
		}
		last = stream[at+8 : at+8+length]
		body, err := checkMessage(last)
		require.NoError(t, err)
		at += 8 + length + int(body)
	}
}

func TestBuffersOutsideTheBodyAreErrors(t *testing.T) {
	stream := written(t, arrowtest.RandomTable(arrow.PrimitiveTypes.Int64, 0.3, []int{100}, 1), Options{})
	c := messageOf(t, stream)
	batch := c.table(c.root(), messageHeader)
	at, n, err := c.vector(batch, batchBuffers, 16)
	require.NoError(t, err)
	for i := range n {
		for _, lie := range []int64{-1, 1 << 40, 1<<63 - 1} {
			for field := range 2 {
				broken := bytes.Clone(c.b)
				binary.LittleEndian.PutUint64(broken[at+16*i+8*field:], uint64(lie))
				_, err := checkMessage(broken)
				require.ErrorIs(t, err, errkind.ErrCorrupt)
				require.ErrorContains(t, err, "outside a body")
			}
		}
	}
}
