//go:build cuda && linux && amd64

package driver

/*
#cgo CFLAGS: -I${SRCDIR}/compat -O2
#cgo LDFLAGS: -L${SRCDIR}/link -ldl
#include <stdlib.h>
int arrowsort_open_driver(char *why, size_t size);
*/
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"gorgonia.org/cu"
)

// A NoDeviceError is the reason why there is no device: what was looked for, and what was found.
type NoDeviceError struct{ error }

func (e *NoDeviceError) Unwrap() error { return e.error }

// open opens libcuda.so.1 once.
var open = sync.OnceValue(func() error {
	const size = 1024
	why := (*C.char)(C.calloc(1, size))
	defer C.free(unsafe.Pointer(why))
	switch code := int(C.arrowsort_open_driver(why, size)); code {
	case 0:
		return nil
	case -1:
		return &NoDeviceError{fmt.Errorf("the NVIDIA driver's library was looked for: %s", C.GoString(why))}
	default:
		err := &Error{Code: code}
		return &NoDeviceError{fmt.Errorf("libcuda.so.1 was found, but the driver does not start: %w", err)}
	}
})

// A Device is a GPU.
type Device struct {
	Name            string
	Major, Minor    int // compute capability
	Memory          int64
	Multiprocessors int
	Shared          int // bytes of shared memory that a block may have
	Cooperative     int // not 0: kernels whose blocks wait for one another may be launched
}

// Devices lists the GPUs of the machine.
func Devices() ([]Device, error) {
	if err := open(); err != nil {
		return nil, err
	}
	n, err := cu.NumDevices()
	if err != nil {
		return nil, describe("counting devices", err)
	}
	if n == 0 {
		return nil, &NoDeviceError{errors.New("the driver sees none")}
	}
	devices := make([]Device, n)
	for i := range devices {
		if devices[i], err = device(i); err != nil {
			return nil, err
		}
	}
	return devices, nil
}

// maxSharedMemory is CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, which cu has no name for.
const maxSharedMemory cu.DeviceAttribute = 97

// cooperativeLaunch is CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH.
const cooperativeLaunch cu.DeviceAttribute = 95

func device(number int) (Device, error) {
	dev, err := cu.GetDevice(number)
	if err != nil {
		return Device{}, describe(fmt.Sprintf("device %d", number), err)
	}
	var d Device
	var errs [7]error
	d.Name, errs[0] = dev.Name()
	d.Memory, errs[1] = dev.TotalMem()
	d.Multiprocessors, errs[2] = dev.Attribute(cu.MultiprocessorCount)
	d.Major, errs[3] = dev.Attribute(cu.ComputeCapabilityMajor)
	d.Minor, errs[4] = dev.Attribute(cu.ComputeCapabilityMinor)
	d.Shared, errs[5] = dev.Attribute(maxSharedMemory)
	d.Cooperative, errs[6] = dev.Attribute(cooperativeLaunch)
	return d, describe(fmt.Sprintf("device %d", number), errors.Join(errs[:]...))
}
