package arrow18

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	v15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"
	memory15 "github.com/apache/arrow/go/v15/arrow/memory"
)

// Loans are the buffers of v18 that arrays of v15 share. A buffer that comes back in a result is the one that was lent:
// data that is sorted again and again would otherwise be wrapped once more each time. The zero value has none, and nil
// remembers none.
type Loans struct {
	buffers map[*memory15.Buffer]*memory.Buffer
}

// FromArray is the function FromArray, which remembers what it lends.
func (lent *Loans) FromArray(a arrow.Array, typ v15.DataType) v15.Array {
	data := lent.fromData(a.Data(), typ)
	defer data.Release()
	return array15.MakeFromData(data)
}

// Dictionaries has no dictionaries yet; its arrays have the buffers that were lent.
func (lent *Loans) Dictionaries() Dictionaries { return Dictionaries{lent: lent} }

// lend is a buffer of v15 that shares the memory of one of v18 and holds it. The caller releases it.
func (lent *Loans) lend(b *memory.Buffer) *memory15.Buffer {
	b.Retain()
	shared := memory15.NewBufferWithAllocator(b.Bytes(), owner{b})
	if lent != nil {
		if lent.buffers == nil {
			lent.buffers = map[*memory15.Buffer]*memory.Buffer{}
		}
		lent.buffers[shared] = b
	}
	return shared
}

// back is the buffer of v18 that was lent, or one that shares the memory of the buffer of v15 and holds it. The caller
// releases it.
func (lent *Loans) back(b *memory15.Buffer) *memory.Buffer {
	if lent != nil {
		if own, ok := lent.buffers[b]; ok {
			own.Retain()
			return own
		}
	}
	b.Retain()
	return memory.NewBufferWithAllocator(b.Bytes(), owner{b})
}
