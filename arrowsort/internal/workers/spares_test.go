package tablefile

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSparesAreTakenAgain(t *testing.T) {
	var s spares[[]int]
	require.Nil(t, s.take())
	s.give([]int{1})
	s.give([]int{2})
	require.Equal(t, []int{2}, s.take())
	require.Equal(t, []int{1}, s.take())
	require.Nil(t, s.take())
}
