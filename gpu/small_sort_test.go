package gpu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/kernels"
)

// TestFewKernel: on every architecture that the image is built for, the kernel that is chosen has what it needs.
func TestFewKernel(t *testing.T) {
	const multiprocessors = 132
	for capability, shared := range sharedOf {
		for _, rows := range []int{1, kernels.TinyFewRows, kernels.TinyFewRows + 1, kernels.TinyRows,
			kernels.TinyRows + 1, kernels.ClusterRows, kernels.ClusterRows + 1, 1 << 21} {
			clusters := capability >= 90
			name, blocks, ok := fewKernel(rows, multiprocessors, func(name string) bool {
				return fits(shared, name) && (clusters || kernels.All[kernelNumbers[name]].Cluster() == 0)
			})
			if !ok {
				require.Greater(t, rows, kernels.TinyFewRows)
				continue
			}
			kernel := kernels.All[kernelNumbers[name]]
			require.LessOrEqual(t, kernel.Shared, shared, "%s on %d", name, capability)
			require.True(t, clusters || kernel.Cluster() == 0, "%s on %d", name, capability)
			if kernel.Together() {
				require.Equal(t, multiprocessors, blocks)
				continue
			}
			require.Equal(t, max(1, kernel.Cluster()), blocks)
		}
	}
	every := func(string) bool { return true }
	const grid = multiprocessors * kernels.GridThreads * kernels.GridItems
	for rows, want := range map[int]string{
		1: "tiny_few", kernels.TinyFewRows: "tiny_few", kernels.TinyFewRows + 1: "cluster",
		kernels.ClusterRows: "cluster", kernels.ClusterRows + 1: "grid",
		grid: "grid", grid + 1: "",
	} {
		name, _, _ := fewKernel(rows, multiprocessors, every)
		require.Equal(t, want, name, "%d rows", rows)
	}
	_, _, ok := fewKernel(kernels.GridRows+1, 1000, every)
	require.False(t, ok)
}
