//go:build cuda && linux && amd64

package gpu

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
)

// systemPages are pages of the system.
type systemPages struct{}

func (systemPages) get(size int) ([]byte, error) {
	b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("mapping %d bytes: %w", size, err)
	}
	_ = unix.Madvise(b, unix.MADV_HUGEPAGE) // fewer pages are pinned faster; it is advice
	return b, nil
}

func (systemPages) put(b []byte) { _ = unix.Munmap(b) }

// contextPins pins pages in a context.
type contextPins struct{ *driver.Context }

func (p contextPins) pin(b []byte) error {
	return p.Do(func() error { return p.Pin(b) })
}

// unpin also meets contexts that have failed, which have nothing pinned.
func (p contextPins) unpin(b []byte) {
	_ = p.Do(func() error { return p.Unpin(b) })
}
