//go:build cuda && linux && amd64

package driver

/*
#include <cuda.h>

// A function of cu is one pointer; cu has no call for its attributes.
static CUresult arrowsort_raise_shared(CUfunction f, int bytes) {
	return cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes);
}
*/
import "C"

import (
	"unsafe"

	"gorgonia.org/cu"
)

// A Kernel is what there is to know about a kernel to launch it.
type Kernel struct {
	Name    string
	Threads int // of a block
	Shared  int // bytes of dynamic shared memory
}

type function struct {
	Kernel
	cu.Function
}

// freeShared is how much dynamic shared memory a kernel may have without asking.
const freeShared = 48 << 10

func (c *Context) load(image []byte, kernels []Kernel) (err error) {
	if c.module, err = cu.LoadData(string(image)); err != nil {
		return describe("loading the kernels for "+c.Name, err)
	}
	c.functions = make([]function, len(kernels))
	for i, k := range kernels {
		f, err := c.module.Function(k.Name)
		if err != nil {
			return describe("loading the kernel "+k.Name, err)
		}
		if k.Shared > freeShared && k.Shared <= c.Shared { // the others are not launched on this device
			// cu.Function holds nothing but the driver's handle.
			handle := *(*C.CUfunction)(unsafe.Pointer(&f))
			if err := check("shared memory of the kernel "+k.Name, C.arrowsort_raise_shared(handle, C.int(k.Shared))); err != nil {
				return err
			}
		}
		c.functions[i] = function{k, f}
	}
	return nil
}
