package ipc

import (
	"encoding/binary"
	"io"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// Metadata is what the metadata of the messages of an IPC file or stream hold.
type Metadata struct {
	Batches         []Batch
	DictionaryBytes int64 // of the messages with entries of dictionaries
	Codecs          []string
	// Fields are sums over all record batches for each field of the schema, and for those inside it after it. It is nil
	// where the buffers are not those of the schema, as in unions of old versions of the format.
	Fields []FieldBytes
}

// A Batch is a record batch.
type Batch struct{ Rows, Bytes int64 }

// FieldBytes are the sizes of the arrays of a field, without those of nested fields.
type FieldBytes struct{ Nulls, Bytes int64 }

// Inspect reads the metadata of all messages of an IPC file, or of a stream, of size bytes with a schema, and no rows.
func Inspect(src io.ReaderAt, size int64, stream bool, schema *arrow.Schema, mem memory.Allocator) (*Metadata, error) {
	i := inspector{nodes: arrayNodes(nil, schema.Fields())}
	i.Fields = make([]FieldBytes, len(i.nodes))
	blocks := []block{{body: size}}
	if !stream {
		all, err := fileMessages(src, size, mem)
		if err != nil {
			return nil, err
		}
		blocks = all.listed
	}
	for _, b := range blocks {
		in := io.NewSectionReader(src, b.offset, b.meta+b.body)
		m := messages{r: in, size: in.Size(), remaining: in.Size(), mem: mem}
		err := errkind.Contain(func() error { return i.next(&m, in) })
		for stream && err == nil {
			err = errkind.Contain(func() error { return i.next(&m, in) })
		}
		if stream && err == io.EOF {
			err = m.ended()
		}
		switch {
		case err == io.EOF && !stream:
			return nil, errEmptyMessage
		case err != nil && err != io.EOF:
			return nil, err
		}
	}
	return &i.Metadata, nil
}

// An inspector adds up the metadata of messages.
type inspector struct {
	Metadata
	nodes []arrow.DataType // of the arrays of a record batch, in their order
}

// next adds a message, whose body it leaves out; io.EOF after the last.
func (i *inspector) next(m *messages, in io.Seeker) error {
	meta, body, err := m.head()
	if err != nil {
		return err
	}
	defer meta.Release()
	n := int64(meta.Len())
	if body > m.remaining {
		return errkind.Corrupt("a message of %d bytes, with %d bytes left: the file is cut off", body, m.remaining)
	}
	m.remaining -= body
	if _, err := in.Seek(body, io.SeekCurrent); err != nil {
		return err
	}
	c := newFlatChecker(meta.Bytes())
	header := c.table(c.root(), messageHeader)
	switch c.byte(c.root(), messageHeaderType) {
	case headerDictionary:
		i.DictionaryBytes += n + body
		i.addCodec(c, c.table(header, dictionaryData))
	case headerBatch:
		i.Batches = append(i.Batches, Batch{c.int64(header, batchLength), n + body})
		i.addCodec(c, header)
		return i.addFields(c, header)
	}
	return nil
}

func (i *inspector) addCodec(c *flatChecker, batch int) {
	codec := "none"
	if compression := c.table(batch, batchCompression); compression != 0 {
		codec = [...]string{codecLZ4: "lz4", codecZstd: "zstd"}[c.byte(compression, compressionCodec)]
	}
	if !slices.Contains(i.Codecs, codec) {
		i.Codecs = append(i.Codecs, codec)
	}
}

// addFields adds the nulls and buffers of a record batch to the fields that have them.
func (i *inspector) addFields(c *flatChecker, batch int) error {
	nodes, count, err := c.vector(batch, batchNodes, 16)
	if err != nil {
		return err
	}
	buffers, err := c.buffers(batch)
	if err != nil {
		return err
	}
	variadic, views, err := c.vector(batch, batchVariadic, 8)
	if err != nil || i.Fields == nil {
		return err
	}
	sums := slices.Clone(i.Fields)
	for f, typ := range i.nodes {
		n := buffersOf(typ)
		if typ.Layout().VariadicSpec != nil && views > 0 {
			n += int(binary.LittleEndian.Uint64(c.b[variadic:]))
			variadic, views = variadic+8, views-1
		}
		if f >= count || n > len(buffers) {
			i.Fields = nil
			return nil
		}
		sums[f].Nulls += int64(binary.LittleEndian.Uint64(c.b[nodes+16*f+8:]))
		for _, b := range buffers[:n] {
			sums[f].Bytes += b.length
		}
		buffers = buffers[n:]
	}
	if i.Fields = sums; len(buffers) > 0 || count != len(i.nodes) {
		i.Fields = nil
	}
	return nil
}

// arrayNodes appends the types of the arrays of fields, each with those inside it after it.
func arrayNodes(nodes []arrow.DataType, fields []arrow.Field) []arrow.DataType {
	for _, f := range fields {
		typ := f.Type
		if e, ok := typ.(arrow.ExtensionType); ok {
			typ = e.StorageType()
		}
		nodes = append(nodes, typ)
		if nested, ok := typ.(arrow.NestedType); ok {
			nodes = arrayNodes(nodes, nested.Fields())
		}
	}
	return nodes
}

// buffersOf returns the number of buffers of an array in a message, but for those of views.
func buffersOf(typ arrow.DataType) (n int) {
	for _, b := range typ.Layout().Buffers {
		if b.Kind != arrow.KindAlwaysNull {
			n++
		}
	}
	return n
}
