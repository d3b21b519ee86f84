package rawmem

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestZeroedClearsWhatIsNew(t *testing.T) {
	const size = 2 * leastRecycled
	mem := NewRecycler(nil, 0)
	defer mem.Release()
	used := mem.Allocate(2 * size)
	copy(used, bytes.Repeat([]byte{1}, len(used)))
	mem.Free(used)
	b := Zeroed(mem).Allocate(size + 1)
	require.Equal(t, make([]byte, size+1), b)
	copy(b, bytes.Repeat([]byte{2}, len(b)))
	b = Zeroed(mem).Reallocate(size, b)
	b = Zeroed(mem).Reallocate(2*size, b)
	require.Equal(t, append(bytes.Repeat([]byte{2}, size), make([]byte, size)...), b)
	mem.Free(b)
}
