//go:build cuda && linux && amd64

package driver

// #include <cuda.h>
import "C"

import (
	"errors"
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
	if e.Op == "" {
		return failure(e.Code).text()
	}
	return e.Op + ": " + failure(e.Code).text()
}

// OutOfMemory reports whether the device, or the host, had too little memory.
func (e *Error) OutOfMemory() bool { return e.Code == int(cu.OutOfMemory) }

// failure is an error by its code alone.
type failure int

func (f failure) Error() string { return f.text() }

func (f failure) text() string {
	var text *C.char
	if C.cuGetErrorString(C.CUresult(f), &text) != C.CUDA_SUCCESS || text == nil {
		return fmt.Sprintf("CUDA error %d", int(f))
	}
	return fmt.Sprintf("%s (CUDA error %d)", C.GoString(text), int(f))
}

// describe adds what was tried to an error of cu, whose type is not exported but is the driver's code.
func describe(op string, err error) error {
	if err == nil {
		return nil
	}
	var known *Error
	if errors.As(err, &known) {
		return err
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
