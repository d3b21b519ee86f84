package machine

import "golang.org/x/sys/unix"

func physicalMemory() int64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0
	}
	n := int64(info.Totalram) * int64(info.Unit) // Totalram is 32 bits wide on 32-bit machines
	if limit := containerLimit("/"); limit > 0 {
		n = min(n, limit)
	}
	return n
}
