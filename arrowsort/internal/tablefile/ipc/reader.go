// Package ipc reads and writes Arrow IPC files and streams, and checks what it reads down to the last offset.
package ipc

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	arrowipc "github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
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
		return nil, errkind.Corrupt("%v", err)
	}
	if err := validate.Schema(batches.Schema()); err != nil {
		batches.Release()
		return nil, err
	}
	restoreFieldMetadata(batches.Schema(), m.metadata())
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
			return nil, errkind.Corrupt("%v", err)
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

// Places returns the first byte, and that after the last, of each message of a file that Next reads; nil for a stream.
func (r *Reader) Places() (places [][2]int64) {
	if m, ok := r.messages.(*blockMessages); ok {
		for _, b := range m.listed {
			places = append(places, [2]int64{b.offset, b.offset + b.meta + b.body})
		}
	}
	return places
}

// SelectParts limits Next to count record batches of a file from number first on. It precedes Next, and is
// called once.
func (r *Reader) SelectParts(first, count int) { r.messages.(*blockMessages).only(first, count) }

// Share returns the share of the input that was read, from 0 to 1, when its size is known.
func (r *Reader) Share() float64 { return r.messages.share() }

// Release releases the memory of the reader.
func (r *Reader) Release() {
	r.batches.Release()
	r.messages.Release()
}

// Magic are the first and the last bytes of an IPC file.
const Magic = "ARROW1"

// fileMessages returns the messages of an IPC file: those that its footer lists, after the schema in the footer.
func fileMessages(src io.ReaderAt, size int64, mem memory.Allocator) (*blockMessages, error) {
	const head, tail = 8, 4 + len(Magic) // magic and padding; length of the footer and magic
	if size < int64(head+tail) {
		return nil, errkind.Corrupt("%d bytes are too few for an Arrow file", size)
	}
	var magic [head]byte
	var end [tail]byte
	if _, err := src.ReadAt(magic[:], 0); err != nil {
		return nil, err
	}
	if _, err := src.ReadAt(end[:], size-int64(tail)); err != nil {
		return nil, err
	}
	if string(magic[:len(Magic)]) != Magic {
		return nil, errkind.Corrupt("not an Arrow file (a stream is called .arrows)")
	}
	if string(end[4:]) != Magic {
		return nil, errkind.Corrupt("the footer is missing, the file is cut off")
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	limit := size - int64(tail) - length
	if length == 0 || limit < head {
		return nil, errkind.Corrupt("a footer of %d bytes in a file of %d", length, size)
	}
	footer := make([]byte, length)
	if _, err := src.ReadAt(footer, limit); err != nil {
		return nil, err
	}
	f, err := checkFooter(footer, limit)
	if err != nil {
		return nil, err
	}
	listed := slices.Concat(f.dictionaries, f.batches)
	if err := checkUnlisted(src, head, limit, listed, mem); err != nil {
		return nil, err
	}
	blocks := []sized{bytes.NewReader(schemaMessage(footer, f.schema))}
	for _, b := range listed {
		blocks = append(blocks, io.NewSectionReader(src, b.offset, b.meta+b.body))
	}
	var sizes []int64
	for _, b := range f.batches {
		sizes = append(sizes, b.meta+b.body)
	}
	return &blockMessages{blocks: blocks, total: len(blocks), listed: listed, batches: sizes,
		messages: messages{mem: mem}}, nil
}

// mostPadding is the most bytes that a writer puts after a message, so that the next one is aligned.
const mostPadding = 64

// checkUnlisted makes sure that a file has no messages between its magic and its footer, which begins at limit, but
// those that the footer lists, a schema and an end marker: the rows of others would be lost, as those of a file to
// whose end another one was copied. Polars writes the schema at the start without its length, so other bytes may be
// there.
func checkUnlisted(src io.ReaderAt, head, limit int64, listed []block, mem memory.Allocator) error {
	blocks := append(slices.Clone(listed), block{offset: limit})
	slices.SortFunc(blocks, func(a, b block) int { return cmp.Compare(a.offset, b.offset) })
	at := head
	for _, b := range blocks {
		sound, err := isGap(src, at, b.offset, mem, at == head)
		if err != nil {
			return err
		}
		if !sound {
			return errkind.Corrupt("the footer does not list what is in bytes %d to %d, such as another file that "+
				"was copied to the end of this one: give each file as a separate input", at, b.offset)
		}
		at = max(at, b.offset+b.meta+b.body)
	}
	return nil
}

// isGap reports whether there are no messages but schemas and end markers between two places of a file, and no other
// bytes than zeros unless any may be there.
func isGap(src io.ReaderAt, from, to int64, mem memory.Allocator, anyBytes bool) (bool, error) {
	gap := &messages{r: bufio.NewReader(io.NewSectionReader(src, from, to-from)), remaining: to - from, mem: mem}
	for gap.remaining > mostPadding {
		err := errkind.Contain(gap.next)
		other := err == nil && gap.current.Type() != arrowipc.MessageSchema
		gap.Release()
		switch {
		case other:
			return false, nil
		case errors.Is(err, errkind.ErrCorrupt):
			return anyBytes, nil
		case err != nil && err != io.EOF:
			return false, err
		}
	}
	return true, nil
}

// sized is a reader of Size bytes.
type sized interface {
	io.Reader
	Size() int64
}

// blockMessages are the messages of an IPC file: one from the start of each block.
type blockMessages struct {
	messages
	blocks  []sized // not read yet
	listed  []block // of dictionaries and record batches that are read
	total   int
	batches []int64 // bytes of the record batches, which are the last blocks
}

// only leaves some of the record batches out, and no dictionary.
func (m *blockMessages) only(first, count int) {
	m.blocks = without(m.blocks, len(m.batches), first, count)
	m.listed = without(m.listed, len(m.batches), first, count)
}

// without leaves all but some of the last n values out.
func without[T any](values []T, n, first, count int) []T {
	others := len(values) - n
	return slices.Concat(values[:others], values[others+first:others+first+count])
}

func (m *blockMessages) share() float64 { return 1 - float64(len(m.blocks))/float64(m.total) }

var errEmptyMessage = errkind.Corrupt("a message of the file is empty")

func (m *blockMessages) Message() (*arrowipc.Message, error) {
	m.drop()
	if len(m.blocks) == 0 {
		m.Release()
		return nil, io.EOF
	}
	m.messages = messages{r: m.blocks[0], remaining: m.blocks[0].Size(), mem: m.mem, body: m.body,
		fragile: m.fragile, views: m.views}
	m.blocks = m.blocks[1:]
	m.err = errkind.Contain(m.next)
	if m.err == io.EOF {
		m.err = errEmptyMessage
	} else if m.err == nil && m.remaining > mostPadding {
		m.err = errkind.Corrupt("%d bytes follow the message of a block", m.remaining)
	}
	return m.current, m.err
}
