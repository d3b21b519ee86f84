package buffers

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFind finds rows in chunks, some of them empty.
func TestFind(t *testing.T) {
	rows := []int{0, 3, 0, 0, 1, 5, 0}
	chunks := NewChunks(len(rows), func(i int) int { return rows[i] })
	require.Equal(t, Chunks{0, 0, 3, 3, 3, 4, 9, 9}, chunks)
	for row, want := range []int{1, 1, 1, 4, 5, 5, 5, 5, 5} {
		require.Equal(t, want, chunks.Find(row), "row %d", row)
	}
}
