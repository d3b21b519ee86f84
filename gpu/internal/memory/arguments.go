//go:build cuda && linux && amd64

package memory

import (
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// paramBytes is enough for the structures of a sort of hundreds of keys.
const paramBytes = 256 << 10

// Arguments collects the structures that kernels read (kernels/abi.h), so that one copy uploads many of them.
type Arguments struct {
	host   []uint64 // pinned
	device driver.Ptr
	used   int // words
	sent   int
}

// Open allocates the memory.
func (p *Arguments) Open(c *driver.Context) error {
	memory, err := c.NewPinned(paramBytes)
	if err != nil {
		return err
	}
	p.host = buffers.View[uint64](memory)
	p.device, err = c.Alloc(paramBytes)
	return err
}

// Put adds words and returns their future address on the device; 0 if they do not fit.
func (p *Arguments) Put(words []uint64) driver.Ptr {
	if p.used+len(words) > len(p.host) {
		return 0
	}
	at := p.used
	p.used += copy(p.host[at:], words)
	p.used = (p.used + 1) &^ 1 // structures begin at multiples of 16 bytes
	return p.device + driver.Ptr(8*at)
}

// Flush uploads what was added since the last flush.
func (p *Arguments) Flush(s *driver.Stream) error {
	if p.sent == p.used {
		return nil
	}
	fresh := p.host[p.sent:p.used]
	err := s.Upload(p.device+driver.Ptr(8*p.sent), buffers.Bytes(fresh))
	p.sent = p.used
	return err
}

// Reset discards everything. The stream is idle.
func (p *Arguments) Reset() { p.used, p.sent = 0, 0 }
