package arraydata

import "github.com/apache/arrow/go/v15/arrow/memory"

// NewBuffer returns a buffer of a size. Its content is undefined.
func NewBuffer(mem memory.Allocator, size int) *memory.Buffer {
	b := memory.NewResizableBuffer(mem)
	b.Resize(size)
	return b
}

// Release releases all that are not nil.
func Release[T interface{ Release() }](all []T) {
	for _, one := range all {
		if any(one) != nil {
			one.Release()
		}
	}
}
