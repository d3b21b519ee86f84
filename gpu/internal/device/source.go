//go:build cuda && linux && amd64

package device

import (
	"errors"
	"fmt"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
)

// A source is where the pool's memory comes from: the driver or the program's hook, up to a limit.
type source struct {
	*Session
	hook  Memory
	limit int // bytes; 0: none
	held  int
	sizes map[driver.Ptr]int
}

func (m *source) alloc(bytes int) (p driver.Ptr, err error) {
	if m.limit > 0 && m.held+bytes > m.limit {
		return 0, driver.Full(fmt.Sprintf("%d bytes in addition to %d, of a limit of %d", bytes, m.held, m.limit))
	}
	if m.hook == nil {
		p, err = m.Context.Alloc(bytes)
	} else {
		p, err = m.fromHook(bytes)
	}
	if err == nil {
		m.sizes[p] = bytes
		m.held += bytes
	}
	return p, err
}

// fromHook allocates by the program's hook. Any error is a lack of memory: the engine then frees what it can.
func (m *source) fromHook(bytes int) (driver.Ptr, error) {
	address, err := m.hook.Allocate(bytes, m.handle())
	switch {
	case err != nil:
		return 0, fmt.Errorf("%w: %w", driver.Full("Options.Memory"), err)
	case address == 0 || address%256 != 0:
		err = fmt.Errorf("%w: it returned address %#x, not a multiple of 256", driver.Full("Options.Memory"), address)
		if address != 0 {
			err = errors.Join(err, m.hook.Free(address, bytes, m.handle()))
		}
		return 0, err
	}
	return driver.Ptr(address), nil
}

func (m *source) free(p driver.Ptr) error { return m.freeAfter(p, m.handle()) }

// freeAfter frees memory that work of a stream, by its handle, may still use.
func (m *source) freeAfter(p driver.Ptr, stream uintptr) error {
	bytes := m.sizes[p]
	delete(m.sizes, p)
	m.held -= bytes
	if m.hook == nil {
		return m.Context.Free(p)
	}
	return m.hook.Free(uint64(p), bytes, stream)
}

// handle is the stream in which the memory of the pool is used.
func (m *source) handle() uintptr { return uintptr(m.Streams[0].Handle()) }
