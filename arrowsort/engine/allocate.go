package engine

import "fmt"

// Allocate returns n bytes of undefined content from mem, nil for n = 0. An allocator that panics or returns fewer
// bytes is an ErrMemory; it gets the bytes back.
func Allocate(mem Allocator, n int) (b []byte, err error) {
	if n == 0 {
		return nil, nil
	}
	defer func() {
		if r := recover(); r != nil {
			b, err = nil, fmt.Errorf("%w: allocating %d bytes: %v", ErrMemory, n, r)
		}
	}()
	if b = mem.Allocate(n); len(b) < n {
		if b != nil {
			mem.Free(b)
		}
		return nil, fmt.Errorf("%w: the allocator returned %d of %d bytes", ErrMemory, len(b), n)
	}
	return b, nil
}
