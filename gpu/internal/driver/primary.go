//go:build cuda && linux && amd64

package driver

/*
#include <cuda.h>

static CUresult arrowsort_where(CUdeviceptr p, unsigned *type, int *device, int *managed, CUcontext *context) {
	CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
		CU_POINTER_ATTRIBUTE_IS_MANAGED, CU_POINTER_ATTRIBUTE_CONTEXT};
	void *data[] = {type, device, managed, context};
	return cuPointerGetAttributes(4, attributes, data, p);
}

// Event and stream by their handles.
static CUresult arrowsort_wait_event(unsigned long long stream, unsigned long long event) {
	return cuStreamWaitEvent((CUstream)stream, (CUevent)event, 0);
}
static CUresult arrowsort_capturing(unsigned long long stream, int *is) {
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
	CUresult code = cuStreamIsCapturing((CUstream)stream, &status);
	*is = code == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE;
	return code;
}
*/
import "C"

import (
	"cmp"
	"sync"
	"unsafe"

	"gorgonia.org/cu"
)

// The primary context outlives the engine, because other libraries of the process use it. So the engine frees there
// what it has made, one by one, and shares the memory and the streams of the others.

// resources are what an engine has made in the primary context.
type resources struct {
	sync.Mutex
	memory  map[Ptr]bool
	pinned  []unsafe.Pointer
	streams []cu.Stream
	events  map[cu.Event]bool
}

// own changes the resources of the primary context.
func (c *Context) own(change func(*resources)) {
	if c.owned != nil {
		c.owned.Lock()
		defer c.owned.Unlock()
		change(c.owned)
	}
}

// retainPrimary makes the context the primary one of the device.
func (c *Context) retainPrimary() (err error) {
	if c.ctx, err = c.handle.RetainPrimaryCtx(); err != nil {
		return describe("opening the primary context of "+c.Name, err)
	}
	c.owned = &resources{memory: map[Ptr]bool{}, events: map[cu.Event]bool{}}
	if err = c.Do(c.load); err != nil {
		_ = c.releasePrimary()
	}
	return err
}

// releasePrimary frees what the engine has made in the primary context. All of its work is done when this returns. The
// error of a context that has failed is that of each call: one is returned.
func (c *Context) releasePrimary() error {
	return cmp.Or(c.Do(c.freeOwned), describe("releasing the primary context of "+c.Name, c.handle.ReleasePrimaryCtx()))
}

func (c *Context) freeOwned() (err error) {
	r := c.owned
	r.Lock()
	defer r.Unlock()
	first := func(op string, failed error) {
		if err == nil {
			err = describe(op, failed)
		}
	}
	for _, s := range r.streams {
		first("closing a stream", s.Synchronize())
	}
	for p := range r.memory {
		first("freeing memory of the device", cu.MemFree(cu.DevicePtr(p)))
	}
	for _, p := range r.pinned {
		first("freeing pinned memory", cu.MemFreeHost(p))
	}
	for e := range r.events {
		first("closing an event", cu.DestroyEvent(&e))
	}
	for i := range r.streams {
		first("closing a stream", r.streams[i].Destroy())
	}
	if c.functions != nil {
		first("unloading the kernels", c.module.Unload())
	}
	clear(r.memory)
	clear(r.events)
	r.pinned, r.streams = nil, nil
	return err
}

// Hold makes memory, which may be of another allocator, and an event outlive Close, until Drop. The primary context is
// retained once more for them.
func (c *Context) Hold(p Ptr, e Event) error {
	if _, err := c.handle.RetainPrimaryCtx(); err != nil {
		return describe("retaining the primary context of "+c.Name, err)
	}
	c.own(func(r *resources) {
		delete(r.memory, p)
		delete(r.events, e.event)
	})
	return nil
}

// Drop ends Hold: free frees the memory.
func (c *Context) Drop(e Event, free func() error) error {
	return cmp.Or(
		c.Do(func() error { return cmp.Or(free(), describe("closing an event", cu.DestroyEvent(&e.event))) }),
		describe("releasing the primary context of "+c.Name, c.handle.ReleasePrimaryCtx()))
}

// IsPrimary reports whether the context is the primary one.
func (c *Context) IsPrimary() bool { return c.owned != nil }

// An Address is what the driver knows of an address.
type Address struct {
	OnDevice bool // memory of a device, managed memory included
	OnHost   bool // memory of the host that the driver knows
	Number   int  // of the device
	Foreign  bool // the memory belongs to a context that is not this one
}

// Where returns what the driver knows of an address.
func (c *Context) Where(p Ptr) (a Address, err error) {
	var kind C.uint
	var number, managed C.int
	var context C.CUcontext
	code := C.arrowsort_where(C.CUdeviceptr(p), &kind, &number, &managed, &context)
	if code == C.CUDA_ERROR_INVALID_VALUE { // an address that the driver does not know
		return a, nil
	}
	a.OnDevice = kind == C.CU_MEMORYTYPE_DEVICE || managed != 0
	a.OnHost = kind == C.CU_MEMORYTYPE_HOST && managed == 0
	a.Number = int(number)
	// cu's context holds nothing but the driver's handle.
	a.Foreign = context != nil && context != *(*C.CUcontext)(unsafe.Pointer(&c.ctx))
	return a, check("asking for an address", code)
}

// Of returns a stream by the driver's handle: 0 and 1 are the legacy default stream, 2 that of the thread.
func (c *Context) Of(handle uintptr) *Stream {
	s := &Stream{context: c}
	*(*uintptr)(unsafe.Pointer(&s.stream)) = handle // cu's stream holds nothing but the handle
	return s
}

// AfterHandle makes work queued from now on wait for an event of the driver's handle.
func (s *Stream) AfterHandle(event uintptr) error {
	s.busy = true
	return check("waiting for an event", C.arrowsort_wait_event(C.ulonglong(s.Handle()), C.ulonglong(event)))
}

// IsCapturing reports whether the work of a stream is captured into a graph.
func (s *Stream) IsCapturing() (bool, error) {
	var is C.int
	code := C.arrowsort_capturing(C.ulonglong(s.Handle()), &is)
	return is != 0, check("asking for the state of a stream", code)
}

// Handle is the driver's handle of an event.
func (e Event) Handle() uintptr { return *(*uintptr)(unsafe.Pointer(&e.event)) }
