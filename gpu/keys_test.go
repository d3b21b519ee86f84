package gpu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/keys"
	"github.com/arrowsort/arrowsort/kernels"
)

func TestAsOneColumn(t *testing.T) {
	fields := make([]keys.Field, kernels.MostKeys+1)
	for i := range fields {
		fields[i].Layout.Form = abi.FormInteger
	}
	require.True(t, keys.AsOneColumn(fields[1:]))
	require.False(t, keys.AsOneColumn(fields))
	fields[0].Layout.Form = abi.FormBit
	require.True(t, keys.AsOneColumn(fields[:2]))
	require.False(t, keys.AsOneColumn(fields[:1]))
	require.False(t, keys.AsOneColumn(nil))
}
