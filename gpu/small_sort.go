package gpu

import "github.com/arrowsort/arrowsort/kernels"

// fewKernel is the kernel that sorts so few rows all by itself, and its grid: a block, a cluster where the device has
// them, or a block for each multiprocessor. fits tells of the kernels for which the device has what they need.
func fewKernel(rows, multiprocessors int, fits func(name string) bool) (name string, blocks int, ok bool) {
	switch {
	case rows > thresholds.oneLaunchRows:
		return "", 0, false
	case rows <= kernels.TinyFewRows && fits("tiny_few"):
		return "tiny_few", 1, true
	case rows <= kernels.ClusterRows && fits("cluster"):
		return "cluster", kernels.ClusterBlocks, true
	case rows <= kernels.TinyRows && fits("tiny"):
		return "tiny", 1, true
	case rows <= min(multiprocessors*kernels.GridThreads*kernels.GridItems, kernels.GridRows) && fits("grid"):
		return "grid", multiprocessors, true
	default:
		return "", 0, false
	}
}
