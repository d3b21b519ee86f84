package strategy

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/kernels"
)

// sharedOf is the most shared memory of a block by compute capability (CUDA C++ programming guide, table of technical
// specifications).
var sharedOf = map[int]int{80: 163 << 10, 86: 99 << 10, 89: 99 << 10, 90: 227 << 10, 100: 227 << 10, 120: 99 << 10}

// TestKernelsFit: on every architecture of the image, the selected kernels fit the device.
func TestKernelsFit(t *testing.T) {
	for capability, shared := range sharedOf {
		names := []string{"histogram", "statistics", "encode", "gather_8"}
		for _, k := range kernels.All {
			if strings.HasPrefix(k.Name, "digit_binning") {
				names = append(names, k.Name)
			}
		}
		for _, name := range names {
			require.True(t, Fits(shared, name), "%s on %d", name, capability)
		}
	}
	require.True(t, Fits(sharedOf[80], BucketKernels...))
	require.False(t, Fits(sharedOf[86], "equalize"))
}

func TestTileCount(t *testing.T) {
	require.Equal(t, 1, TileCount(1, 100, 10))
	require.Equal(t, 10, TileCount(100, 100, 10))
	require.Equal(t, 11, TileCount(101, 100, 10))
	require.Equal(t, 2*11+1, TileCount(205, 101, 10)) // the last tile of a strip may not be whole
}

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
