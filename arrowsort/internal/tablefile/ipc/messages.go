package ipc

import (
	"cmp"
	"encoding/binary"
	"errors"
	"io"

	arrowipc "github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/klauspost/compress/zstd"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// growth is the number of bytes that are read at a time from an input of unknown size.
const growth = 1 << 20

// messages reads the messages of a stream for Arrow's reader, checked before Arrow sees them. Arrow's own message
// reader takes a stream that breaks off between the parts of a message for a finished one.
type messages struct {
	r         io.Reader
	size      int64 // bytes of the input; negative when unknown
	remaining int64 // of these bytes
	longest   int64 // bytes that were read at once and were there
	mem       memory.Allocator
	current   *arrowipc.Message
	body      *memory.Buffer // of the current message, and then of the next: Arrow's reader copies what it takes of it
	meta      []byte         // of the current message
	fragile   bool           // Arrow does not swap the bytes of an empty array of this schema
	views     *viewArrays    // of the schema; nil before it
	marked    bool           // the length of the current message, or the end marker, follows a continuation
	err       error          // of the last message; io.EOF after the end marker
}

// Message returns the next message, valid until the next call. Only an end marker ends the messages, and nothing may
// follow it.
func (m *messages) Message() (*arrowipc.Message, error) {
	if m.err == nil {
		m.err = errkind.Contain(m.next)
		if m.err == io.EOF {
			m.err = m.ended()
		}
	}
	return m.current, m.err
}

// ended returns io.EOF when the input ends where its end marker does. Four bytes of zeros are the end marker of format
// versions before 0.15, which Arrow's JavaScript writes to this day; more zeros are a part of the file that was not
// written.
func (m *messages) ended() error {
	var next [1]byte
	_, err := io.ReadFull(m.r, next[:])
	if err != nil {
		return err
	}
	if !m.marked && next[0] == 0 {
		return errkind.Corrupt("zeros where a message should be: the stream was not written to its end")
	}
	return errkind.Corrupt("bytes follow the end marker of the stream, such as those of another stream: " +
		"give each stream as a separate input")
}

// failure returns the error that ended the messages; nil when it was their end.
func (m *messages) failure() error {
	if m.err == io.EOF {
		return nil
	}
	return m.err
}

func (m *messages) metadata() []byte { return m.meta }

func (m *messages) share() float64 { return 1 - float64(m.remaining)/float64(max(m.size, 1)) }

func (m *messages) Retain() {}

func (m *messages) Release() {
	m.drop()
	if m.body != nil {
		m.body.Release()
		m.body = nil
	}
}

// drop releases the current message, but for the memory of its body.
func (m *messages) drop() {
	if m.current != nil {
		m.current.Release()
		m.current = nil
	}
}

func (m *messages) next() error {
	m.drop()
	meta, size, err := m.head()
	if err != nil {
		m.Release() // no other message follows
		return err
	}
	defer meta.Release()
	if m.body == nil {
		m.body = memory.NewResizableBuffer(m.mem)
	}
	if err := m.read(m.body, size); err != nil {
		return err
	}
	if err := checkCompressed(meta.Bytes(), m.body.Bytes()); err != nil {
		return err
	}
	if err := m.checkOrder(meta.Bytes()); err != nil {
		return err
	}
	if err := m.checkViews(meta.Bytes()); err != nil {
		return err
	}
	m.current, m.meta = arrowipc.NewMessage(meta, m.body), meta.Bytes()
	return nil
}

// checkOrder returns an error for big-endian data on which Arrow v15 panics: arrays without rows of decimals, or of
// intervals of months and days.
func (m *messages) checkOrder(meta []byte) error {
	c := newFlatChecker(meta)
	if c.byte(c.root(), messageHeaderType) == headerSchema {
		schema := c.table(c.root(), messageHeader)
		for _, field := range c.tables(schema, schemaFields) {
			kinds := c.holds(field, maxNesting, typeDecimal, typeInterval)
			m.fragile = m.fragile || kinds && c.byte(schema, schemaEndianness) != 0
		}
		return nil
	}
	nodes, n, err := c.vector(c.data(), batchNodes, 16)
	for i := range n {
		if m.fragile && binary.LittleEndian.Uint64(c.b[nodes+16*i:]) == 0 {
			return errkind.Unsupported("an empty array, with decimals or intervals in the schema, in big-endian " +
				"byte order")
		}
	}
	return err
}

// checkViews requires a number of buffers for each array of views of a record batch or a dictionary: Arrow v15 reads
// numbers past the end of a shorter list, and allocates memory by them.
func (m *messages) checkViews(meta []byte) error {
	c := newFlatChecker(meta)
	kind, header := c.byte(c.root(), messageHeaderType), c.table(c.root(), messageHeader)
	switch {
	case kind == headerSchema:
		m.views = c.viewArrays(header)
		return nil
	case m.views == nil:
		return nil
	}
	want := m.views.batch
	if kind == headerDictionary {
		want = m.views.dictionaries[c.int64(header, dictionaryID)]
	}
	if _, n, err := c.vector(c.data(), batchVariadic, 8); err != nil || n < want {
		return cmp.Or(err, errkind.Corrupt("numbers of buffers for %d of %d columns of views", n, want))
	}
	return nil
}

// head reads the metadata of the next message, which the caller releases, and the size of its body.
func (m *messages) head() (meta *memory.Buffer, body int64, err error) {
	n, err := m.length()
	if err != nil {
		return nil, 0, err
	}
	read := memory.NewResizableBuffer(m.mem)
	defer func() {
		if meta == nil { // checkMessage may panic
			read.Release()
		}
	}()
	if err = m.read(read, n); err != nil {
		return nil, 0, err
	}
	if body, err = checkMessage(read.Bytes()); err != nil {
		return nil, 0, err
	}
	return read, body, nil
}

// length reads the length of the next message's metadata; io.EOF for the end marker.
func (m *messages) length() (int64, error) {
	n, err := m.uint32()
	if m.marked = n == continuation; err == nil && m.marked {
		n, err = m.uint32()
	}
	if err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, io.EOF
	}
	return int64(n), nil
}

