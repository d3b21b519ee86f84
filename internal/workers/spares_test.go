package workers

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSparesAreTakenAgain(t *testing.T) {
	var s Spares[[]int]
	require.Nil(t, s.Take())
	s.Give([]int{1})
	s.Give([]int{2})
	require.Equal(t, []int{2}, s.Take())
	require.Equal(t, []int{1}, s.Take())
	require.Nil(t, s.Take())

	s.Give([]int{3})
	var drained [][]int
	s.Drain(func(value []int) { drained = append(drained, value) })
	require.Equal(t, [][]int{{3}}, drained)
	require.Nil(t, s.Take())
}
