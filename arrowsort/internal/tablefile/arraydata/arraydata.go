package arraydata

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

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

// Trim returns an array with the values of another. Buffers with much more memory than they use, as builders that grow
// leave them, are copied. The caller releases it.
func Trim(d arrow.ArrayData, mem memory.Allocator) arrow.ArrayData {
	buffers := make([]*memory.Buffer, len(d.Buffers()))
	defer func() { memory.ReleaseBuffers(buffers) }()
	for i, b := range d.Buffers() {
		if b == nil {
			continue
		}
		if b.Retain(); cap(b.Buf())-b.Len() > b.Len()/8+spareBytes { // Cap is the length of shared memory
			copied := NewBuffer(mem, b.Len())
			copy(copied.Bytes(), b.Bytes())
			b.Release()
			b = copied
		}
		buffers[i] = b
	}
	children := make([]arrow.ArrayData, len(d.Children()))
	defer func() { Release(children) }()
	for i, c := range d.Children() {
		children[i] = Trim(c, mem)
	}
	trimmed := array.NewData(d.DataType(), d.Len(), buffers, children, d.NullN(), d.Offset())
	if _, ok := StorageOf(d.DataType()).(*arrow.DictionaryType); ok {
		trimmed.SetDictionary(d.Dictionary())
	}
	return trimmed
}

// spareBytes of a buffer are not worth a copy.
const spareBytes = 1 << 12
