package rows

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
)

// buffers allocates the buffers of one call and holds a reference to each of them until release.
type buffers struct {
	mem   memory.Allocator
	owned []*memory.Buffer
}

// allocate returns a buffer of undefined bytes; those up to a multiple of 64 bytes are zero.
func (b *buffers) allocate(ctx context.Context, size int) (*memory.Buffer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if size == 0 {
		return memory.NewBufferBytes([]byte{}), nil
	}
	bytes, err := engine.Allocate(b.mem, (size+63)&^63)
	if err != nil {
		return nil, err
	}
	clear(bytes[size:])
	buffer := memory.NewBufferWithAllocator(bytes, b.mem)
	buffer.ResizeNoShrink(size)
	b.owned = append(b.owned, buffer)
	return buffer, nil
}

func (b *buffers) release() {
	for _, buffer := range b.owned {
		buffer.Release()
	}
	b.owned = nil
}
