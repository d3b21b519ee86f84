//go:build cub && cuda && linux && amd64

package gpu

// onLaunch is called after each launch of a kernel, for the phases of sorts (benchmarks/cub).
var onLaunch = func(kernel string) {}

func (t *task) launched(kernel string) { onLaunch(kernel) }
