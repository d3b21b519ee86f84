package tablefile

import "github.com/apache/arrow/go/v15/arrow/memory"

// pageScratch is the memory that pages are read with, one after the other.
type pageScratch struct {
	packed, body *memory.Buffer
	entries      *memory.Buffer // of a dictionary
	starts       []uint32       // of its texts in entries
	unpacker     unpacker
}

func newPageScratch(mem memory.Allocator) *pageScratch {
	return &pageScratch{
		packed: memory.NewResizableBuffer(mem), body: memory.NewResizableBuffer(mem),
		entries: memory.NewResizableBuffer(mem)}
}

func (s *pageScratch) release() {
	s.packed.Release()
	s.body.Release()
	s.entries.Release()
}

// room makes place for n bytes and those behind them. What the buffer had is lost.
func room(buffer *memory.Buffer, n int) []byte {
	if buffer.Cap() < n+hybridSpare {
		buffer.Resize(0) // nothing is to be copied
	}
	buffer.ResizeNoShrink(n + hybridSpare)
	return buffer.Bytes()[:n]
}
