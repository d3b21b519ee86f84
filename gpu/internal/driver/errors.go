//go:build cuda && linux && amd64

package driver

// #include <cuda.h>
import "C"

import (
	"errors"
	"fmt"
	"reflect"

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

// codeOf is the driver's code of an error, CUDA_SUCCESS for one that is not the driver's.
func codeOf(err error) C.CUresult {
	var failure *Error
	if !errors.As(err, &failure) {
		return C.CUDA_SUCCESS
	}
	return C.CUresult(failure.Code)
}

// IsFull reports whether an error of the driver is a lack of memory, of the device or of the host.
func IsFull(err error) bool { return codeOf(err) == C.CUDA_ERROR_OUT_OF_MEMORY }

// Full is the error of memory that is not given, though the driver may have some.
func Full(op string) error { return &Error{op, C.CUDA_ERROR_OUT_OF_MEMORY} }

// refused is the error of a cooperative launch whose blocks cannot all run at a time, since other processes hold a part
// of the device.
const refused = C.CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE

// Refused reports whether an error of the driver is that of a cooperative launch that does not fit now.
func Refused(err error) bool { return codeOf(err) == refused }

// RejectsStream reports whether an error of the driver is that of a stream, or of an event, that is none, is of another
// context, or is captured.
func RejectsStream(err error) bool {
	const firstOfCapture, lastOfCapture = C.CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, C.CUDA_ERROR_CAPTURED_EVENT
	code := codeOf(err)
	return code == C.CUDA_ERROR_INVALID_HANDLE || code == C.CUDA_ERROR_INVALID_CONTEXT ||
		code >= firstOfCapture && code <= lastOfCapture
}

// Failure wraps an error of the driver in ErrDevice, and returns others unchanged. A device that lacks memory has not
// failed: the error is engine.ErrMemory.
func Failure(err error) error {
	switch {
	case errors.Is(err, ErrDevice), errors.Is(err, engine.ErrMemory), codeOf(err) == C.CUDA_SUCCESS:
		return err
	case IsFull(err):
		return fmt.Errorf("%w: %w", engine.ErrMemory, err)
	default:
		return fmt.Errorf("%w: %w", ErrDevice, err)
	}
}

// OpenError wraps an error of opening a device, other than ErrNoDevice, in engine.ErrMemory or ErrDevice.
func OpenError(err error) error {
	switch {
	case errors.Is(err, ErrNoDevice):
		return err
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
