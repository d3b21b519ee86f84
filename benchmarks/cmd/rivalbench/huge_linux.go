package main

import "golang.org/x/sys/unix"

// adviseHuge asks for transparent huge pages. It is advice: without them the copy works all the same.
func adviseHuge(b []byte) {
	page := unix.Getpagesize()
	// The Go runtime starts allocations of this size on a page of its own, so that the address needs no rounding.
	if n := len(b) / page * page; n > 0 {
		_ = unix.Madvise(b[:n], unix.MADV_HUGEPAGE)
	}
}
