package machine

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

func physicalMemory() int64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0
	}
	n := int64(info.Totalram) * int64(info.Unit) // Totalram is 32 bits wide on 32-bit machines
	if limit := containerLimit("/sys/fs/cgroup/memory.max"); limit > 0 {
		n = min(n, limit)
	}
	return n
}

// containerLimit reads the limit of a version 2 control group; 0 when there is none.
func containerLimit(path string) int64 {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	if err != nil { // "max"
		return 0
	}
	return n
}
