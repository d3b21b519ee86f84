package host

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// adviseHuge asks for huge pages inside a large buffer: copying into fresh memory costs mostly page faults. It is
// advice: without it all works.
func adviseHuge(b []byte) {
	const least = 2 << 20
	page := unix.Getpagesize()
	if len(b) < least {
		return
	}
	b = b[-uintptr(unsafe.Pointer(&b[0]))%uintptr(page):]
	_ = unix.Madvise(b[:len(b)/page*page], unix.MADV_HUGEPAGE)
}
