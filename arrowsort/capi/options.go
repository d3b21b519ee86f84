//go:build capi

package capi

// #include "request.h"
import "C"

import (
	"context"
	"fmt"
	"math"
	"sync"
	"unsafe"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/capi/internal/cdata"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu"
)

// keysOf returns the keys of a request.
func keysOf(r *request) ([]arrowsort.Key, error) {
	if r.n_keys < 0 || r.n_keys > math.MaxInt32 || r.n_keys > 0 && r.keys == nil {
		return nil, optionErrorf("there are %d keys, or their pointer is NULL", r.n_keys)
	}
	keys := make([]arrowsort.Key, int(r.n_keys))
	for i, c := range unsafe.Slice(r.keys, int(r.n_keys)) {
		key := &keys[i]
		if c.path != nil {
			*key = arrowsort.KeyOf(C.GoString(c.path))
		} else {
			*key = arrowsort.KeyAt(int(c.column))
		}
		if c.descending != 0 {
			key.Order = arrowsort.Descending
		}
		if c.nulls_first != 0 {
			key.Nulls = arrowsort.NullsAtStart
		}
		if c.function != nil {
			key.Function = arrowsort.Function(C.GoString(c.function))
		}
		if key.Function.IsRandom() { // it has no column
			key.At = arrowsort.Position{}
		}
		if c.collation != nil {
			key.Collation = arrowsort.Collation(C.GoString(c.collation))
		}
	}
	return keys, nil
}

// A settings is the keys and the options of a call, for all functions.
type settings struct {
	arrowsort.Options // without Progress
	*call
	keys     []arrowsort.Key
	memory   int64
	spillDir string
	unique   bool
}

// settingsOf returns the keys and the options of a request of a function that does not spill.
func settingsOf(r *request) (*settings, error) {
	s, err := readSettings(r)
	switch {
	case err != nil:
		return nil, err
	case s.spillDir != "":
		return nil, optionErrorf("options.spill_dir is set, which arrowsort_sort_stream alone uses; leave it out")
	case s.unique:
		return nil, optionErrorf("options.unique is set, which arrowsort_sort_stream alone uses; leave it out")
	}
	s.Allocator = &cdata.Memory{Limit: s.memory}
	return s, nil
}

func readSettings(r *request) (*settings, error) {
	o, err := optionsOf(r)
	if err != nil {
		return nil, err
	}
	s := &settings{memory: int64(o.memory), unique: o.unique != 0}
	if s.call, err = callOf(o.call); err != nil {
		return nil, err
	}
	s.Limit, s.Threads, s.BatchRows = int(o.limit), int(o.threads), int(o.batch_rows)
	if s.memory < 0 {
		return nil, optionErrorf("options.memory is %d", s.memory)
	}
	if o.spill_dir != nil {
		s.spillDir = C.GoString(o.spill_dir)
	}
	if o.engine != nil {
		if s.Engine, err = engineOf(C.GoString(o.engine)); err != nil {
			return nil, err
		}
	}
	s.keys, err = keysOf(r)
	return s, err
}

// optionsOf returns the options as this library has them: a program that was built with an older header has fewer, one
// that was built with a newer one may have more, which are not set.
func optionsOf(r *request) (o C.struct_arrowsort_options, err error) {
	if r.options == nil {
		return o, nil
	}
	size := uintptr(r.options.size)
	if size < C.sizeof_struct_arrowsort_options {
		return o, optionErrorf("options.size is %d: set it to sizeof(struct arrowsort_options), %d", size,
			int(C.sizeof_struct_arrowsort_options))
	}
	for i, b := range unsafe.Slice((*byte)(unsafe.Pointer(r.options)), size) {
		if i >= C.sizeof_struct_arrowsort_options && b != 0 {
			return o, optionErrorf("an option is set that this version of the library does not have")
		}
	}
	return *r.options, nil
}

// theGPU is the engine on the GPU, which is opened once.
var theGPU struct {
	sync.Mutex
	*gpu.Engine
}

func engineOf(name string) (engine.Engine, error) {
	switch name {
	case "", "cpu":
		return nil, nil
	case "gpu":
		theGPU.Lock()
		defer theGPU.Unlock()
		if theGPU.Engine == nil {
			opened, err := gpu.Open(gpu.Options{})
			if err != nil {
				return nil, fmt.Errorf("engine gpu: %w", err)
			}
			theGPU.Engine = opened
		}
		return theGPU.Engine, nil
	}
	return nil, optionErrorf("options.engine is %q, not cpu or gpu", name)
}

// steps makes the call see the progress of a sort.
func (s *settings) steps() *settings {
	s.Progress = func(done, total int) { s.report("", int64(done), int64(total)) }
	return s
}

// context returns the context of the call.
func (s *settings) context() context.Context { return s.call.Context }
