package tablefile

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

// TestReadNeedsNoZeros reads all types into memory that is not zero.
func TestReadNeedsNoZeros(t *testing.T) {
	mem := memory.DefaultAllocator
	for _, table := range []arrow.Table{flatTable(t, mem, 500, 2), nestedTable(t, mem), dictionaryTable(t, mem)} {
		for _, format := range binaryFormats {
			b := writeBytes(t, table, format, WriteOptions{})
			in, err := readBytes(t, b, ReadOptions{Format: format, Allocator: used{mem}})
			require.NoError(t, err)
			require.Equal(t, textOf(t, table), textOf(t, in.Table), format)
			in.Table.Release()
		}
		table.Release()
	}
}

// used is an allocator of memory that holds something.
type used struct{ memory.Allocator }

func (u used) Allocate(size int) []byte {
	b := u.Allocator.Allocate(size)
	for i := range b {
		b[i] = 0xAA
	}
	return b
}

func (u used) Reallocate(size int, b []byte) []byte {
	if size <= cap(b) {
		return b[:size]
	}
	grown := u.Allocate(size)
	copy(grown, b)
	return grown
}
