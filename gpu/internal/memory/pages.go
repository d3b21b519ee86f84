//go:build cuda && linux && amd64

package memory

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// SystemPages are pages of the system.
type SystemPages struct{}

func (SystemPages) get(size int) ([]byte, error) {
	b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("mapping %d bytes: %w", size, err)
	}
	_ = unix.Madvise(b, unix.MADV_HUGEPAGE) // fewer pages are pinned faster; it is advice
	return b, nil
}

func (SystemPages) put(b []byte) { _ = unix.Munmap(b) }
