//go:build cuda && linux && amd64

package driver

/*
#include <cuda.h>

// How many clusters of a function, whose size is compiled in, the device can run at a time.
static CUresult arrowsort_clusters(CUfunction f, int blocks, int threads, int shared, int *clusters) {
	CUlaunchAttribute size = {CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
	size.value.clusterDim.x = blocks;
	size.value.clusterDim.y = size.value.clusterDim.z = 1;
	CUlaunchConfig launch = {blocks, 1, 1, threads, 1, 1, shared};
	launch.attrs = &size;
	launch.numAttrs = 1;
	CUresult code = cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
	return code != CUDA_SUCCESS ? code : cuOccupancyMaxActiveClusters(clusters, f, &launch);
}
*/
import "C"

import (
	"unsafe"

	"gorgonia.org/cu"

	"github.com/arrowsort/arrowsort/kernels"
)

type function struct {
	kernels.Kernel
	cu.Function
	fits bool // the device has what the kernel needs
}

// clusterCapability is the compute capability, the major number of it, from which on there are clusters.
const clusterCapability = 9

func (c *Context) load() (err error) {
	if c.module, err = cu.LoadData(string(kernels.Image)); err != nil {
		return describe("loading the kernels for "+c.Name, err)
	}
	c.functions = make([]function, len(kernels.All))
	for i, k := range kernels.All {
		c.functions[i].Kernel = k
		if k.Shared > c.Shared || (k.Cluster() > 0 && c.Major < clusterCapability) ||
			(k.Cooperative() && c.Cooperative == 0) {
			continue // not launched on this device
		}
		if err := c.functions[i].load(c.module); err != nil {
			return err
		}
	}
	return nil
}

func (f *function) load(module cu.Module) (err error) {
	if f.Function, err = module.Function(f.Name); err != nil {
		return describe("loading the kernel "+f.Name, err)
	}
	// cu.Function holds nothing but the driver's handle; cu has no call to set its attributes.
	handle := *(*C.CUfunction)(unsafe.Pointer(&f.Function))
	if err := check("shared memory of the kernel "+f.Name, C.cuFuncSetAttribute(handle,
		C.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, C.int(f.Shared))); err != nil {
		return err
	}
	f.fits = true
	if f.Cluster() > 0 { // a part of a device may have too few multiprocessors in a group
		var clusters C.int
		if err := check("the cluster of the kernel "+f.Name,
			C.arrowsort_clusters(handle, C.int(f.Cluster()), C.int(f.Threads), C.int(f.Shared),
				&clusters)); err != nil {
			return err
		}
		f.fits = clusters > 0
	}
	if f.Cooperative() {
		blocks, err := f.MaxActiveBlocksPerMultiProcessor(f.Threads, int64(f.Shared))
		if err != nil {
			return describe("the grid of the kernel "+f.Name, err)
		}
		f.fits = blocks > 0
	}
	return nil
}

// Fits reports whether the device has what a kernel needs, by its position in kernels.All.
func (c *Context) Fits(kernel int) bool { return c.functions[kernel].fits }
