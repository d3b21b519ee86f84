package main

import "golang.org/x/sys/unix"

// adviseHuge asks for transparent huge pages. It is advice: without them the copy works all the same.
func adviseHuge(b []byte) {
	page := unix.Getpagesize()
	// The Go runtime starts allocations of this size on a page boundary, so that the address needs no rounding.
	if n := len(b) / page * page; n > 0 {
		_ = unix.Madvise(b[:n], unix.MADV_HUGEPAGE)
	}
}

// warmPages writes to n bytes of fresh memory and gives them back to the system. On a virtual machine the host may
// have taken free pages away; the run that follows gets fresh pages that are there.
func warmPages(n int) {
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return // it is a service to the clock, not to the result
	}
	adviseHuge(b)
	for i := 0; i < n; i += unix.Getpagesize() {
		b[i] = 1
	}
	_ = unix.Munmap(b)
}
