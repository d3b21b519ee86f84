//go:build cuda && linux && amd64

package driver

// #include <cuda.h>
import "C"

import (
	"fmt"
	"reflect"

	"gorgonia.org/cu"
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

// OutOfMemory reports whether the device, or the host, had too little memory.
func (e *Error) OutOfMemory() bool { return e.Code == int(cu.OutOfMemory) }

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
