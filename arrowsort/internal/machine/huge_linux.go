package machine

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// AdviseHuge asks for huge pages on the whole pages inside a large buffer that nothing was written to yet: a fault for
// each 4 KiB takes several times as long as filling them, and what is written all over it, as by a partition, needs an
// address translation for every few rows. It is advice: without it all works.
func AdviseHuge(b []byte) {
	const least = 2 << 20
	page := unix.Getpagesize()
	if len(b) < least {
		return
	}
	skip := -uintptr(unsafe.Pointer(&b[0])) % uintptr(page) // for the address alone
	b = b[skip:]
	_ = unix.Madvise(b[:len(b)/page*page], unix.MADV_HUGEPAGE)
}
