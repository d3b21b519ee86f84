//go:build cuda && linux && amd64

package driver

// #include <cuda.h>
import "C"

import (
	"runtime"

	"gorgonia.org/cu"
)

// A Context is a CUDA context on a device, with all kernels: a separate one, or the primary one, which all libraries of
// the process share that use the CUDA runtime. Its methods are called between Enter and leave, those of each stream by
// one goroutine at a time.
type Context struct {
	Device
	ctx       cu.CUContext
	module    cu.Module
	functions []function
	owned     *resources // of the primary context; nil: the context ends with all that is in it
}

// NewContext opens a device, by its position in Devices, and loads the kernels.
func NewContext(number int, primary bool) (c *Context, err error) {
	if err := open(); err != nil {
		return nil, err
	}
	c = &Context{}
	if c.Device, err = device(number); err != nil {
		return nil, err
	}
	restore, err := relax()
	if err != nil {
		return nil, err
	}
	defer restore()
	if primary {
		return c, c.retainPrimary()
	}
	if c.ctx, err = c.handle.MakeContext(cu.SchedAuto); err != nil {
		return nil, describe("opening "+c.Name, err)
	}
	defer func() {
		if err != nil {
			c.ctx.Destroy()
			return
		}
		_, err = cu.PopCurrentCtx() // MakeContext pushed it
	}()
	return c, c.load()
}

// Enter binds the context to the calling goroutine and its thread, until leave.
func (c *Context) Enter() (leave func(), err error) {
	restore, err := relax()
	if err != nil {
		return nil, err
	}
	if err := cu.PushCurrentCtx(c.ctx); err != nil {
		restore()
		return nil, describe("entering the context", err)
	}
	return func() {
		cu.PopCurrentCtx()
		restore()
	}, nil
}

// relax binds the goroutine to its thread, until restore, and lets it wait, allocate and free while another thread
// captures a graph: in the thread's usual mode such a call fails, and the graph is lost. What is captured is not
// touched: the engine does not work in streams that are captured.
func relax() (restore func(), err error) {
	runtime.LockOSThread()
	mode := C.CUstreamCaptureMode(C.CU_STREAM_CAPTURE_MODE_RELAXED)
	if code := C.cuThreadExchangeStreamCaptureMode(&mode); code != C.CUDA_SUCCESS {
		runtime.UnlockOSThread()
		return nil, check("setting the mode of captures", code)
	}
	return func() {
		C.cuThreadExchangeStreamCaptureMode(&mode)
		runtime.UnlockOSThread()
	}, nil
}

// Do calls work in Enter.
func (c *Context) Do(work func() error) error {
	leave, err := c.Enter()
	if err != nil {
		return err
	}
	defer leave()
	return work()
}

// Reach makes copies from the memory of a peer direct, if its device reaches that of the peer.
func (c *Context) Reach(peer *Context) error {
	can, err := c.Reaches(peer.Device)
	if err != nil || !can {
		return err
	}
	return c.Do(func() error { return describe("reaching "+peer.Name, peer.ctx.EnablePeerAccess(0)) })
}

// Close ends the context and all that is in it; of the primary context, all that this one has made. It is called
// outside Enter.
func (c *Context) Close() error {
	restore, err := relax()
	if err != nil {
		return err
	}
	defer restore()
	if c.owned != nil {
		return c.releasePrimary()
	}
	return describe("closing "+c.Name, c.ctx.Destroy())
}
