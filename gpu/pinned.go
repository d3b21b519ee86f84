//go:build cuda && linux && amd64

package gpu

import (
	"fmt"
	"syscall"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
)

// pinnedPages are pages of the system, which outlive the device, pinned in a context.
type pinnedPages struct{ *driver.Context }

const madvHuge = 14 // MADV_HUGEPAGE: fewer pages are pinned faster

func (p *pinnedPages) get(size int) ([]byte, error) {
	b, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("mapping %d bytes: %w", size, err)
	}
	_ = syscall.Madvise(b, madvHuge) // advice: all is well without
	if err := p.pin(b); err != nil {
		p.put(b)
		return nil, err
	}
	return b, nil
}

func (p *pinnedPages) put(b []byte) { _ = syscall.Munmap(b) }

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
