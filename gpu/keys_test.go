package gpu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/kernels"
)

func TestAsOneColumn(t *testing.T) {
	fields := make([]keyField, kernels.MostKeys+1)
	for i := range fields {
		fields[i].layout.form = formInteger
	}
	require.True(t, asOneColumn(fields[1:]))
	require.False(t, asOneColumn(fields))
	fields[0].layout.form = formBit
	require.True(t, asOneColumn(fields[:2]))
	require.False(t, asOneColumn(fields[:1]))
	require.False(t, asOneColumn(nil))
}
