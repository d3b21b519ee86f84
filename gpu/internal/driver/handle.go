//go:build cub && cuda && linux && amd64

package driver

// #include <cuda.h>
import "C"

import "unsafe"

// Handle is the driver's handle of the stream, for work that others queue in it.
func (s *Stream) Handle() uint64 {
	return uint64(uintptr(unsafe.Pointer(*(*C.CUstream)(unsafe.Pointer(&s.stream)))))
}
