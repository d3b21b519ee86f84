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
	if r.out_device_array == nil {
		return optionErrorf("the pointer to the result is NULL")
	}
	s, err := deviceOptions(r)
	if err != nil {
		return err
	}
	keys, err := deviceKeys(r, s.keys)
	if err != nil {
		return err
	}
	array := (*gpu.ArrowDeviceArray)(unsafe.Pointer(r.device_array))
	job, err := gpu.DeviceJobOf(array, (*gpu.ArrowSchema)(unsafe.Pointer(r.schema)), keys)
	if err != nil {
		return err
	}
	if job.RowNumbers = int(r.parameter) / 8; r.parameter != 32 && r.parameter != 64 {
		return optionErrorf("row numbers of %d bits: give 32 or 64", r.parameter)
	}
	job.Limit, job.Stream = s.Limit, uintptr(r.stream)
	e, err := primaryEngine(int(array.DeviceID))
	if err != nil {
		return err
	}
	rows, err := e.ArgsortDevice(s.context(), job)
	if err != nil {
		return err
	}
	return putRows(r.out_device_array, rows)
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

// putRows makes an array of row numbers, which it takes over.
func putRows(out *C.struct_ArrowDeviceArray, rows *gpu.DeviceRows) error {
	handle := newHandle(rows)
	if C.device_rows_init(out, handle, C.uint64_t(rows.Address), C.int64_t(rows.Rows), C.int64_t(rows.Device),
		C.uint64_t(rows.Event)) != 0 {
		goArrowsortReleaseRows(handle)
		return fmt.Errorf("%w: the structures of the result", errkind.ErrMemory)
	}
	return nil
}

// goArrowsortReleaseRows gives the memory of row numbers back. A stream that is gone leaves them until the engine ends.
//
//export goArrowsortReleaseRows
func goArrowsortReleaseRows(handle C.uint64_t) {
	handles.Lock()
	rows, ok := handles.values[uint64(handle)].(*gpu.DeviceRows)
	delete(handles.values, uint64(handle))
	handles.Unlock()
	if ok {
		_ = cdata.Contain(rows.Release) // a release callback returns no error
	}
}
