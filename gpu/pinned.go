//go:build cuda && linux && amd64

package gpu

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
)

// pinnedPages are pages of the system, which outlive the device, pinned in a context.
type pinnedPages struct{ *driver.Context }

func (p *pinnedPages) get(size int) ([]byte, error) {
	b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("mapping %d bytes: %w", size, err)
	}
	_ = unix.Madvise(b, unix.MADV_HUGEPAGE) // fewer pages are pinned faster; it is advice
	if err := p.pin(b); err != nil {
		p.put(b)
		return nil, err
	}
	return b, nil
}

func (p *pinnedPages) put(b []byte) { _ = unix.Munmap(b) }

func (p *pinnedPages) pin(b []byte) error {
	leave, err := p.Enter()
	if err != nil {
		return err
	}
	defer leave()
	return p.Pin(b)
}

// unpin also meets contexts that have failed, which have nothing pinned.
func (p *pinnedPages) unpin(b []byte) {
	if leave, err := p.Enter(); err == nil {
		_ = p.Unpin(b)
		leave()
	}
}
