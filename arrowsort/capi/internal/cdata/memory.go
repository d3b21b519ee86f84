//go:build capi

package cdata

// #include "abi.h"
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/arrowsort/arrowsort/arrowsort/internal/allocators"
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

// inUse is the bytes of the blocks of all Memory.
var inUse atomic.Int64

// Bytes returns the bytes of the blocks in use of all Memory.
func Bytes() int64 { return inUse.Load() }

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
	allocated := false
	defer func() {
		if !allocated {
			m.used.Add(-int64(size))
		}
	}()
	b := allocate(size)
	allocated = true
	inUse.Add(int64(size))
	return b[:size:size]
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
	inUse.Add(-int64(cap(b)))
	free(b)
}

// large is the size of the blocks that are kept for a while after they were freed, as the next call needs blocks of the
// same sizes and fresh memory takes a tenth of the time of a sort.
const large = 1 << 20

// idle is the time after the last large block was freed from which on none is kept. It is that of jemalloc: programs
// that sort every few seconds do not pay for fresh memory each time. A test shortens it.
var idle = 10 * time.Second

// kept are freed large blocks. All of them together with those in use take half of the machine's memory at most.
var kept = struct {
	sync.Mutex
	*allocators.Recycler
	end *time.Timer // of the idle time; nil: nothing is kept
}{}

// allocate returns a block.
func allocate(size int) []byte {
	if size < large {
		return blocks{}.Allocate(size)
	}
	return recycler().Allocate(size)
}

func recycler() *allocators.Recycler {
	kept.Lock()
	defer kept.Unlock()
	if kept.Recycler == nil {
		kept.Recycler = allocators.NewRecycler(blocks{}, max(machine.Memory()/2, large))
	}
	return kept.Recycler
}

func free(b []byte) {
	if cap(b) < large {
		blocks{}.Free(b)
		return
	}
	recycler().Free(b)
	kept.Lock()
	defer kept.Unlock()
	if kept.end == nil {
		kept.end = time.AfterFunc(idle, forget)
	} else {
		kept.end.Reset(idle)
	}
}

// forget frees what is kept. Blocks in use are freed by the next recycler, which passes on those that it does not know.
// It runs once more, without effect, where the time was set anew just when it had ended.
func forget() {
	kept.Lock()
	defer kept.Unlock()
	if kept.Recycler != nil {
		kept.Recycler.Release()
	}
	kept.Recycler, kept.end = nil, nil
}

// blocks is the allocator of C. Free needs the address of a block only.
type blocks struct{}

func (blocks) Allocate(size int) []byte {
	block := C.cdata_block_new(C.size_t(size))
	if block == nil {
		panic(fmt.Errorf("%w: %d bytes", errkind.ErrMemory, size))
	}
	b := unsafe.Slice((*byte)(block), size)
	machine.AdviseHuge(b, machine.HugeBytes)
	return b
}

func (blocks) Free(b []byte) { C.cdata_block_free(unsafe.Pointer(unsafe.SliceData(b))) }

func (blocks) Reallocate(int, []byte) []byte { panic("blocks of C do not grow") }
