package host

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStreamCopy copies all lengths around those of a few lines, from and to all places in a line.
func TestStreamCopy(t *testing.T) {
	src, dst := make([]byte, 512), make([]byte, 512)
	for i := range src {
		src[i] = byte(i*7 + 1)
	}
	for from := range 65 {
		for to := range 65 {
			for _, n := range []int{0, 1, 15, 63, 64, 65, 127, 128, 129, 191, 192, 300} {
				clear(dst)
				streamCopy(dst[to:to+n], src[from:from+n])
				require.True(t, bytes.Equal(dst[to:to+n], src[from:from+n]), "from %d to %d: %d bytes", from, to, n)
				require.Zero(t, bytes.Trim(dst[:to], "\x00"), "from %d to %d: %d bytes", from, to, n)
				require.Zero(t, bytes.Trim(dst[to+n:], "\x00"), "from %d to %d: %d bytes", from, to, n)
			}
		}
	}
}
