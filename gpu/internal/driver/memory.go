//go:build cuda && linux && amd64

package driver

/*
#include <cuda.h>

static CUresult arrowsort_make_pool(int device, CUmemoryPool *pool) {
	CUmemPoolProps props = {0};
	props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
	props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	props.location.id = device;
	CUresult result = cuMemPoolCreate(pool, &props);
	if (result != CUDA_SUCCESS) return result;
	cuuint64_t all = ~(cuuint64_t)0; // what was freed stays for the next sort
	return cuMemPoolSetAttribute(*pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &all);
}

static CUresult arrowsort_alloc(CUdeviceptr *p, size_t size, CUmemoryPool pool, CUstream stream) {
	return cuMemAllocFromPoolAsync(p, size, pool, stream);
}

static int arrowsort_pinned(const void *p) {
	unsigned type = 0;
	return cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)p) == CUDA_SUCCESS && type == CU_MEMORYTYPE_HOST;
}
*/
import "C"

import (
	"unsafe"

	"gorgonia.org/cu"
)

// A Ptr is an address in the memory of the device.
type Ptr uint64

func (c *Context) makePool(device int) error {
	return check("making a memory pool on "+c.Name, C.arrowsort_make_pool(C.int(device), &c.pool))
}

func (c *Context) handle() C.CUstream {
	// The C types of two packages are different types of Go for the same pointer.
	return *(*C.CUstream)(unsafe.Pointer(&c.stream))
}

// Alloc allocates memory of the device in the order of the stream.
func (c *Context) Alloc(bytes int) (Ptr, error) {
	var p C.CUdeviceptr
	err := check("allocating memory of the device", C.arrowsort_alloc(&p, C.size_t(bytes), c.pool, c.handle()))
	return Ptr(p), err
}

// Free frees memory in the order of the stream: the pool keeps it for what is allocated later.
func (c *Context) Free(p Ptr) error {
	return check("freeing memory of the device", C.cuMemFreeAsync(C.CUdeviceptr(p), c.handle()))
}

// Trim gives memory that nothing uses back to the device.
func (c *Context) Trim() error {
	return check("trimming the memory pool", C.cuMemPoolTrimTo(c.pool, 0))
}

// FreeMemory is the device's free memory in bytes; what the pool holds does not count as free.
func (c *Context) FreeMemory() (int64, error) {
	free, _, err := cu.MemInfo()
	return free, describe("asking for free memory", err)
}

// Zero fills memory with zeros in the order of the stream.
func (c *Context) Zero(p Ptr, bytes int) error {
	return describe("clearing memory", cu.MemsetD8Async(cu.DevicePtr(p), 0, int64(bytes), c.stream))
}

// Upload copies pinned memory of the host, which stays as it is until the stream has passed.
func (c *Context) Upload(dst Ptr, src []byte) error {
	return describe("copying to the device", cu.MemcpyHtoDAsync(cu.DevicePtr(dst), unsafe.Pointer(unsafe.SliceData(src)), int64(len(src)), c.stream))
}

// Download copies into pinned memory of the host.
func (c *Context) Download(dst []byte, src Ptr) error {
	return describe("copying from the device", cu.MemcpyDtoHAsync(unsafe.Pointer(unsafe.SliceData(dst)), cu.DevicePtr(src), int64(len(dst)), c.stream))
}

// Pinned reports whether the driver knows all of b as pinned memory of the host.
func (c *Context) Pinned(b []byte) bool {
	return len(b) > 0 && C.arrowsort_pinned(unsafe.Pointer(&b[0])) != 0 && C.arrowsort_pinned(unsafe.Pointer(&b[len(b)-1])) != 0
}

// Pin makes memory of the host that is not Go's, and begins with a page, pinned for all contexts.
func (c *Context) Pin(b []byte) error {
	return check("pinning memory", C.cuMemHostRegister(unsafe.Pointer(&b[0]), C.size_t(len(b)), C.CU_MEMHOSTREGISTER_PORTABLE))
}

// Unpin ends Pin.
func (c *Context) Unpin(b []byte) error {
	return check("unpinning memory", C.cuMemHostUnregister(unsafe.Pointer(&b[0])))
}
