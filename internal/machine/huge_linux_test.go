package machine

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestAdviseHuge looks up what the kernel has noted: for all pages in which a buffer lies, and no others.
func TestAdviseHuge(t *testing.T) {
	_, err := os.Stat("/sys/kernel/mm/transparent_hugepage")
	known := err == nil // by the kernel
	page := unix.Getpagesize()
	all, err := unix.Mmap(-1, 0, 1024*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	require.NoError(t, err)
	defer func() { require.NoError(t, unix.Munmap(all)) }()
	AdviseHuge(all[10*page+1:900*page+1], HugeBytes)
	AdviseHuge(all[950*page:960*page], HugeBytes) // too small
	for at, want := range map[int]bool{
		9: false, 10: true, 500: true, 900: true, 901: false, 955: false,
	} {
		require.Equal(t, want && known, advised(t, unsafe.Pointer(&all[at*page])), "page %d", at)
	}
}

// advised reports whether the kernel has noted the advice for an address.
func advised(t *testing.T, p unsafe.Pointer) bool {
	maps, err := os.ReadFile("/proc/self/smaps")
	require.NoError(t, err)
	inside := false
	for _, line := range strings.Split(string(maps), "\n") {
		var lo, hi uintptr
		if n, _ := fmt.Sscanf(line, "%x-%x ", &lo, &hi); n == 2 {
			inside = lo <= uintptr(p) && uintptr(p) < hi
		}
		if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok && inside {
			return strings.Contains(flags+" ", " hg ")
		}
	}
	require.Fail(t, "no mapping of the address")
	return false
}
