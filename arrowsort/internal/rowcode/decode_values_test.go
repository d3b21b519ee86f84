package rowcode

import (
	"math"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestStringsOf2GiB: 32-bit offsets and views hold less.
func TestStringsOf2GiB(t *testing.T) {
	for _, typ := range []arrow.DataType{
		arrow.BinaryTypes.String, arrow.BinaryTypes.BinaryView, arrow.BinaryTypes.LargeString,
	} {
		l := newLeaf(adapter.Leaf{Name: "k", Type: typ}, keyencode.Key{})
		c := column{leaf: &l}
		require.NoError(t, c.checkTextBytes(math.MaxInt32))
		err := c.checkTextBytes(math.MaxInt32 + 1)
		if typ == arrow.BinaryTypes.LargeString {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, errkind.ErrOffsets)
		require.ErrorContains(t, err, "key k of type "+typ.String()+" has 2147483648 bytes of strings")
	}
}
