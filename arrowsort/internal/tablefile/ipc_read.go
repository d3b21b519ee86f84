package tablefile

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
)

const ipcMagic = "ARROW1"

// readStream reads an IPC stream of the given size, negative when unknown. A stream without an end marker is an error:
// it may be cut off.
func readStream(ctx context.Context, r io.Reader, size int64, opts ReadOptions) (arrow.Table, error) {
	return readMessages(ctx, &messages{r: r, remaining: size, mem: opts.Allocator}, opts)
}

// readIPCFile reads an IPC file: the messages that its footer lists, behind the schema that is in the footer, too.
func readIPCFile(ctx context.Context, src source, size int64, opts ReadOptions) (arrow.Table, error) {
	m, err := fileMessages(src, size, opts)
	if err != nil {
		return nil, err
	}
	return readMessages(ctx, m, opts)
}

// fileMessages are the messages of an IPC file.
func fileMessages(src source, size int64, opts ReadOptions) (messageReader, error) {
	const head, tail = 8, 4 + len(ipcMagic) // magic and padding; length of the footer and magic
	if size < int64(head+tail) {
		return nil, corrupt("%d bytes are too few for an Arrow file", size)
	}
	var magic [head]byte
	var end [tail]byte
	if _, err := src.ReadAt(magic[:], 0); err != nil {
		return nil, err
	}
	if _, err := src.ReadAt(end[:], size-int64(tail)); err != nil {
		return nil, err
	}
	if string(magic[:len(ipcMagic)]) != ipcMagic {
		return nil, corrupt("not an Arrow file (a stream is called .arrows)")
	}
	if string(end[4:]) != ipcMagic {
		return nil, corrupt("the footer is missing, the file is cut off")
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	limit := size - int64(tail) - length
	if length == 0 || limit < head {
		return nil, corrupt("a footer of %d bytes in a file of %d", length, size)
	}
	footer := make([]byte, length)
	if _, err := src.ReadAt(footer, limit); err != nil {
		return nil, err
	}
	f, err := checkIPCFooter(footer, limit)
	if err != nil {
		return nil, err
	}
	blocks := []sized{bytes.NewReader(schemaMessage(footer, f.schema))}
	for _, b := range append(f.dictionaries, f.batches...) {
		blocks = append(blocks, io.NewSectionReader(src, b.offset, b.meta+b.body))
	}
	return &blockMessages{blocks: blocks, total: len(blocks), opts: opts}, nil
}

// sized is a reader of as many bytes as Size says.
type sized interface {
	io.Reader
	Size() int64
}

// blockMessages are the messages of an IPC file: one from the start of each block.
type blockMessages struct {
	blocks  []sized // that are left
	total   int
	opts    ReadOptions
	current messages
}

func (m *blockMessages) Retain()        {}
func (m *blockMessages) Release()       { m.current.Release() }
func (m *blockMessages) failure() error { return m.current.failure() }

func (m *blockMessages) share(int64) float64 { return 1 - float64(len(m.blocks))/float64(m.total) }

func (m *blockMessages) Message() (*ipc.Message, error) {
	m.current.Release()
	if len(m.blocks) == 0 {
		return nil, io.EOF
	}
	m.current = messages{r: m.blocks[0], remaining: m.blocks[0].Size(), mem: m.opts.Allocator}
	m.blocks = m.blocks[1:]
	message, err := m.current.Message()
	if err == io.EOF {
		err = corrupt("a message of the file is empty")
		m.current.err = err
	}
	return message, err
}

// messageReader also tells the error that ended the messages, which Arrow's reader loses; nil for their end.
type messageReader interface {
	ipc.MessageReader
	failure() error
	share(size int64) float64
}

// readMessages reads all record batches and validates them.
func readMessages(ctx context.Context, m messageReader, opts ReadOptions) (arrow.Table, error) {
	defer m.Release()
	r, err := openMessages(m, opts)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	if _, err := opts.known(r.Schema()); err != nil {
		return nil, err
	}
	opts.start()
	var records []arrow.Record
	defer func() {
		for _, rec := range records {
			rec.Release()
		}
	}()
	for r.Next() {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		rec := r.Record()
		rec.Retain()
		records = append(records, rec)
		for _, a := range rec.Columns() {
			if err := validate(a); err != nil {
				return nil, err
			}
		}
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if err := endOf(r, m); err != nil {
		return nil, err
	}
	return finish(ctx, array.NewTableFromRecords(r.Schema(), records), opts.Allocator)
}

func openMessages(m messageReader, opts ReadOptions) (*ipc.Reader, error) {
	r, err := ipc.NewReaderFromMessageReader(m, ipc.WithAllocator(opts.Allocator))
	if err := m.failure(); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, corrupt("%v", err)
	}
	return r, nil
}

// endOf is the error that ended the record batches; nil for their end.
func endOf(r recordReader, m messageReader) error {
	if err := m.failure(); err != nil {
		return err
	}
	if r.Err() != nil {
		return corrupt("%v", r.Err())
	}
	return nil
}
