package gpu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/kernels"
)

func TestAsOneColumn(t *testing.T) {
	fields := make([]keyField, kernels.MostKeys+1)
	for i := range fields {
		fields[i].layout.form = abi.FormInteger
	}
	require.True(t, asOneColumn(fields[1:]))
	require.False(t, asOneColumn(fields))
	fields[0].layout.form = abi.FormBit
	require.True(t, asOneColumn(fields[:2]))
	require.False(t, asOneColumn(fields[:1]))
	require.False(t, asOneColumn(nil))
}
