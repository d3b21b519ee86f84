package memory

import (
	"fmt"
	"math/bits"
	"sync"
	"unsafe"
)

// An Allocator allocates pinned memory. Freed memory is kept for later allocations, because pinning is slow; Trim
// returns it to the system. Allocations of less than 32 KiB are pageable memory, which is as fast for the device.
// Memory that the driver does not pin is pageable too, and slower: the driver may have a limit, and a device that has
// failed pins nothing until the next sort reopens it.
type Allocator struct {
	pages pages
	mutex sync.Mutex
	pins  pins // nil without a device; guarded by mutex
	live  map[*byte]*block
	free  map[int][]*block // by size
}

// pages is the source of an allocator's memory. It outlives the device.
type pages interface {
	get(size int) ([]byte, error)
	put(b []byte)
}

// pins is how memory is pinned for a device: its driver.Context.
type pins interface {
	Pin(b []byte) error
	Unpin(b []byte) error
}

// A block is memory of a size class.
type block struct {
	memory []byte
	pinned bool
}

const (
	pinnedBytes = 32 << 10 // the least that is pinned
	alignment   = 64       // of Arrow buffers
)

// New returns an allocator of memory from one source that is pinned by another.
func New(from pages, with pins) *Allocator {
	return &Allocator{pages: from, pins: with, live: map[*byte]*block{}, free: map[int][]*block{}}
}

// Allocate returns size bytes, aligned to 64, of undefined content. It panics when there is no memory.
func (a *Allocator) Allocate(size int) []byte {
	if size < pinnedBytes {
		raw := make([]byte, size+alignment)
		shift := -int(uintptr(unsafe.Pointer(&raw[0]))) & (alignment - 1)
		return raw[shift : shift+size : shift+size]
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	class := SizeClass(size)
	var b *block
	if spare := a.free[class]; len(spare) > 0 {
		b, a.free[class] = spare[len(spare)-1], spare[:len(spare)-1]
	} else {
		memory, err := a.pages.get(class)
		if err != nil {
			panic(fmt.Sprintf("gpu: %v", err))
		}
		b = &block{memory: memory}
	}
	a.pin(b)
	a.live[&b.memory[0]] = b
	return b.memory[:size]
}

// Reallocate returns size bytes that begin with the content of b. It frees or returns b.
func (a *Allocator) Reallocate(size int, b []byte) []byte {
	if size <= cap(b) && size >= cap(b)/2 {
		return b[:size]
	}
	fresh := a.Allocate(size)
	copy(fresh, b)
	a.Free(b)
	return fresh
}

// Free frees memory that Allocate or Reallocate returned.
func (a *Allocator) Free(b []byte) {
	start := unsafe.SliceData(b)
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if k := a.live[start]; k != nil {
		delete(a.live, start)
		a.free[len(k.memory)] = append(a.free[len(k.memory)], k)
	}
}

// Trim returns freed memory to the system.
func (a *Allocator) Trim() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.trim()
}

func (a *Allocator) trim() {
	for class, spare := range a.free {
		for _, b := range spare {
			a.unpin(b)
			a.pages.put(b.memory)
		}
		delete(a.free, class)
	}
}

// pin pins a block if possible.
func (a *Allocator) pin(b *block) {
	if a.pins != nil && !b.pinned {
		b.pinned = a.pins.Pin(b.memory) == nil
	}
}

func (a *Allocator) unpin(b *block) {
	if b.pinned {
		_ = a.pins.Unpin(b.memory) // a context that has failed has nothing pinned
		b.pinned = false
	}
}

// Detach unpins all memory, before its device is closed. Attach pins it for another.
func (a *Allocator) Detach() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.trim()
	for _, b := range a.live {
		a.unpin(b)
	}
	a.pins = nil
}

// Attach pins all memory for a device.
func (a *Allocator) Attach(with pins) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.pins = with
	for _, b := range a.live {
		a.pin(b)
	}
}

// SizeClass rounds a size up to one of four steps between powers of two: at most a quarter too much.
func SizeClass(size int) int {
	step := 1 << (bits.Len(uint(size-1)) - 3)
	return (size + step - 1) &^ (step - 1)
}
