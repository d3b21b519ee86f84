//go:build cuda && linux && amd64

package driver

/*
#include <cuda.h>

// The plural function accepts any address; the singular one returns an error for unknown ones.
static int arrowsort_pinned(const void *p) {
	CUpointer_attribute attribute = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
	unsigned type = 0;
	void *data = &type;
	return cuPointerGetAttributes(1, &attribute, &data, (CUdeviceptr)p) == CUDA_SUCCESS && type == CU_MEMORYTYPE_HOST;
}
*/
import "C"

import (
	"unsafe"

	"gorgonia.org/cu"
)

// A Ptr is an address in the memory of the device.
type Ptr uint64

// Alloc allocates memory of the device.
func (c *Context) Alloc(bytes int) (Ptr, error) {
	p, err := cu.MemAlloc(int64(bytes))
	if err == nil {
		c.own(func(r *resources) { r.memory[Ptr(p)] = true })
	}
	return Ptr(p), describe("allocating memory of the device", err)
}

// Free frees memory. The stream may still use it: the driver waits.
func (c *Context) Free(p Ptr) error {
	c.own(func(r *resources) { delete(r.memory, p) })
	return describe("freeing memory of the device", cu.MemFree(cu.DevicePtr(p)))
}

// FreeMemory is the device's free memory in bytes.
func (c *Context) FreeMemory() (int64, error) {
	free, _, err := cu.MemInfo()
	return free, describe("asking for free memory", err)
}

// Pinned reports whether the first and the last byte of b are pinned memory of the host. Between them there is no other
// memory where b is part of one allocation.
func (c *Context) Pinned(b []byte) bool {
	return len(b) > 0 && C.arrowsort_pinned(unsafe.Pointer(&b[0])) != 0 &&
		C.arrowsort_pinned(unsafe.Pointer(&b[len(b)-1])) != 0
}

// Pin makes memory of the host that is not Go's, and begins with a page, pinned for all contexts. It is called outside
// Enter.
func (c *Context) Pin(b []byte) error {
	return c.Do(func() error {
		return check("pinning memory", C.cuMemHostRegister(unsafe.Pointer(&b[0]), C.size_t(len(b)),
			C.CU_MEMHOSTREGISTER_PORTABLE))
	})
}

// Unpin ends Pin. It is called outside Enter. The error of a context that has failed means that nothing is pinned.
func (c *Context) Unpin(b []byte) error {
	return c.Do(func() error { return check("unpinning memory", C.cuMemHostUnregister(unsafe.Pointer(&b[0]))) })
}

// NewPinned allocates pinned memory that lives as long as the context.
func (c *Context) NewPinned(bytes int) ([]byte, error) {
	var p unsafe.Pointer
	if err := check("allocating pinned memory", C.cuMemHostAlloc(&p, C.size_t(bytes), 0)); err != nil {
		return nil, err
	}
	c.own(func(r *resources) { r.pinned = append(r.pinned, p) })
	return unsafe.Slice((*byte)(p), bytes), nil
}
