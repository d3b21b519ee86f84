package ipc

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
)

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
				require.ErrorIs(t, err, fileerror.ErrCorrupt)
				require.ErrorContains(t, err, "outside a body")
			}
		}
	}
}
