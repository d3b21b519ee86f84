package workers

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPanicsOfTasksReachTheCaller(t *testing.T) {
	for _, workers := range []int{1, 3} {
		require.PanicsWithValue(t, "broken", func() {
			_ = Each(t.Context(), 10, workers, func(int) error { panic("broken") })
		})
		produce := func(int) (int, error) { panic("broken") }
		require.PanicsWithValue(t, "broken", func() {
			_ = Ordered(t.Context(), 50, workers, produce, func(int) error { return nil })
		})
		require.PanicsWithValue(t, "broken", func() {
			_ = Ordered(t.Context(), 50, workers, func(i int) (int, error) { return i, nil },
				func(int) error { panic("broken") })
		})
	}
}
