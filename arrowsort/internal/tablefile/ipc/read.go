// Package ipc reads and writes Arrow IPC files and streams, and checks what it reads down to the last offset.
package ipc

import (
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	arrowipc "github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/validate"
)

// A Reader reads the record batches of an IPC file or stream. It is used by one goroutine.
type Reader struct {
	messages messageReader
	batches  *arrowipc.Reader
}

// A messageReader also returns the error that ended the messages, which Arrow's reader loses, nil for their end; and
// the metadata of the current message.
type messageReader interface {
	arrowipc.MessageReader
	failure() error
	metadata() []byte
	share() float64
}

// OpenFile reads the footer and the schema of an IPC file of size bytes. The caller releases the reader.
func OpenFile(src io.ReaderAt, size int64, mem memory.Allocator) (*Reader, error) {
	m, err := fileMessages(src, size, mem)
	if err != nil {
		return nil, err
	}
	return open(m, mem)
}

// OpenStream reads the schema of an IPC stream of size bytes, negative when unknown. The caller releases the reader.
func OpenStream(r io.Reader, size int64, mem memory.Allocator) (*Reader, error) {
	return open(&messages{r: r, size: size, remaining: size, mem: mem}, mem)
}

func open(m messageReader, mem memory.Allocator) (r *Reader, err error) {
	defer func() {
		if r == nil { // Arrow's reader may have panicked
			m.Release()
		}
	}()
	batches, err := arrowipc.NewReaderFromMessageReader(m, arrowipc.WithAllocator(mem))
	if failure := m.failure(); failure != nil {
		return nil, failure
	}
	if err != nil {
		return nil, fileerror.Corrupt("%v", err)
	}
	if err := validate.Schema(batches.Schema()); err != nil {
		batches.Release()
		return nil, err
	}
	declare(batches.Schema(), m.metadata())
	return &Reader{m, batches}, nil
}

// Schema returns the schema of all record batches.
func (r *Reader) Schema() *arrow.Schema { return r.batches.Schema() }

// Next returns the next record batch, valid until the next call; io.EOF after the last. A stream without an end marker
// is an error: it may be cut off.
func (r *Reader) Next() (arrow.Record, error) {
	if !r.batches.Next() {
		if err := r.messages.failure(); err != nil {
			return nil, err
		}
		if err := r.batches.Err(); err != nil {
			return nil, fileerror.Corrupt("%v", err)
		}
		return nil, io.EOF
	}
	for _, a := range r.batches.Record().Columns() {
		if err := validate.Array(a); err != nil {
			return nil, err
		}
	}
	return r.batches.Record(), nil
}

// Batches returns the sizes in bytes of the record batches of a file; nil for a stream, which does not list them.
func (r *Reader) Batches() []int64 {
	if m, ok := r.messages.(*blockMessages); ok {
		return m.batches
	}
	return nil
}

// Only has Next return some record batches of a file only, count of them from number first on. It precedes Next, and is
// called once.
func (r *Reader) Only(first, count int) { r.messages.(*blockMessages).only(first, count) }

// Share returns the share of the input that was read, from 0 to 1, when its size is known.
func (r *Reader) Share() float64 { return r.messages.share() }

// Release releases the memory of the reader.
func (r *Reader) Release() {
	r.batches.Release()
	r.messages.Release()
}
