package gpu

import (
	"fmt"
	"sync"
	"unsafe"
)

// An Allocator allocates pinned memory. It keeps what is freed for what is allocated next, because pinning is slow: Trim
// gives it back. Less than 32 KiB are ordinary memory, which is as fast for the device.
type Allocator struct {
	pages pages
	mutex sync.Mutex
	live  map[*byte]*block
	free  map[int][]*block // by size
}

// pages is where an allocator has its memory from.
type pages interface {
	get(size int) ([]byte, error) // pinned
	put(b []byte)
	pin(b []byte) error
	unpin(b []byte)
}

// A block is memory of a size class.
type block struct{ memory []byte }

const (
	pinnedBytes = 32 << 10 // the least that is pinned
	alignment   = 64       // as Arrow asks
)

func newAllocator(p pages) *Allocator {
	return &Allocator{pages: p, live: map[*byte]*block{}, free: map[int][]*block{}}
}

// Allocate returns size bytes, aligned to 64, of undefined content. It panics when there is no memory to be pinned.
func (a *Allocator) Allocate(size int) []byte {
	if size < pinnedBytes {
		raw := make([]byte, size+alignment)
		shift := -int(uintptr(unsafe.Pointer(&raw[0]))) & (alignment - 1)
		return raw[shift : shift+size : shift+size]
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	class := sizeClass(size)
	var b *block
	if spare := a.free[class]; len(spare) > 0 {
		b, a.free[class] = spare[len(spare)-1], spare[:len(spare)-1]
	} else {
		memory, err := a.pages.get(class)
		if err != nil {
			panic(fmt.Sprintf("gpu: %d bytes of pinned memory: %v", class, err))
		}
		b = &block{memory}
	}
	a.live[&b.memory[0]] = b
	return b.memory[:size]
}

// Reallocate returns size bytes that begin like b, which is freed or returned itself.
func (a *Allocator) Reallocate(size int, b []byte) []byte {
	if size <= cap(b) && size >= cap(b)/2 {
		return b[:size]
	}
	fresh := a.Allocate(size)
	copy(fresh, b)
	a.Free(b)
	return fresh
}

// Free takes memory back that Allocate or Reallocate returned.
func (a *Allocator) Free(b []byte) {
	start := unsafe.SliceData(b)
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if k := a.live[start]; k != nil {
		delete(a.live, start)
		a.free[len(k.memory)] = append(a.free[len(k.memory)], k)
	}
}

// Trim gives memory that was freed back to the system.
func (a *Allocator) Trim() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for class, spare := range a.free {
		for _, b := range spare {
			a.pages.unpin(b.memory)
			a.pages.put(b.memory)
		}
		delete(a.free, class)
	}
}

// detach ends the pinning of all memory, before its device goes away; attach begins it again with another.
func (a *Allocator) detach() {
	a.Trim()
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for _, b := range a.live {
		a.pages.unpin(b.memory)
	}
}

func (a *Allocator) attach(p pages) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.pages = p
	for _, b := range a.live {
		_ = p.pin(b.memory) // where this fails, the memory is as slow as any other
	}
}
