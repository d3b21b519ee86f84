package strategy

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/kernels"
)

// TestSmallSortKernel: on every architecture of the image, the selected kernel fits the device.
func TestSmallSortKernel(t *testing.T) {
	const multiprocessors = 132
	for capability, shared := range sharedOf {
		for _, rows := range []int{1, kernels.ClusterRows, kernels.ClusterRows + 1, 1 << 21} {
			clusters := capability >= 90
			name, blocks, ok := SingleLaunch(&defaults, rows, multiprocessors, func(name string) bool {
				return Fits(shared, name) && (clusters || kernels.All[KernelNumbers[name]].Cluster() == 0)
			})
			if !ok {
				require.False(t, rows <= kernels.ClusterRows && clusters && Fits(shared, "cluster"), "%d rows", rows)
				continue
			}
			kernel := kernels.All[KernelNumbers[name]]
			require.LessOrEqual(t, kernel.Shared, shared, "%s on %d", name, capability)
			require.True(t, clusters || kernel.Cluster() == 0, "%s on %d", name, capability)
			if kernel.Cooperative() {
				require.Equal(t, multiprocessors, blocks)
				continue
			}
			require.Equal(t, max(1, kernel.Cluster()), blocks)
		}
	}
	every := func(string) bool { return true }
	const grid = multiprocessors * kernels.CooperativeThreads * kernels.CooperativeItems
	for rows, want := range map[int]string{
		1: "cluster", kernels.ClusterRows: "cluster", kernels.ClusterRows + 1: "cooperative",
		grid: "cooperative", grid + 1: "",
	} {
		name, _, _ := SingleLaunch(&defaults, rows, multiprocessors, every)
		require.Equal(t, want, name, "%d rows", rows)
	}
	_, _, ok := SingleLaunch(&defaults, kernels.CooperativeRows+1, 1000, every)
	require.False(t, ok)
}
