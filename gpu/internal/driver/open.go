//go:build cuda && linux && amd64

package driver

/*
#cgo CFLAGS: -I${SRCDIR}/compat -O2
#cgo LDFLAGS: -L${SRCDIR}/link -ldl
#include <cuda.h>
int arrowsort_open_driver(char **why);
*/
import "C"

import (
	"errors"
	"fmt"
	"sync"

	"gorgonia.org/cu"
)

// open opens libcuda.so.1 once. The error names what was looked for, and what was found.
var open = sync.OnceValue(func() error {
	var why *C.char
	switch code := int(C.arrowsort_open_driver(&why)); code {
	case 0:
		return nil
	case -1:
		return fmt.Errorf("%w: the NVIDIA driver's library was looked for: %s", ErrNoDevice, C.GoString(why))
	default:
		return fmt.Errorf("%w: libcuda.so.1 was found, but the driver does not start: %w", ErrNoDevice,
			&Error{Code: code})
	}
})

// A Device is a GPU.
type Device struct {
	Number          int // its position in Devices
	Name            string
	Major, Minor    int // compute capability
	Memory          int64
	Multiprocessors int
	Shared          int // bytes of shared memory that a block may have
	Cooperative     int // not 0: kernels whose blocks wait for one another may be launched
	handle          cu.Device
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
		return nil, fmt.Errorf("%w: the driver sees none", ErrNoDevice)
	}
	devices := make([]Device, n)
	for i := range devices {
		if devices[i], err = device(i); err != nil {
			return nil, err
		}
	}
	return devices, nil
}

func device(number int) (d Device, err error) {
	d.Number = number
	if d.handle, err = cu.GetDevice(number); err != nil {
		return d, describe(fmt.Sprintf("device %d", number), err)
	}
	var errs [7]error
	d.Name, errs[0] = d.handle.Name()
	d.Memory, errs[1] = d.handle.TotalMem()
	d.Multiprocessors, errs[2] = d.handle.Attribute(cu.MultiprocessorCount)
	d.Major, errs[3] = d.handle.Attribute(cu.ComputeCapabilityMajor)
	d.Minor, errs[4] = d.handle.Attribute(cu.ComputeCapabilityMinor)
	d.Shared, errs[5] = d.handle.Attribute(C.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
	d.Cooperative, errs[6] = d.handle.Attribute(C.CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)
	return d, describe(fmt.Sprintf("device %d", number), errors.Join(errs[:]...))
}

// Reaches reports whether a device reads and writes the memory of another directly.
func (d Device) Reaches(peer Device) (bool, error) {
	if d.Number == peer.Number {
		return false, nil
	}
	can, err := d.handle.CanAccessPeer(peer.handle)
	return can != 0, describe(fmt.Sprintf("whether device %d reaches device %d", d.Number, peer.Number), err)
}
