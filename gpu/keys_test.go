package gpu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

func TestAsOneColumn(t *testing.T) {
	fields := make([]keyencode.DeviceField, kernels.MostKeys+1)
	for i := range fields {
		fields[i].Form = keyencode.FormInteger
	}
	require.True(t, asOneColumn(fields[1:]))
	require.False(t, asOneColumn(fields))
	fields[0].Form = keyencode.FormBit
	require.True(t, asOneColumn(fields[:2]))
	require.False(t, asOneColumn(fields[:1]))
	require.False(t, asOneColumn(nil))
}