func (m *messages) uint32() (uint32, error) {
	var b [4]byte
	if _, err := io.ReadFull(m.r, b[:]); err != nil {
		return 0, cutOff(err)
	}
	m.remaining -= int64(len(b))
	return binary.LittleEndian.Uint32(b[:]), nil
}

// read reads n bytes into a buffer. From an input of unknown size the buffer grows with what is there, not with what is
// claimed, unless as much was there before: to grow, it needs the memory of both buffers.
func (m *messages) read(b *memory.Buffer, n int64) error {
	step := n
	if m.remaining < 0 {
		step = min(n, max(growth, m.longest))
	} else if n > m.remaining {
		return errkind.Corrupt("a message of %d bytes, with %d bytes left: the file is cut off", n, m.remaining)
	}
	b.ResizeNoShrink(0)
	for have := int64(0); have < n; step = min(2*have, n) {
		b.ResizeNoShrink(int(step))
		if _, err := io.ReadFull(m.r, b.Bytes()[have:]); err != nil {
			return cutOff(err)
		}
		have = step
	}
	m.longest = max(m.longest, n)
	if m.remaining >= 0 {
		m.remaining -= n
	}
	return nil
}

func cutOff(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errkind.Corrupt("the stream breaks off before its end marker")
	}
	return err
}

// uncompressed replaces the size of a buffer that is not compressed, in a message with compressed ones.
const uncompressed = -1

// checkCompressed makes sure that no compressed buffer of a message claims to be longer than its bytes can become:
// Arrow allocates what is claimed.
func checkCompressed(meta, body []byte) error {
	c := newFlatChecker(meta)
	table := c.data()
	if table == 0 {
		return nil
	}
	compression := c.table(table, batchCompression)
	if compression == 0 {
		return nil
	}
	codec := c.byte(compression, compressionCodec)
	buffers, err := c.buffers(table)
	for i, b := range buffers {
		if b.length == 0 {
			continue
		}
		if b.length < 8 {
			return errkind.Corrupt("compressed buffer %d has %d bytes", i, b.length)
		}
		buffer := body[b.offset : b.offset+b.length]
		size := int64(binary.LittleEndian.Uint64(buffer))
		if size != uncompressed && (size < 0 || size > maxDecompressedSize(codec, buffer[8:])) {
			return errkind.Corrupt("buffer %d of %d bytes claims to hold %d", i, b.length, size)
		}
	}
	return err
}

// data returns the table of buffers of a record batch or dictionary; 0 for a schema.
func (c *flatChecker) data() int {
	message := c.root()
	table := c.table(message, messageHeader)
	switch c.byte(message, messageHeaderType) {
	case headerSchema:
		return 0
	case headerDictionary:
		return c.table(table, dictionaryData)
	}
	return table
}

// maxDecompressedSize returns an upper bound of the size that a buffer decompresses to.
func maxDecompressedSize(codec byte, b []byte) int64 {
	const lz4Most = 255 // bytes of a match that one byte of LZ4 lengthens it by
	if codec == codecLZ4 {
		return lz4Most * int64(len(b))
	}
	return maxDecompressedSizeZstd(b)
}

// maxDecompressedSizeZstd adds the sizes of all blocks: that in the header of the frame, or the largest of a block. Of
// an incomplete frame it counts the blocks that are there; the decoder refuses it.
func maxDecompressedSizeZstd(b []byte) (most int64) {
	const raw, rle, most1, headerBytes, checksumBytes = 0, 1, 128 << 10, 3, 4
	for {
		var h zstd.Header
		if err := h.Decode(b); err != nil {
			return most
		}
		skip := h.HeaderSize
		if h.Skippable {
			skip += int(h.SkippableSize)
		}
		for last := h.Skippable; !last; {
			if len(b) < skip+headerBytes {
				return most
			}
			word := int(b[skip]) | int(b[skip+1])<<8 | int(b[skip+2])<<16
			size, holds := word>>3, word>>3
			switch word >> 1 & 3 {
			case raw:
			case rle:
				size = 1
			default:
				holds = most1
			}
			most += int64(holds)
			skip += headerBytes + size
			last = word&1 != 0
		}
		if h.HasCheckSum && !h.Skippable {
			skip += checksumBytes
		}
		if len(b) <= skip {
			return most
		}
		b = b[skip:]
	}
}
