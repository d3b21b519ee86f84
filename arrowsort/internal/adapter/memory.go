package adapter

import (
	"fmt"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
)

// Allocate returns n bytes of mem. An allocator that panics or returns too little is an error that matches engine.ErrMemory.
func Allocate(mem engine.Allocator, n int) (b []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			b, err = nil, fmt.Errorf("%w: allocating %d bytes: %v", engine.ErrMemory, n, r)
		}
	}()
	b = mem.Allocate(n)
	if len(b) < n {
		if b != nil {
			mem.Free(b)
		}
		return nil, fmt.Errorf("%w: the allocator gave %d of %d bytes", engine.ErrMemory, len(b), n)
	}
	return b[:n], nil
}

// temporary is memory that lives as long as the job.
func (w *Work) temporary(n int) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	b, err := Allocate(w.mem, n)
	if err == nil {
		w.temp = append(w.temp, b)
	}
	return b, err
}

// zeros is temporary memory of n zero bytes.
func (w *Work) zeros(n int) ([]byte, error) {
	b, err := w.temporary(n)
	clear(b)
	return b, err
}
