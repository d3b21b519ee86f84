// Package machine reports the memory of the computer and asks it for huge pages.
package machine

import "runtime/debug"

// Memory returns the number of bytes of memory that this process may use: the least of the machine's physical memory,
// the container's limit and GOMEMLIMIT. It is 0 where the operating system does not say.
func Memory() int64 {
	n := physicalMemory()
	if limit := debug.SetMemoryLimit(-1); n == 0 || limit < n {
		n = limit
	}
	if n == noLimit {
		return 0
	}
	return n
}

// noLimit is what the runtime reports when GOMEMLIMIT is not set.
const noLimit = 1<<63 - 1

// HugeBytes is the size of the smallest buffer for which huge pages pay. Smaller buffers share a huge page with others.
const HugeBytes = 1 << 19
