package page

import "github.com/apache/arrow/go/v15/arrow/memory"

// Scratch is the memory that pages are read with, one after the other.
type Scratch struct {
	packed, body *memory.Buffer
	Entries      *memory.Buffer // of a dictionary
	Starts       []uint32       // of its texts in entries
	decompressor decompressor
}

// NewScratch returns memory of an allocator. The caller releases it.
func NewScratch(mem memory.Allocator) *Scratch {
	return &Scratch{
		packed: memory.NewResizableBuffer(mem), body: memory.NewResizableBuffer(mem),
		Entries: memory.NewResizableBuffer(mem)}
}

// Release gives the memory back.
func (s *Scratch) Release() {
	s.packed.Release()
	s.body.Release()
	s.Entries.Release()
}

// Grow makes place for n bytes and those behind them. What the buffer had is lost.
func Grow(buffer *memory.Buffer, n int) []byte {
	if buffer.Cap() < n+HybridSpare {
		buffer.Resize(0) // nothing is to be copied
	}
	buffer.ResizeNoShrink(n + HybridSpare)
	return buffer.Bytes()[:n]
}
