package extsort

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRowsCountHalfWhenTheyAreRead to be merged.
func TestRowsCountHalfWhenTheyAreRead(t *testing.T) {
	var done, total int64
	p := &rowProgress{rows: 100}
	p.add(10, 0) // before it is reported
	p.begin(&Options{Progress: func(_ Phase, d, t int64) { done, total = d, t }}, PhaseWrite, 50)
	require.Equal(t, []int64{5, 100}, []int64{done, total})
	p.add(90, 25)
	require.Equal(t, []int64{75, 100}, []int64{done, total})
	p.add(0, 25)
	require.Equal(t, []int64{100, 100}, []int64{done, total})
	(*rowProgress)(nil).add(1, 1)
}
