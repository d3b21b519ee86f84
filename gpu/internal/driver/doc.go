// Package driver is the CUDA driver as package gpu needs it: gorgonia.org/cu, what that lacks in a few lines of cgo,
// and a trampoline that lets one program start with and without the driver. Without the tag cuda it has only errors.
package driver

import "errors"

// Errors of package gpu, which exports and describes them.
var (
	ErrNoDevice = errors.New("gpu: no device")
	ErrDevice   = errors.New("gpu: the device failed")
)
