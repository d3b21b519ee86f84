//go:build cuda && linux && amd64

package driver

// #include <cuda.h>
import "C"

import (
	"errors"
	"fmt"
	"reflect"

	"gorgonia.org/cu"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
)

// An Error is an error of the driver.
type Error struct {
	Op   string // what was tried
	Code int    // CUresult
}

func (e *Error) Error() string {
	reason := fmt.Sprintf("CUDA error %d", e.Code)
	var text *C.char
	if C.cuGetErrorString(C.CUresult(e.Code), &text) == C.CUDA_SUCCESS && text != nil {
		reason = fmt.Sprintf("%s (%s)", C.GoString(text), reason)
	}
	if e.Op == "" {
		return reason
	}
	return e.Op + ": " + reason
}

// IsFull reports whether an error of the driver is a lack of memory, of the device or of the host.
func IsFull(err error) bool {
	var failure *Error
	return errors.As(err, &failure) && failure.Code == int(cu.OutOfMemory)
}

// refused is the error of a cooperative launch whose blocks cannot all run at a time, since other processes hold a part
// of the device.
const refused = C.CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE

// Refused reports whether an error of the driver is that of a cooperative launch that does not fit now.
func Refused(err error) bool {
	var failure *Error
	return errors.As(err, &failure) && failure.Code == refused
}

// Failure wraps an error of the driver in ErrDevice, and returns others unchanged. A device that lacks memory has not
// failed: the error is engine.ErrMemory.
func Failure(err error) error {
	switch {
	case errors.Is(err, ErrDevice), errors.Is(err, engine.ErrMemory), !errors.As(err, new(*Error)):
		return err
	case IsFull(err):
		return fmt.Errorf("%w: %w", engine.ErrMemory, err)
	default:
		return fmt.Errorf("%w: %w", ErrDevice, err)
	}
}

// OpenError wraps an error of opening a device in ErrNoDevice, engine.ErrMemory or ErrDevice.
func OpenError(err error) error {
	switch {
	case errors.As(err, new(*NoDeviceError)):
		return fmt.Errorf("%w: %w", ErrNoDevice, err)
	case IsFull(err):
		return Failure(err)
	default:
		return fmt.Errorf("%w: %w", ErrDevice, err)
	}
}

// describe adds what was tried to an error of cu, whose type is not exported but is the driver's code.
func describe(op string, err error) error {
	if err == nil {
		return nil
	}
	if v := reflect.ValueOf(err); v.CanInt() {
		return &Error{op, int(v.Int())}
	}
	return fmt.Errorf("%s: %w", op, err)
}

// check is describe for calls of this package's own.
func check(op string, code C.CUresult) error {
	if code == C.CUDA_SUCCESS {
		return nil
	}
	return &Error{op, int(code)}
}
