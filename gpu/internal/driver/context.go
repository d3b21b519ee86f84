//go:build cuda && linux && amd64

package driver

import (
	"fmt"
	"runtime"

	"gorgonia.org/cu"
)

// A Context is a CUDA context of its own on a device, with one stream and the kernels of an image. Its
// calls are made between Enter and leave, by one goroutine at a time.
type Context struct {
	Device
	ctx       cu.CUContext
	module    cu.Module
	stream    cu.Stream
	functions []function
}

// NewContext opens a device and loads the kernels of an image.
func NewContext(number int, image []byte, kernels []Kernel) (c *Context, err error) {
	devices, err := Devices()
	if err != nil {
		return nil, err
	}
	if number < 0 || number >= len(devices) {
		return nil, &NoDeviceError{Reason: fmt.Sprintf("device %d was asked for, there are %d", number, len(devices))}
	}
	c = &Context{Device: devices[number]}
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
	if c.stream, err = cu.MakeStream(cu.NonBlocking); err != nil {
		return nil, describe("making a stream", err)
	}
	return c, c.load(image, kernels)
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

// Wait returns when all that the stream was given is done, with the first error of it.
func (c *Context) Wait() error { return describe("running on "+c.Name, c.stream.Synchronize()) }

// An Event is a point of the stream.
type Event struct{ event cu.Event }

// NewEvent makes an event.
func (c *Context) NewEvent() (Event, error) {
	e, err := cu.MakeEvent(cu.DisableTiming)
	return Event{e}, describe("making an event", err)
}

// Record sets the event behind all that the stream was given.
func (c *Context) Record(e Event) error {
	return describe("recording an event", e.event.Record(c.stream))
}

// WaitFor returns when the stream has passed the event.
func (c *Context) WaitFor(e Event) error {
	return describe("running on "+c.Name, e.event.Synchronize())
}
