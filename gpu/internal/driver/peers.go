//go:build cuda && linux && amd64

package driver

import (
	"fmt"

	"gorgonia.org/cu"
)

// Reaches reports whether a device reads and writes the memory of another directly.
func (d Device) Reaches(peer Device) (bool, error) {
	if d.Number == peer.Number {
		return false, nil
	}
	can, err := d.handle.CanAccessPeer(peer.handle)
	return can != 0, describe(fmt.Sprintf("whether device %d reaches device %d", d.Number, peer.Number), err)
}

// Reach makes copies from the memory of a peer direct, if its device reaches that of the peer.
func (c *Context) Reach(peer *Context) error {
	can, err := c.Reaches(peer.Device)
	if err != nil || !can {
		return err
	}
	return c.Do(func() error { return describe("reaching "+peer.Name, peer.ctx.EnablePeerAccess(0)) })
}

// CopyFrom copies from the memory of another context: directly after Reach, else the driver copies through pinned
// memory of the host. The other context's work is complete, and its memory stays until the stream has passed.
func (s *Stream) CopyFrom(dst Ptr, peer *Context, src Ptr, bytes int) error {
	s.busy = true
	return describe("copying from "+peer.Name, cu.MemcpyPeerAsync(cu.DevicePtr(dst), s.context.ctx, cu.DevicePtr(src),
		peer.ctx, int64(bytes), s.stream))
}
