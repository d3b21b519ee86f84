package allocators

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestPagesAreNotTouched asks the kernel which pages of a block are in memory that is larger than all that was freed.
func TestPagesAreNotTouched(t *testing.T) {
	b := Unzeroed(nil).Allocate(256 << 20)
	inMemory := make([]byte, len(b)/unix.Getpagesize())
	_, _, errno := unix.Syscall(
		unix.SYS_MINCORE, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), uintptr(unsafe.Pointer(&inMemory[0])),
	)
	require.Zero(t, errno)
	require.Equal(t, -1, bytes.IndexByte(inMemory, 1), "pages in memory")
}
