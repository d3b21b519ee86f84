//go:build capi

package cdata

// #include "abi.h"
import "C"

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/internal/machine"
)

// Schema, Array and Stream are the structures of the Arrow C interfaces.
type (
	Schema = C.struct_ArrowSchema
	Array  = C.struct_ArrowArray
	Stream = C.struct_ArrowArrayStream
)

// ErrPanic is returned for a panic, which does not leave Go: of data that contradict themselves, or a fault of the
// library.
var ErrPanic = errors.New("arrowsort: the data contradict themselves, or the library has a fault")

// Contain runs work and returns its error, or its panic as an ErrPanic or ErrMemory.
func Contain(work func() error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case error:
			if err = p; !errors.Is(p, errkind.ErrMemory) {
				err = fmt.Errorf("%w: %w", ErrPanic, p)
			}
		default:
			err = fmt.Errorf("%w: %v", ErrPanic, p)
		}
	}()
	return work()
}

// Memory is an allocator of C memory, which C may hold: blocks begin at a multiple of 64 bytes and are not zeroed. It
// is safe for concurrent use. The zero value has no limit.
type Memory struct {
	Limit int64 // the bytes in use at most; 0: no limit
	used  atomic.Int64
}

// Bytes returns the bytes of C memory in use of all allocators.
func Bytes() int64 { return int64(C.cdata_block_bytes()) }

// Allocate returns a block of undefined content. It panics where there is no memory.
func (m *Memory) Allocate(size int) []byte {
	if size == 0 {
		return nil
	}
	if used := m.used.Add(int64(size)); m.Limit > 0 && used > m.Limit {
		m.used.Add(-int64(size))
		panic(fmt.Errorf("%w: %d bytes are asked for while %d are in use, the limit is %d", errkind.ErrMemory, size,
			used-int64(size), m.Limit))
	}
	block := C.cdata_block_new(C.size_t(size))
	if block == nil {
		m.used.Add(-int64(size))
		panic(fmt.Errorf("%w: %d bytes", errkind.ErrMemory, size))
	}
	b := unsafe.Slice((*byte)(block), size)
	machine.AdviseHuge(b, machine.HugeBytes)
	return b
}

// Reallocate returns the start of the block, or a larger block with its content. A block is not made smaller.
func (m *Memory) Reallocate(size int, b []byte) []byte {
	if size <= cap(b) {
		return b[:size]
	}
	grown := m.Allocate(size)
	copy(grown, b)
	m.Free(b)
	return grown
}

// Free frees a block, which may be cut to fewer bytes but begins where it did.
func (m *Memory) Free(b []byte) {
	if cap(b) == 0 {
		return
	}
	m.used.Add(-int64(cap(b)))
	C.cdata_block_free(unsafe.Pointer(unsafe.SliceData(b)))
}
