package machine

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// memoryStatus is MEMORYSTATUSEX of the Windows API.
type memoryStatus struct {
	length, load                                 uint32
	totalPhysical, availablePhysical             uint64
	totalPageFile, availablePageFile             uint64
	totalVirtual, availableVirtual, availableExt uint64
}

var globalMemoryStatus = windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")

func physicalMemory() int64 {
	var status memoryStatus
	status.length = uint32(unsafe.Sizeof(status))
	// The system call wants the address of the struct, which lives until it returns.
	if ok, _, _ := globalMemoryStatus.Call(uintptr(unsafe.Pointer(&status))); ok == 0 {
		return 0
	}
	return int64(status.totalPhysical)
}
