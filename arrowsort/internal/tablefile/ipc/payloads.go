package ipc

import (
	"encoding/binary"
	"io"

	arrowipc "github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
)

// bodyAlignment is what the place of a message's body is a multiple of.
const bodyAlignment = 8

// payloads writes the messages that Arrow's writer makes, as a stream or as a file, which is a stream between a magic
// word and a footer. It mends the counts of the buffers of views: Arrow repeats those of the dictionaries that it wrote
// for a record batch before those of the batch, so that readers take the wrong ones.
type payloads struct {
	w     io.Writer
	file  bool
	n     int64 // bytes that were written
	views int   // counts in the last message, which the next one repeats

	schema                []byte // the message with the schema, for the footer
	dictionaries, batches []block
	written               map[int64]bool // dictionaries
}

// Start writes what precedes the schema.
func (p *payloads) Start() error {
	if !p.file {
		return nil
	}
	_, err := p.Write(append([]byte(Magic), 0, 0))
	return err
}

// WritePayload writes a message.
func (p *payloads) WritePayload(payload arrowipc.Payload) error {
	buffer := payload.Meta()
	defer buffer.Release()
	meta := buffer.Bytes()
	c := newFlatChecker(meta)
	b := block{offset: p.n, body: c.int64(c.root(), messageBody)}
	if err := p.note(c, &b); err != nil {
		return err
	}
	padding := -len(meta) & (bodyAlignment - 1)
	head := binary.LittleEndian.AppendUint32(nil, continuation)
	head = binary.LittleEndian.AppendUint32(head, uint32(len(meta)+padding))
	for _, part := range [][]byte{head, meta, make([]byte, padding)} {
		if _, err := p.Write(part); err != nil {
			return err
		}
	}
	before := p.n
	err := payload.SerializeBody(p)
	if err == nil && p.n-before != b.body {
		return fileerror.Corrupt("a message has a body of %d bytes, not %d", p.n-before, b.body)
	}
	return err
}

// note keeps what the footer needs of a message and mends it.
func (p *payloads) note(c *flatChecker, b *block) error {
	message := c.root()
	header := c.table(message, messageHeader)
	b.meta = 8 + int64(len(c.b)+(-len(c.b)&(bodyAlignment-1)))
	switch c.byte(message, messageHeaderType) {
	case headerSchema:
		p.schema = append([]byte(nil), c.b...)
		return nil
	case headerDictionary:
		id := c.int64(header, dictionaryID)
		if p.file && p.written[id] {
			return fileerror.Unsupported("an Arrow file whose record batches have different dictionaries of a column")
		}
		p.written[id] = true
		p.dictionaries = append(p.dictionaries, *b)
		return p.mendViews(c, c.table(header, dictionaryData))
	}
	p.batches = append(p.batches, *b)
	err := p.mendViews(c, header)
	p.views = 0
	return err
}

// mendViews removes the counts of the messages before from those of a batch.
func (p *payloads) mendViews(c *flatChecker, batch int) error {
	at, n, err := c.vector(batch, batchVariadic, 8)
	if err != nil || n == 0 {
		return err
	}
	copy(c.b[at:], c.b[at+8*p.views:at+8*n])
	binary.LittleEndian.PutUint32(c.b[at-4:], uint32(n-p.views))
	p.views = n
	return nil
}

// Close writes the end marker and the footer.
func (p *payloads) Close() error {
	end := binary.LittleEndian.AppendUint32(nil, continuation)
	end = binary.LittleEndian.AppendUint32(end, 0)
	if p.file {
		footer := footerOf(p.schema, p.dictionaries, p.batches)
		end = append(end, footer...)
		end = binary.LittleEndian.AppendUint32(end, uint32(len(footer)))
		end = append(end, Magic...)
	}
	_, err := p.Write(end)
	return err
}

// Write writes bytes of a message and counts them.
func (p *payloads) Write(b []byte) (int, error) {
	n, err := p.w.Write(b)
	p.n += int64(n)
	return n, err
}
