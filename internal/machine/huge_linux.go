package machine

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// AdviseHuge asks for huge pages for a buffer that has not been written, if it has at least the given number of bytes.
// Page faults of 4 KiB cost several times as much as filling the pages, and scattered writes need fewer address
// translations. The first and the last page of the buffer are included: two adjacent buffers share a
// huge page only if no page between them is left out. The kernel may ignore the request.
func AdviseHuge(b []byte, least int) {
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
