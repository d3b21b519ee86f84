package cpu

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// adviseHuge asks for transparent huge pages on the whole pages inside a large buffer: the partition writes all over it,
// and 4 KiB pages would cost a fault and an address translation for every few rows. It is advice: without it all works.
func adviseHuge(b []byte) {
	const least = 2 << 20
	page := unix.Getpagesize()
	if len(b) < least {
		return
	}
	skip := -uintptr(unsafe.Pointer(&b[0])) % uintptr(page)
	b = b[skip:]
	_ = unix.Madvise(b[:len(b)/page*page], unix.MADV_HUGEPAGE)
}
