//go:build capi

package capi

// #include "request.h"
import "C"

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/capi/internal/cdata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/gpu"
	"github.com/arrowsort/arrowsort/keyencode"
)

func deviceArgsort(r *request) error {
	rows, err := argsortOnDevice(r, r.out_device_array == nil)
	if err != nil {
		return err
	}
	columns := []gpu.DeviceColumn{{Kind: keyencode.Uint64, Values: rows.Address}}
	return putResult(r.out_device_array, rows, columns, false)
}

func deviceArgsortInto(r *request) error {
	noRows := r.device_array != nil && r.device_array.array.length == 0 // then libraries have no memory either
	_, err := argsortOnDevice(r, r.device_rows == nil && !noRows)
	return err
}

func argsortOnDevice(r *request, noResult bool) (*gpu.DeviceRows, error) {
	if r.parameter != 32 && r.parameter != 64 {
		return nil, optionErrorf("row numbers of %d bits: give 32 or 64", r.parameter)
	}
	return sortOnDevice(r, gpu.DeviceJobOf, noResult)
}

func deviceSort(r *request) error {
	rows, err := sortOnDevice(r, gpu.DeviceTableJobOf, r.out_device_array == nil)
	if err != nil {
		return err
	}
	return putResult(r.out_device_array, rows, rows.Columns, C.GoString(r.schema.format) == "+s")
}

// sortOnDevice does the job that jobOf makes of a request's array.
func sortOnDevice(r *request, jobOf func(*gpu.ArrowDeviceArray, *gpu.ArrowSchema, []keyencode.Key) (*gpu.DeviceJob,
	error), noResult bool) (*gpu.DeviceRows, error) {
	if noResult {
		return nil, optionErrorf("the pointer to the result is NULL")
	}
	s, err := deviceOptions(r)
	if err != nil {
		return nil, err
	}
	keys, err := deviceKeys(r, s.keys)
	if err != nil {
		return nil, err
	}
	array := (*gpu.ArrowDeviceArray)(unsafe.Pointer(r.device_array))
	job, err := jobOf(array, (*gpu.ArrowSchema)(unsafe.Pointer(r.schema)), keys)
	if err != nil {
		return nil, err
	}
	job.RowNumbers, job.Limit, job.Stream = int(r.parameter)/8, s.Limit, uintptr(r.stream)
	job.Out = uint64(uintptr(r.device_rows))
	e, err := primaryEngine(int(array.DeviceID))
	if err != nil {
		return nil, err
	}
	return e.ArgsortDevice(s.context(), job)
}

// deviceOptions returns the options that a sort of a device array uses. It refuses others.
func deviceOptions(r *request) (*settings, error) {
	if r.options != nil && uintptr(r.options.size) >= C.sizeof_struct_arrowsort_options && r.options.engine != nil {
		return nil, optionErrorf("options.engine is set: the device of the array sorts it; leave it out")
	}
	s, err := settingsOf(r)
	switch {
	case err != nil:
		return nil, err
	case s.memory != 0:
		return nil, optionErrorf("options.memory is set, which is memory of the host; leave it out")
	case s.BatchRows != 0:
		return nil, optionErrorf("options.batch_rows is set, which no sort on a device uses; leave it out")
	case s.Limit < 0:
		return nil, optionErrorf("options.limit is %d", s.Limit)
	}
	return s, nil
}

// deviceKeys returns the keys of a request, whose orders are known.
func deviceKeys(r *request, all []arrowsort.Key) ([]keyencode.Key, error) {
	keys := make([]keyencode.Key, len(all))
	for i, c := range unsafe.Slice(r.keys, len(all)) {
		if c.path != nil {
			keys[i].Name = C.GoString(c.path)
		} else {
			keys[i].Column = int(c.column)
		}
		if all[i].Function != "" {
			return nil, optionErrorf("a key has the function %s, which no sort on a device has; leave it out",
				all[i].Function)
		}
		if all[i].Collation != arrowsort.Bytes {
			return nil, optionErrorf("a key has the collation %s, which no sort on a device has; leave it out",
				all[i].Collation)
		}
		keys[i].Order, keys[i].Nulls = all[i].Order, all[i].Nulls
	}
	return keys, nil
}

// onPrimary are the engines in the primary contexts of devices, each opened once.
var onPrimary = struct {
	sync.Mutex
	engines map[int]*gpu.Engine
}{engines: map[int]*gpu.Engine{}}

func primaryEngine(device int) (*gpu.Engine, error) {
	onPrimary.Lock()
	defer onPrimary.Unlock()
	if e := onPrimary.engines[device]; e != nil {
		return e, nil
	}
	e, err := gpu.Open(gpu.Options{Device: device, PrimaryContext: true})
	if err != nil {
		return nil, fmt.Errorf("device %d: %w", device, err)
	}
	onPrimary.engines[device] = e
	return e, nil
}

// putResult makes an array of columns of a result, which it takes over.
func putResult(out *C.struct_ArrowDeviceArray, rows *gpu.DeviceRows, columns []gpu.DeviceColumn, isStruct bool) error {
	made := make([]C.struct_device_column, len(columns)+1) // one more, since there may be none
	for i, c := range columns {
		made[i] = C.struct_device_column{values: C.uint64_t(c.Values), validity: C.uint64_t(c.Validity)}
		if c.Kind == keyencode.Null {
			made[i].is_null = 1
		}
	}
	handle, parent := newHandle(rows), C.int(0)
	if isStruct {
		parent = 1
	}
	if C.device_result_init(out, handle, C.int64_t(rows.Rows), C.int64_t(rows.Device), C.uint64_t(rows.Event), &made[0],
		C.int64_t(len(columns)), parent) != 0 {
		goArrowsortReleaseDevice(handle)
		return fmt.Errorf("%w: the structures of the result", errkind.ErrMemory)
	}
	return nil
}

// goArrowsortReleaseDevice gives the memory of a result back. A stream that is gone leaves it until the engine ends.
//
//export goArrowsortReleaseDevice
func goArrowsortReleaseDevice(handle C.uint64_t) {
	handles.Lock()
	rows, ok := handles.values[uint64(handle)].(*gpu.DeviceRows)
	delete(handles.values, uint64(handle))
	handles.Unlock()
	if ok {
		_ = cdata.Contain(rows.Release) // a release callback returns no error
	}
}
