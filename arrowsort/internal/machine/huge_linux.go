package machine

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// AdviseHuge asks for huge pages in a large buffer that nothing was written to yet: a fault for each 4 KiB takes some
// times as long as filling them, and what is written all over it, as by a partition, needs an address translation for
// every few rows. The pages in which the buffer begins and ends are among them: where buffers lie side by side, a huge
// page that two of them share is none if a page between them is left out. It is advice: without it all works.
func AdviseHuge(b []byte) {
	const least = 1 << 19 // smaller ones lie in huge pages that others are advised for
	if len(b) < least {
		return
	}
	page := unix.Getpagesize()
	before := int(uintptr(unsafe.Pointer(&b[0])) % uintptr(page)) // for the address alone
	n := (before + len(b) + page - 1) / page * page
	_, _, _ = unix.Syscall(
		unix.SYS_MADVISE, uintptr(unsafe.Pointer(&b[0]))-uintptr(before), uintptr(n), unix.MADV_HUGEPAGE,
	)
}
