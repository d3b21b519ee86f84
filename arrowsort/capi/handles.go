//go:build capi

package capi

// #include "request.h"
import "C"

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/capi/internal/cdata"
)

// handles are what C refers to by numbers, which are not used again: an old handle is an error, not other data.
var handles = struct {
	sync.RWMutex
	last   uint64
	values map[uint64]any
}{values: map[uint64]any{}}

func newHandle(value any) C.uint64_t {
	handles.Lock()
	defer handles.Unlock()
	handles.last++
	handles.values[handles.last] = value
	return C.uint64_t(handles.last)
}

// dataOf returns the data of a handle, which the caller releases. what names the argument.
func dataOf(handle C.arrowsort_data, what string) (arrowsort.Data, error) {
	handles.RLock()
	defer handles.RUnlock()
	switch value := handles.values[uint64(handle)].(type) {
	case arrowsort.Data:
		value.Retain()
		return value, nil
	case *call:
		return nil, fmt.Errorf("%w: %s is the handle of a call, not of data", errHandle, what)
	}
	return nil, fmt.Errorf("%w: %s is %d, which is no handle, or was freed", errHandle, what, handle)
}

// putData makes a handle of data, which it takes over.
func putData(out *C.arrowsort_data, data arrowsort.Data) error {
	if out == nil {
		data.Release()
		return optionErrorf("the pointer to the result is NULL")
	}
	*out = newHandle(data)
	return nil
}

// A call is what a handle of a call refers to.
type call struct {
	context.Context
	cancel   context.CancelFunc
	progress atomic.Pointer[progress]
}

type progress struct {
	phase       string
	done, total int64
}

func (c *call) report(phase string, done, total int64) {
	c.progress.Store(&progress{phase, done, total})
}

// callOf returns the call of a handle; 0 is a new one.
func callOf(handle C.arrowsort_call) (*call, error) {
	if handle == 0 {
		return &call{Context: context.Background(), cancel: func() {}}, nil
	}
	handles.RLock()
	defer handles.RUnlock()
	if c, ok := handles.values[uint64(handle)].(*call); ok {
		return c, nil
	}
	return nil, fmt.Errorf("%w: call is %d, which is no handle of a call, or was freed", errHandle, handle)
}

// existingCall is callOf without 0.
func existingCall(handle C.arrowsort_call) (*call, error) {
	if handle == 0 {
		return nil, fmt.Errorf("%w: call is 0", errHandle)
	}
	return callOf(handle)
}

//export goArrowsortCallNew
func goArrowsortCallNew() C.arrowsort_call {
	ctx, cancel := context.WithCancel(context.Background())
	return newHandle(&call{Context: ctx, cancel: cancel})
}

func cancelCall(r *request) error {
	c, err := existingCall(r.call)
	if err == nil {
		c.cancel()
	}
	return err
}

func showProgress(r *request) error {
	c, err := existingCall(r.call)
	switch {
	case err != nil:
		return err
	case r.out_progress == nil:
		return optionErrorf("the pointer to the progress is NULL")
	}
	*r.out_progress = C.struct_arrowsort_progress{}
	if p := c.progress.Load(); p != nil {
		r.out_progress.done, r.out_progress.total = C.int64_t(p.done), C.int64_t(p.total)
		phase := unsafe.Slice((*byte)(unsafe.Pointer(&r.out_progress.phase)), len(r.out_progress.phase)-1)
		copy(phase, p.phase)
	}
	return nil
}

//export goArrowsortFree
func goArrowsortFree(handle C.uint64_t, data C.int32_t) {
	handles.Lock()
	value := handles.values[uint64(handle)]
	d, isData := value.(arrowsort.Data)
	if isData == (data != 0) {
		delete(handles.values, uint64(handle))
	}
	handles.Unlock()
	if isData && data != 0 {
		d.Release()
	}
}

//export goArrowsortAllocated
func goArrowsortAllocated() C.int64_t { return C.int64_t(cdata.Bytes()) }
