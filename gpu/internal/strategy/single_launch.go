package strategy

import (
	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/kernels"
)

// SingleLaunch returns the kernel that sorts the given number of rows in a single launch, and its grid: a cluster,
// or a cooperative launch of one block per multiprocessor. ok is false for more rows than such a kernel sorts. fits
// reports whether the device has what a kernel needs.
func SingleLaunch(t *tuning.Table, rows, multiprocessors int, fits func(name string) bool) (
	name string, blocks int, ok bool) {
	switch {
	case rows > t.SmallSortRows:
		return "", 0, false
	case rows <= kernels.ClusterRows && fits("cluster"):
		return "cluster", kernels.ClusterBlocks, true
	case rows <= min(multiprocessors*kernels.CooperativeThreads*kernels.CooperativeItems, kernels.CooperativeRows) &&
		fits("cooperative"):
		return "cooperative", multiprocessors, true
	default:
		return "", 0, false
	}
}
