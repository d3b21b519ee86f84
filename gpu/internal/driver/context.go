//go:build cuda && linux && amd64

package driver

import (
	"fmt"
	"runtime"

	"gorgonia.org/cu"
)

// A Context is a separate CUDA context on a device, with all kernels. Its methods are called between Enter
// and leave, those of each stream by one goroutine at a time.
type Context struct {
	Device
	Number    int // of the device
	ctx       cu.CUContext
	module    cu.Module
	functions []function
}

// NewContext opens a device and loads the kernels.
func NewContext(number int) (c *Context, err error) {
	devices, err := Devices()
	if err != nil {
		return nil, err
	}
	if number < 0 || number >= len(devices) {
		return nil, &NoDeviceError{Reason: fmt.Sprintf("device %d was asked for, there are %d", number, len(devices))}
	}
	c = &Context{Device: devices[number], Number: number}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	dev, err := cu.GetDevice(number)
	if err != nil {
		return nil, describe("opening the device", err)
	}
	if c.ctx, err = dev.MakeContext(cu.SchedAuto); err != nil {
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
	runtime.LockOSThread()
	if err := cu.PushCurrentCtx(c.ctx); err != nil {
		runtime.UnlockOSThread()
		return nil, describe("entering the context", err)
	}
	return func() {
		cu.PopCurrentCtx()
		runtime.UnlockOSThread()
	}, nil
}

// Close ends the context and all that is in it. It is called outside Enter.
func (c *Context) Close() error {
	return describe("closing "+c.Name, c.ctx.Destroy())
}
